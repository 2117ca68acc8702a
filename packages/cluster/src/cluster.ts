// The embedded cluster: a Kubernetes of one machine in this process. Several can run side by side. Each has its own
// store, node and runtime.
import { type Certificate, selfSignedCertificate } from '@dayfly/kit/certificate'
import type { Clock } from '@dayfly/kit/clock'
import type { Answer, Request, Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { Profile } from './api/api.ts'
import { createRegistry } from './api/create-registry.ts'
import type { Registry } from './api/registry.ts'
import { createSystemObjects, publishServer } from './api/system-objects.ts'
import { createTokens } from './api/tokens.ts'
import { startAdoption } from './controllers/adoption.ts'
import { startDisruptionController } from './controllers/disruption/disruption-controller.ts'
import { startFinishedJobCollector } from './controllers/finished-job-collector.ts'
import { type JobControllerOptions, startJobController } from './controllers/job/job-controller.ts'
import { startNamespaceCollector } from './controllers/namespace-collector.ts'
import { startNamespaceDefaults } from './controllers/namespace-defaults.ts'
import { startNodeHealth } from './controllers/node/node-health.ts'
import { startNodeTaints } from './controllers/node/node-taints.ts'
import { startTaintEviction } from './controllers/node/taint-eviction.ts'
import { startOwnerCollector } from './controllers/owner-collector.ts'
import { startPodCollector } from './controllers/pod-collector.ts'
import { startRoleAggregation } from './controllers/role-aggregation.ts'
import { startScheduler } from './controllers/scheduler.ts'
import { startDeploymentController } from './controllers/workload/deployment-controller.ts'
import { startReplicaSetController } from './controllers/workload/replica-set-controller.ts'
import { createKubeletSwitch, type KubeletSwitch } from './kubelet/kubelet-switch.ts'
import type { NodeDescription } from './kubelet/node-object.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { DataDirectory } from './store/data-directory.ts'
import { createStore } from './store/store.ts'
import { createApiHandler } from './wire/api-server.ts'
import { bearerAuthentication, knownIdentity } from './wire/authentication.ts'
import { type Endpoint, openEndpoint } from './wire/endpoint.ts'
import { createRequestLog, type RequestLog } from './wire/request-log.ts'

export type ClusterOptions = {
  readonly clock: Clock
  readonly random: Random
  /** The cluster closes the runtime when it stops. */
  readonly runtime: Runtime
  readonly profile?: Profile
  /** The certificate of the API server and the key of its tokens. The default is new ones. */
  readonly identity?: { readonly certificate: Certificate; readonly tokenKey: string } | undefined
  /** Keeps the objects beyond the end of the cluster. Without it, they are in memory only. */
  readonly data?: DataDirectory | undefined
  readonly node?: Partial<NodeDescription>
  /**
   * The maximum number of finished pods in the whole cluster. Above it, the oldest are removed; 0 removes none.
   * Default: 12,500, as in kube-controller-manager.
   */
  readonly terminatedPodGcThreshold?: number
  /** How long the cluster keeps an Event after its last write, in milliseconds. Default: one hour, as in kube-apiserver. */
  readonly eventTtlMs?: number
  /** How the Job controller counts finished pods, and the limit of its client. */
  readonly jobs?: Pick<JobControllerOptions, 'tracking' | 'requestsPerSecond'>
  /** The users that may connect over HTTP: the user's name by bearer token. */
  readonly users?: ReadonlyMap<string, string>
  /** Receives internal errors of the API server. The client gets a 500. */
  readonly onError?: (error: unknown, request: Request) => void
}

export interface Cluster {
  readonly registry: Registry
  readonly requestLog: RequestLog
  readonly kubelet: Pick<KubeletSwitch, 'stop' | 'start'>
  /** Answers requests with bearer tokens, as over HTTP. */
  readonly handler: (request: Request) => Promise<Answer>
  /** Returns a transport for callers in this process. They are identified by name. */
  transport(identity: string): Transport
  /** Serves the API on 127.0.0.1 over TLS. Without a port, it uses a free one. */
  listen(port?: number): Promise<Endpoint>
  /** Ends every container and closes every endpoint. No process, directory or timer remains. */
  stop(): Promise<void>
}

/** The default node. Its capacity exceeds what any test or demo needs. */
const defaultNode: NodeDescription = {
  name: 'dayfly',
  capacity: { cpu: '1000', 'ephemeral-storage': '4Ti', memory: '4Ti', pods: '10000' },
}

/** Starts a cluster. It is ready when this returns. */
export function createCluster(options: ClusterOptions): Cluster {
  const { clock, random, runtime, profile = '1.36', users = new Map(), onError } = options
  const { terminatedPodGcThreshold = 12_500, eventTtlMs } = options
  const store = createStore({ data: options.data })
  const registry = createRegistry({ store, clock, random, profile, eventTtlMs })
  const tokens = createTokens(registry, clock, options.identity?.tokenKey)
  const certificate = options.identity?.certificate ?? selfSignedCertificate(clock.now())
  createSystemObjects(registry)
  const stopControllers = [
    startScheduler({ registry, clock }),
    startNodeHealth({ registry, clock }),
    startNodeTaints({ registry, clock }),
    startTaintEviction({ registry, clock }),
    startOwnerCollector({ registry, clock }),
    startNamespaceCollector({ registry, clock, profile }),
    startRoleAggregation({ registry, clock }),
    startNamespaceDefaults({ registry, tokens, certificate: certificate.cert }),
    startJobController({ registry, clock, profile, ...options.jobs }),
    startFinishedJobCollector({ registry, clock }),
    startDeploymentController({ registry, clock }),
    startReplicaSetController({ registry, clock }),
    startAdoption({ registry, clock, profile, tracking: options.jobs?.tracking }),
    startDisruptionController({ registry, clock }),
    startPodCollector({ registry, clock, threshold: terminatedPodGcThreshold }),
  ]
  const node = { ...defaultNode, ...options.node }
  const endpoints = new Set<Endpoint>()
  const address = () => [...endpoints].map(({ port }) => ({ host: '127.0.0.1', port }))[0]
  const access = { tokens, address }
  const kubelet = createKubeletSwitch({ registry, runtime, clock, node, access, version: `v${profile}.0` })
  registry.replay()
  const requestLog = createRequestLog()
  const backend = { registry, tokens, node: kubelet.api, clock, random, profile, requestLog }
  const handler = createApiHandler({ ...backend, authenticate: bearerAuthentication(users, tokens) })
  const listen = async (port?: number) => {
    const endpoint = await openEndpoint(handler, { clock, certificate, port, onError })
    endpoints.add(endpoint)
    publishServer(registry, { host: '127.0.0.1', port: endpoint.port })
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
