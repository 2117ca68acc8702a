// The Deployment controller keeps one ReplicaSet for the present template and moves the pods to it (Kubernetes:
// pkg/controller/deployment).
import type { Registry } from '../../api/registry.ts'
import { field, integer, objectAt, sameJson } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { type Reconciliation, startObjectLoop } from '../object-loop.ts'
import { controlledBy, controllerOf, ownerReference } from '../owners.ts'
import { writeStatus } from '../write-status.ts'
import { limitsOf, rolloutOf } from './rollout.ts'
import { hashLabel, replicasOf, templateHash, templateOf, withConditions } from './workload-object.ts'

const deployments = 'deployments.apps'
const sets = 'replicasets.apps'
const revisionName = 'deployment.kubernetes.io/revision'

type Context = Pick<Reconciliation, 'registry' | 'clock' | 'events'>

/** Starts the controller. Returns a function that stops it. */
export function startDeploymentController({ registry, clock }: Omit<Context, 'events'>): () => void {
  const kind = { resource: deployments, kind: 'Deployment', component: 'deployment-controller', owned: [sets] }
  const loop = startObjectLoop({
    registry,
    clock,
    ...kind,
    reconcile: (context, deployment) => {
      if (deployment.metadata.deletionTimestamp === undefined) syncDeployment(context, deployment)
    },
  })
  // A strategy may wait for the end of the last old pod.
  const stopPods = registry.subscribe('pods', ({ type, object }) => {
    const { namespace } = object.metadata
    const set = type === 'DELETED' ? controllerOf(object, 'ReplicaSet') : undefined
    const owner = set && ownerOf(registry.get(sets, namespace, set.name))
    if (owner) loop.wake(namespace, owner.name)
  })
  return () => {
    stopPods()
    loop.stop()
  }
}

function ownerOf(set: StoredObject | undefined): ReturnType<typeof controllerOf> {
  return set && controllerOf(set, 'Deployment')
}

function syncDeployment(context: Context, deployment: StoredObject): void {
  const { registry } = context
  const all = controlledBy(registry, deployment, 'ReplicaSet')
  const isCurrent = (set: StoredObject): boolean => sameJson(templateOf(set), templateOf(deployment))
  const isPaused = field(deployment, 'spec', 'paused') === true
  const current = all.find(isCurrent) ?? (isPaused ? undefined : createSet(context, deployment, all))
  const old = all.filter((set) => set.metadata.uid !== current?.metadata.uid)
  const scales = rolloutOf(deployment, current, old, (set) => controlledBy(registry, set, 'Pod').length)
  for (const { set, replicas } of isPaused ? [] : scales) scale(context, deployment, set, replicas)
  removeOld(registry, deployment, old)
  reportStatus(context, deployment)
}

function createSet({ registry }: Context, deployment: StoredObject, all: readonly StoredObject[]): StoredObject {
  const { name, namespace } = deployment.metadata
  const template = templateOf(deployment)
  const hash = templateHash(template)
  const labels = { ...objectAt(template, 'metadata', 'labels'), [hashLabel]: hash }
  const selector = objectAt(deployment, 'spec', 'selector')
  const newest = [...all].sort(byRevision).at(-1)
  const revision = String((newest === undefined ? 0n : revisionOf(newest)) + 1n)
  const made = registry.create(sets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { [revisionName]: revision },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: 0,
      minReadySeconds: integer(deployment, 'spec', 'minReadySeconds'),
      selector: { ...selector, matchLabels: { ...objectAt(selector, 'matchLabels'), [hashLabel]: hash } },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
    },
  })
  annotate(registry, deployment, revision)
  return made
}

function byRevision(one: StoredObject, other: StoredObject): number {
  return revisionOf(one) < revisionOf(other) ? -1 : 1
}

/** An adopted ReplicaSet may have any number of 64 bits. */
function revisionOf({ metadata }: StoredObject): bigint {
  const text = metadata.annotations?.[revisionName] ?? ''
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n
}

function annotate(registry: Registry, { metadata }: StoredObject, revision: string): void {
  const change = { type: 'merge', body: { metadata: { annotations: { [revisionName]: revision } } } } as const
  registry.patch(deployments, metadata, change)
}

function scale({ registry, events }: Context, { metadata }: StoredObject, set: StoredObject, replicas: number): void {
  const before = replicasOf(set)
  if (before === replicas) return
  const spec = { ...objectAt(set, 'spec'), replicas }
  registry.update(sets, { ...set, spec })
  const way = replicas > before ? 'up' : 'down'
  const message = `Scaled ${way} replica set ${set.metadata.name} from ${before} to ${replicas}`
  if (metadata.deletionTimestamp === undefined) events.record('Normal', 'ScalingReplicaSet', message)
}

/** Removes the oldest ReplicaSets without pods, beyond the limit of the history. */
function removeOld(registry: Registry, deployment: StoredObject, old: readonly StoredObject[]): void {
  const limit = integer(deployment, 'spec', 'revisionHistoryLimit')
  const empty = old.filter((set) => replicasOf(set) === 0 && integer(set, 'status', 'replicas') === 0)
  const oldest = [...empty].sort(byRevision)
  for (const { metadata } of oldest.slice(0, Math.max(0, empty.length - limit))) {
    ignoreRefusal(() => registry.delete(sets, metadata.namespace, metadata.name))
  }
}

function reportStatus({ registry, clock }: Context, deployment: StoredObject): void {
  const all = controlledBy(registry, deployment, 'ReplicaSet')
  const current = all.find((set) => sameJson(templateOf(set), templateOf(deployment)))
  const sum = (of: readonly (StoredObject | undefined)[], name: string): number =>
    of.reduce((total, set) => total + integer(set, 'status', name), 0)
  const [replicas, available] = [sum(all, 'replicas'), sum(all, 'availableReplicas')]
  const [wanted, updated] = [replicasOf(deployment), sum([current], 'replicas')]
  const unavailable = Math.max(0, wanted - available)
  const isAvailable = available >= wanted - limitsOf(deployment).unavailable
  const isDone = updated === wanted && replicas === wanted && available >= wanted
  const name = `ReplicaSet "${current?.metadata.name ?? ''}"`
  const conditions = withConditions(
    deployment,
    [
      isAvailable
        ? {
            type: 'Available',
            status: 'True',
            reason: 'MinimumReplicasAvailable',
            message: 'Deployment has minimum availability.',
          }
        : {
            type: 'Available',
            status: 'False',
            reason: 'MinimumReplicasUnavailable',
            message: 'Deployment does not have minimum availability.',
          },
      isDone
        ? {
            type: 'Progressing',
            status: 'True',
            reason: 'NewReplicaSetAvailable',
            message: `${name} has successfully progressed.`,
          }
        : { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${name} is progressing.` },
    ],
    clock,
  )
  writeStatus(registry, deployments, deployment, {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas,
    updatedReplicas: updated,
    readyReplicas: sum(all, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: unavailable,
    conditions,
  })
}
