// The embedded cluster: a Kubernetes of one machine in this process. Several may live side by side; each owns its store, its node and its runtime.
import type { Clock } from '../lib/clock.ts'
import type { Answer, Request, Transport } from '../lib/http.ts'
import type { Random } from '../lib/random.ts'
import type { Profile } from './api/api.ts'
import { createRegistry } from './api/create-registry.ts'
import type { Registry } from './api/registry.ts'
import { startEventExpiry } from './controllers/event-expiry.ts'
import { startFinishedJobCollector } from './controllers/finished-job-collector.ts'
import { startJobController } from './controllers/job/job-controller.ts'
import { startNamespaceCollector } from './controllers/namespace-collector.ts'
import { startOwnerCollector } from './controllers/owner-collector.ts'
import { startPodCollector } from './controllers/pod-collector.ts'
import { startScheduler } from './controllers/scheduler.ts'
import { createKubeletSwitch, type KubeletSwitch } from './kubelet/kubelet-switch.ts'
import type { NodeDescription } from './kubelet/node-object.ts'
import type { Runtime } from './runtime/runtime.ts'
import { createStore } from './store/store.ts'
import { createApiHandler } from './wire/api-server.ts'
import { bearerAuthentication, knownIdentity } from './wire/authentication.ts'
import { type Endpoint, openEndpoint } from './wire/endpoint.ts'
import { createRequestLog, type RequestLog } from './wire/request-log.ts'

export type ClusterOptions = {
  readonly clock: Clock
  readonly random: Random
  /** The cluster closes it when it stops. */
  readonly runtime: Runtime
  readonly profile?: Profile
  readonly node?: Partial<NodeDescription>
  /** The most finished pods in the whole cluster before the oldest are removed; 0: any number. Kubernetes: kube-controller-manager, 12,500. */
  readonly terminatedPodGcThreshold?: number
  /** Who may come over HTTP: the user's name by bearer token. */
  readonly users?: ReadonlyMap<string, string>
  /** Told when the API server itself breaks while it answers; the client gets a 500. */
  readonly onError?: (error: unknown, request: Request) => void
}

export interface Cluster {
  readonly registry: Registry
  readonly requestLog: RequestLog
  readonly kubelet: Pick<KubeletSwitch, 'stop' | 'start'>
  /** Answers as over HTTP: by bearer token. */
  readonly handler: (request: Request) => Promise<Answer>
  /** For callers in this process, who are known by name. */
  transport(identity: string): Transport
  /** Serves the API on 127.0.0.1, over TLS; without a port a free one is taken. */
  listen(port?: number): Promise<Endpoint>
  /** Ends every container and closes what listens. Nothing is left: no process, no directory, no timer. */
  stop(): Promise<void>
}

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** The room of a node where nothing else is said: as much as any test or demo asks for. */
const defaultNode: NodeDescription = { name: 'dayfly', capacity: { cpu: '1000', memory: '4Ti', pods: '10000' } }

/** Starts it; everything stands when this returns. */
export function createCluster(options: ClusterOptions): Cluster {
  const { clock, random, runtime, profile = '1.36', users = new Map(), onError } = options
  const { terminatedPodGcThreshold = 12_500 } = options
  const registry = createRegistry({ store: createStore(), clock, random, profile })
  for (const name of namespaces) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  const stopControllers = [
    startScheduler({ registry, clock }),
    startOwnerCollector({ registry, clock }),
    startNamespaceCollector({ registry, clock, profile }),
    startEventExpiry({ registry, clock }),
    startJobController({ registry, clock, profile }),
    startFinishedJobCollector({ registry, clock }),
    startPodCollector({ registry, clock, threshold: terminatedPodGcThreshold }),
  ]
  const node = { ...defaultNode, ...options.node }
  const kubelet = createKubeletSwitch({ registry, runtime, clock, node, version: `v${profile}.0` })
  const requestLog = createRequestLog()
  const backend = { registry, node: kubelet.api, clock, random, profile, requestLog }
  const handler = createApiHandler({ ...backend, authenticate: bearerAuthentication(users) })
  const endpoints = new Set<Endpoint>()
  const listen = async (port?: number) => {
    const endpoint = await openEndpoint(handler, { clock, port, onError })
    endpoints.add(endpoint)
    return endpoint
  }
  const stop = async () => {
    for (const stopController of stopControllers) stopController()
    kubelet.stop()
    await Promise.all([...endpoints].map((endpoint) => endpoint.close()))
    await runtime.close()
    await kubelet.settled()
  }
  const transport = (identity: string) => createApiHandler({ ...backend, authenticate: knownIdentity(identity) })
  return { registry, requestLog, kubelet, handler, transport, listen, stop }
}
