import { channel } from '@dayfly/kit/queue'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { buildPod } from '@dayfly/runner-set/core/pod'
import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import type { Forge, ForgeAccess, ForgeEventBatch, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { Input } from '@dayfly/runner-set/model/input'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { describe, expect, it } from 'vitest'
import { Connection, forgeSet } from './connection.ts'
import { createJournal } from './journal.ts'

const failing = (reason: 'forge-unauthorized' | 'forge-unreachable'): ForgeEvent => ({
  kind: 'failing',
  failure: { reason, message: 'x' },
  since: 0,
})

const proxy = { url: 'http://proxy:3128', credentialsSecret: 'proxy-login', noProxy: [] }
const ca = { kind: 'config-map', name: 'trust', key: 'ca.crt' } as const
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A connection to a forge that the test plays, and a Secret that the test writes. */
function open(start: { readonly access?: boolean; readonly ca?: string } = {}) {
  const clock = virtualClock()
  const world = {
    secret: 'one' as string | undefined,
    reads: 0,
    opened: [] as string[],
    closing: 0,
    stored: 0,
    refuse: 0,
    /** Whether the set names a proxy with a Secret, and a ConfigMap with certificates. */
    access: start.access ?? false,
    ca: start.ca as string | undefined,
    accesses: [] as ForgeAccess[],
    labels: ['linux'],
    updates: [] as string[],
  }
  const inputs: Input[] = []
  const batches: ReturnType<typeof channel<ForgeEventBatch>>[] = []
  const acked: number[] = []
  const kubernetes = {
    get: async ({ plural }: { readonly plural: string }, { name }: { readonly name: string }) => {
      world.reads++
      await clock.sleep(50)
      if (plural === 'configmaps')
        return { metadata: { name }, data: world.ca === undefined ? {} : { 'ca.crt': world.ca } }
      if (name === 'proxy-login')
        return { metadata: { name }, data: { username: base64('joe'), password: base64('x') } }
      if (world.secret === undefined) throw new KubernetesError('not-found', 'no such Secret')
      return { metadata: { name: 'github' }, data: { github_token: Buffer.from(world.secret).toString('base64') } }
    },
    patch: async () => {
      await clock.sleep(50)
      world.stored++
      return { object: { metadata: { name: 'linux' } }, warnings: [] }
    },
  } as unknown as Kubernetes
  const forge = (token: string) =>
    ({
      open: async () => {
        await clock.sleep(150)
        if (world.refuse-- > 0) throw new PortError('github', 'unauthorized', 'Bad credentials')
        world.opened.push(token)
        const events = channel<ForgeEventBatch>()
        batches.push(events)
        const close = async () => {
          world.closing++
          events.close()
          await clock.sleep(1_000)
          world.closing--
        }
        const update = (set: ForgeSet) => world.updates.push(set.labels.join())
        return { events: () => events, close, update } as unknown as Link
      },
    }) as unknown as Forge
  const connection = new Connection(
    {
      clock,
      random: seededRandom(1),
      kubernetes,
      forgeFor: (_source, access) => {
        world.accesses.push(access)
        return forge(access.credential['github_token'] ?? '')
      },
      journal: createJournal(clock),
      set: () => {
        const more = world.access ? { proxy, ca } : {}
        return runnerSet({ source: { ...runnerSet().source, labels: world.labels, ...more } })
      },
      announced: () => 1,
      forgeState: () => ({}),
      take: (input) => inputs.push(input),
    },
    new AbortController().signal,
  )
  const send = (...events: readonly ForgeEvent[]) =>
    batches.at(-1)?.push({ events, ack: () => acked.push(world.stored) })
  return { clock, world, inputs, acked, connection, send }
}

describe('the connection of a set', () => {
  it('does not open again while it closes permanently', async () => {
    const { clock, world, connection } = open()
    await clock.advance(1_000)
    const closed = connection.close('remove')
    await clock.advance(5_000)
    await closed
    expect(world.opened).toEqual(['one'])
    expect(connection.link).toBeUndefined()
  })

  it('reads a changed Secret within 45 s, and gives the old session back before it opens the next', async () => {
    const { clock, world } = open()
    await clock.advance(1_000)
    world.secret = 'two'
    await clock.advance(44_300)
    expect([world.opened, world.closing]).toEqual([['one'], 1])
    await clock.advance(1_500)
    expect(world.opened).toEqual(['one', 'two'])
  })

  it('reads the Secret every 5 s after the forge refused the credential, until demand is known again', async () => {
    const { clock, world, send } = open()
    await clock.advance(1_000)
    send(failing('forge-unreachable'))
    await clock.advance(10_000)
    expect(world.reads).toBe(1)
    send(failing('forge-unauthorized'))
    await clock.advance(100)
    expect(world.reads).toBe(2)
    await clock.advance(30_000)
    expect(world.reads).toBeGreaterThanOrEqual(7)
    const before = world.reads
    send({ kind: 'demand', demand: { kind: 'assigned', jobs: 0 }, at: 0 })
    await clock.advance(40_000)
    expect(world.reads).toBeLessThanOrEqual(before + 1)
  })

  it('keeps the link while the Secret is missing: the credential in use may still be good', async () => {
    const { clock, world, connection } = open()
    await clock.advance(1_000)
    world.secret = undefined
    await clock.advance(300_000)
    expect(world.opened).toEqual(['one'])
    expect(connection.link).toBeDefined()
  })

  it("reads the proxy's Secret and the certificates, and opens again when one of them changes", async () => {
    const { clock, world } = open({ access: true, ca: 'PEM 1' })
    await clock.advance(1_000)
    const entries = { username: 'joe', password: 'x' }
    expect(world.accesses).toEqual([{ credential: { github_token: 'one' }, proxyCredential: entries, ca: 'PEM 1' }])
    world.ca = 'PEM 2'
    await clock.advance(50_000)
    expect(world.accesses.at(-1)).toMatchObject({ ca: 'PEM 2' })
    world.ca = undefined
    await clock.advance(200_000)
    expect(world.accesses).toHaveLength(2)
  })

  it('reports a ConfigMap without the key of the certificates', async () => {
    const { clock, inputs } = open({ access: true })
    await clock.advance(500)
    const message = 'the ConfigMap ci/trust has no key ca.crt with the certificates of the forge'
    expect(inputs).toContainEqual({ kind: 'forge-failed', failure: { reason: 'forge-misconfigured', message } })
  })

  it('reports a Secret that is missing at the start, and opens when it appears', async () => {
    const { clock, world, inputs } = open()
    world.secret = undefined
    await clock.advance(500)
    const message =
      'the Secret ci/github does not exist: kubectl create secret generic github -n ci --from-file=github_token=FILE'
    expect(inputs).toContainEqual({ kind: 'forge-failed', failure: { reason: 'forge-misconfigured', message } })
    world.secret = 'late'
    await clock.advance(65_000)
    expect(world.opened).toEqual(['late'])
  })

  it('opens again after a refusal, with a back-off', async () => {
    const { clock, world, inputs } = open()
    world.refuse = 3
    await clock.advance(30_000)
    expect(world.opened).toEqual(['one'])
    expect(inputs.filter(({ kind }) => kind === 'forge-failed')).toHaveLength(3)
  })

  it('gives the link the labels that changed while it was opening', async () => {
    const { clock, world } = open()
    await clock.advance(100)
    world.labels = ['gpu']
    await clock.advance(1_000)
    expect([world.opened, world.updates]).toEqual([['one'], ['gpu']])
  })

  it('acknowledges a batch after its events are folded, and after its ids are stored', async () => {
    const { clock, inputs, acked, send } = open()
    await clock.advance(1_000)
    send({ kind: 'state', state: { scaleSetId: '7' } })
    await clock.advance(10)
    expect([inputs.length, acked]).toEqual([1, []])
    await clock.advance(100)
    expect(acked).toEqual([1])
  })
})

it('33: gives the forge the grace period of the template. Without one, it is 30 s, also beside a Docker Engine', () => {
  const spec = { terminationGracePeriodSeconds: 3_600 }
  expect(forgeSet(runnerSet({ template: { spec } }), 1).graceSeconds).toBe(3_600)
  expect(forgeSet(runnerSet(), 1).graceSeconds).toBeUndefined()
  expect(buildPod(runnerSet({ docker: 'sidecar' }), 'linux-1', '7').spec['terminationGracePeriodSeconds']).toBe(30)
})
