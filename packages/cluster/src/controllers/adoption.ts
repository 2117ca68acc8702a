// Gives pods and ReplicaSets without an owner to a controller whose selector matches them, and takes away those that no longer
// match (Kubernetes: pkg/controller/controller_ref_manager.go).
import type { Clock } from '@dayfly/kit/clock'
import type { Profile } from '../api/api.ts'
import type { Registry } from '../api/registry.ts'
import { field, sameJson, size } from '../api/values/json.ts'
import { matchesLabels } from '../api/values/match-labels.ts'
import { hasEnded } from '../api/values/pod-state.ts'
import type { ResourceKey, StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import type { JobTracking } from './job/job-context.ts'
import { asJob, isFinished, isManagedElsewhere } from './job/job-object.ts'
import { trackingFinalizer } from './job/job-pod.ts'
import { startLoop } from './loop.ts'
import { controllerOfAny, ownerReference } from './owners.ts'
import { isDeleting } from './pods.ts'

type Options = {
  readonly registry: Registry
  readonly clock: Clock
  readonly profile: Profile
  readonly tracking?: JobTracking | undefined
}

/** The owners of a kind, and what they own. */
const relations = [
  { owners: 'replicasets.apps', kind: 'ReplicaSet', owned: 'pods' },
  { owners: 'jobs.batch', kind: 'Job', owned: 'pods' },
  { owners: 'deployments.apps', kind: 'Deployment', owned: 'replicasets.apps' },
] as const

/** Starts it. Returns a function that stops it. */
export function startAdoption(options: Options): () => void {
  const { registry, clock } = options
  const loop = startLoop(clock, (key) => {
    const [resource = '', namespace, name = ''] = key.split(' ')
    const object = registry.get(resource, namespace, name)
    if (object !== undefined && !isDeleting(object)) settle(options, resource, object)
  })
  const add = (resource: ResourceKey, { metadata }: StoredObject): void =>
    loop.add(`${resource} ${metadata.namespace} ${metadata.name}`)
  const stops = (['pods', 'replicasets.apps'] as const).map((resource) =>
    registry.subscribe(resource, ({ type, object, before }) => {
      const isNew = !sameJson(before?.metadata.labels, object.metadata.labels)
      const isFree = !sameJson(before?.metadata.ownerReferences, object.metadata.ownerReferences)
      if (type !== 'DELETED' && (before === undefined || isNew || isFree)) add(resource, object)
    }),
  )
  for (const { owners, owned } of relations) {
    const stop = registry.subscribe(owners, ({ type, object }) => {
      if (type !== 'ADDED') return
      // At once: a Deployment that does not know its ReplicaSet would make another one.
      for (const free of registry.list(owned, object.metadata.namespace)) {
        if (controllerOfAny(free) === undefined && matches(object, free)) settle(options, owned, free)
      }
    })
    stops.push(stop)
  }
  return () => {
    for (const stop of stops) stop()
    loop.stop()
  }
}

function settle(options: Options, resource: ResourceKey, object: StoredObject): void {
  const { registry, profile } = options
  const { namespace } = object.metadata
  const rests = (owner: StoredObject) => owner.kind === 'Job' && isAtRest(owner, profile)
  const controller = controllerOfAny(object)
  for (const { owners, kind } of relations.filter(({ owned }) => owned === resource)) {
    if (controller === undefined) {
      const owner = registry
        .list(owners, namespace)
        .find((one) => !isDeleting(one) && !rests(one) && matches(one, object))
      if (owner === undefined) continue
      adopt(options, resource, object, owner)
      return
    } else if (controller.kind === kind) {
      const owner = registry.get(owners, namespace, controller.name)
      if (owner?.metadata.uid === controller.uid && !rests(owner) && !matches(owner, object))
        release(options, resource, object, owner)
    }
  }
}

/** The Job controller leaves alone a Job that has finished, or that another controller manages. */
function isAtRest(object: StoredObject, profile: Profile): boolean {
  const job = asJob(object)
  return isFinished(job) || isManagedElsewhere(job, profile)
}

function adopt(
  { registry, tracking = 'finalizers' }: Options,
  resource: ResourceKey,
  object: StoredObject,
  owner: StoredObject,
): void {
  const { ownerReferences = [], finalizers = [] } = object.metadata
  const isCounted = owner.kind === 'Job' && tracking === 'finalizers' && !hasEnded(object)
  const kept = finalizers.filter((finalizer) => finalizer !== trackingFinalizer)
  write(registry, resource, object, {
    ownerReferences: [...ownerReferences, ownerReference(owner)],
    finalizers: isCounted ? [...kept, trackingFinalizer] : finalizers,
  })
}

function release({ registry }: Options, resource: ResourceKey, object: StoredObject, owner: StoredObject): void {
  const { ownerReferences = [], finalizers = [] } = object.metadata
  write(registry, resource, object, {
    ownerReferences: ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid),
    finalizers: finalizers.filter((finalizer) => finalizer !== trackingFinalizer),
  })
}

function write(registry: Registry, resource: ResourceKey, object: StoredObject, change: object): void {
  ignoreRefusal(() => void registry.update(resource, { ...object, metadata: { ...object.metadata, ...change } }))
}

/** An empty selector would match everything. */
function matches(owner: StoredObject, { metadata }: StoredObject): boolean {
  const selector = field(owner, 'spec', 'selector')
  const isEmpty = size(selector, 'matchLabels') === 0 && !Array.isArray(field(selector, 'matchExpressions'))
  return !isEmpty && matchesLabels(selector, metadata.labels)
}
