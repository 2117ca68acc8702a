// The production client on the embedded API server alone, in one process.

import { createRegistry } from '../src/embedded/api/create-registry.ts'
import { silentNode } from '../src/embedded/api/silent-node.fixture.ts'
import { createStore } from '../src/embedded/store/store.ts'
import { createApiHandler } from '../src/embedded/wire/api-server.ts'
import { knownIdentity } from '../src/embedded/wire/authentication.ts'
import { createRequestLog } from '../src/embedded/wire/request-log.ts'
import { createKubernetes } from '../src/kubernetes/client.ts'
import type { Kubernetes } from '../src/kubernetes/kubernetes.ts'
import { seededRandom } from '../src/lib/random.ts'
import { virtualClock } from '../src/lib/virtual-clock.ts'

/** Returns a client. The API server has one namespace. */
export function embeddedKubernetes(namespace: string): Kubernetes {
  const clock = virtualClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  registry.create('namespaces', { metadata: { name: namespace } })
  const node = silentNode
  const requestLog = createRequestLog()
  const authenticate = knownIdentity('dayfly')
  const transport = createApiHandler({ registry, node, clock, random, profile: '1.36', requestLog, authenticate })
  return createKubernetes({ transport, clock, random })
}
