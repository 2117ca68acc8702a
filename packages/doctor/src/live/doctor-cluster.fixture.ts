// A cluster for tests of the live doctor: the embedded API server alone, in process, with ARC's kinds. It records every request.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import type { Registry } from '@dayfly/cluster/api/registry'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { knownIdentity } from '@dayfly/cluster/wire/authentication'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import type { Clock } from '@dayfly/kit/clock'
import type { Answer, Request, Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { fieldsAt, textAt } from '@dayfly/kit/read-json'
import { timestamp } from '@dayfly/kit/timestamp'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { createInquiry } from '@dayfly/kubernetes/inquiry'

export const arcKinds = {
  EphemeralRunner: 'ephemeralrunners.actions.github.com',
  EphemeralRunnerSet: 'ephemeralrunnersets.actions.github.com',
  AutoscalingRunnerSet: 'autoscalingrunnersets.actions.github.com',
  AutoscalingListener: 'autoscalinglisteners.actions.github.com',
} as const

export type DoctorCluster = ReturnType<typeof openDoctorCluster>

/** `intercept` answers in place of the API server, or passes the request on. */
export function openDoctorCluster(intercept: (request: Request) => Answer | undefined = () => undefined) {
  const time = virtualClock()
  // Sleeping advances the time, so that a test never waits.
  const clock: Clock = { ...time, sleep: async (ms) => time.advance(ms) }
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  const node = silentNode
  const authenticate = knownIdentity('doctor')
  const handler = createApiHandler({
    registry,
    node,
    clock,
    random,
    profile: '1.36',
    authenticate,
    requestLog: createRequestLog(),
  })
  const requests: Request[] = []
  const transport: Transport = async (request) => {
    requests.push(request)
    return intercept(request) ?? handler(request)
  }
  for (const name of ['runners', 'arc-system']) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  for (const [kind, resource] of Object.entries(arcKinds)) registry.create(definitions, definitionOf(kind, resource))
  const kubernetes = createKubernetes({ transport, clock, random })
  const inquiry = createInquiry({ transport, clock, random })
  return { registry, clock, kubernetes, inquiry, requests }
}

const definitions = 'customresourcedefinitions.apiextensions.k8s.io'

/** A custom kind with an open schema, like ARC's pod templates. `resource` is `plural.group`. */
export function definitionOf(kind: string, resource: string) {
  const plural = resource.slice(0, resource.indexOf('.'))
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: resource },
    spec: {
      group: resource.slice(plural.length + 1),
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    },
  }
}

export type Metadata = {
  readonly name: string
  readonly namespace?: string
  readonly labels?: object
  readonly annotations?: object
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly object[]
}

/** Creates one of ARC's objects, with its status. */
export function createArc(registry: Registry, kind: keyof typeof arcKinds, metadata: Metadata, fields: object = {}) {
  const object = { apiVersion: 'actions.github.com/v1alpha1', kind, metadata: { namespace: 'runners', ...metadata } }
  return registry.create(arcKinds[kind], { ...object, ...fields })
}

export function ownedBy(owner: {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly uid: string }
}) {
  const { apiVersion, kind, metadata } = owner
  return [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true }]
}

export type PodLook = {
  readonly phase: string
  readonly runner?: object | undefined
  readonly docker?: object | undefined
  readonly restartPolicy?: string
  readonly node?: string | undefined
}

/** Creates a runner's pod with Docker beside it, bound to a node, with the status that its kubelet would report. */
export function createPod(registry: Registry, metadata: Metadata, look: PodLook) {
  const { phase, runner, docker, restartPolicy = 'Never', node = 'node-1' } = look
  const spec = {
    restartPolicy,
    containers: [
      { name: 'runner', image: 'ghcr.io/actions/actions-runner:2', env: [{ name: 'ACTIONS_RUNNER_INPUT_JITCONFIG' }] },
      { name: 'docker', image: 'docker:dind', securityContext: { privileged: true } },
    ],
  }
  const at = { namespace: 'runners', ...metadata, labels: { ...jobLabels(registry, metadata), ...metadata.labels } }
  registry.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: at, spec })
  registry.bind(at.namespace, at.name, node)
  return setPodStatus(registry, at, { phase, runner, docker })
}

/** The labels by which the Job controller recognizes its pods. */
function jobLabels(registry: Registry, { namespace = 'runners', ownerReferences = [] }: Metadata): object {
  const name = ownerReferences.flatMap((owner) =>
    textAt(owner, 'kind') === 'Job' ? (textAt(owner, 'name') ?? []) : [],
  )
  const job = name[0] === undefined ? undefined : registry.get('jobs.batch', namespace, name[0])
  return fieldsAt(job, 'spec', 'selector', 'matchLabels') ?? {}
}

/** Ends each deleted pod at once, as its kubelet would after a while. Returns a function that stops it. */
export function endDeletedPods(registry: Registry): () => void {
  return registry.subscribe('pods', ({ type, object }) => {
    const { namespace, name, deletionTimestamp, finalizers = [] } = object.metadata
    if (type === 'DELETED' || deletionTimestamp === undefined || finalizers.length > 0) return
    queueMicrotask(() => {
      if (registry.get('pods', namespace, name)?.metadata.uid !== object.metadata.uid) return
      registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
    })
  })
}

export function setPodStatus(
  registry: Registry,
  at: { readonly namespace: string; readonly name: string },
  { phase, runner, docker }: PodLook,
) {
  const pod = registry.get('pods', at.namespace, at.name)
  const containerStatuses = [
    ...(runner ? [containerStatus('runner', runner)] : []),
    ...(docker ? [containerStatus('docker', docker)] : []),
  ]
  return registry.update('pods', { ...pod, status: { phase, containerStatuses } }, { subresource: 'status' })
}

function containerStatus(name: string, state: object) {
  return { name, image: 'x', imageID: '', ready: 'running' in state, restartCount: 0, state }
}

export function ended(clock: Clock, agoMs = 600_000, exitCode = 0) {
  const finishedAt = timestamp(clock.now() - agoMs)
  return { terminated: { exitCode, reason: 'Completed', startedAt: finishedAt, finishedAt } }
}

export function running(clock: Clock) {
  return { running: { startedAt: timestamp(clock.now()) } }
}

export const waiting = { waiting: { reason: 'ContainerCreating' } }
