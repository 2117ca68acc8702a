// The production client on the embedded API server alone, in one process.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { knownIdentity } from '@dayfly/cluster/wire/authentication'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'

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
