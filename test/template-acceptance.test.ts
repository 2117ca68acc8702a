// The acceptance of templates on the embedded API server. test/kubernetes/template-acceptance.test.ts compares it with a real one.
import { expect, it } from 'vitest'
import { createRegistry } from '../src/embedded/api/create-registry.ts'
import { createStore } from '../src/embedded/store/store.ts'
import { createApiHandler } from '../src/embedded/wire/api-server.ts'
import { knownIdentity } from '../src/embedded/wire/authentication.ts'
import { createRequestLog } from '../src/embedded/wire/request-log.ts'
import { createKubernetes } from '../src/kubernetes/client.ts'
import { seededRandom } from '../src/lib/random.ts'
import { virtualClock } from '../src/lib/virtual-clock.fixture.ts'
import { judge, sameEverywhere } from './template-verdict.ts'

function embedded() {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  const node = { logs: async function* () {} }
  const requestLog = createRequestLog()
  const authenticate = knownIdentity('dayfly')
  const transport = createApiHandler({ registry, node, clock, random, profile: '1.36', requestLog, authenticate })
  return createKubernetes({ transport, clock, random })
}

it.each(sameEverywhere)('judges %s', async (_name, over, reason, message) => {
  const judgement = await judge(embedded(), 'ci', over)
  if (reason === undefined) expect(judgement).toEqual({ is: 'accepted', warnings: [] })
  else {
    expect(judgement).toMatchObject({ is: 'refused', reason, message: expect.stringMatching(message) })
    expect(judgement).toHaveProperty('next', expect.stringMatching(/^[A-Z].+\.$/))
  }
})
