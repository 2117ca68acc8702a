// The namespace controller empties a namespace that is being deleted, pods first. It reports in the namespace's conditions what remains.
import type { Clock } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Profile } from '../api/api.ts'
import type { Kind } from '../api/kind.ts'
import type { Registry } from '../api/registry.ts'
import { field, isObject } from '../api/values/json.ts'
import type { StoredObject } from '../store/object.ts'
import { subscribeAll } from './all-kinds.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { startLoop } from './loop.ts'

export type NamespaceCollectorOptions = {
  readonly registry: Registry
  readonly clock: Clock
  readonly profile: Profile
}

/** Starts the namespace controller. Returns a function that stops it. */
export function startNamespaceCollector({ registry, clock, profile }: NamespaceCollectorOptions): () => void {
  // The feature gate OrderedNamespaceDeletion is on since Kubernetes 1.33.
  const podsFirst = Number(profile.split('.')[1]) >= 33
  const loop = startLoop(clock, (name) => {
    const namespace = registry.get('namespaces', undefined, name)
    if (namespace?.metadata.deletionTimestamp === undefined) return
    const remaining = empty(registry, name, podsFirst)
    if (remaining.length > 0) report(registry, clock, namespace, remaining)
    else finalize(registry, clock, namespace)
  })
  const stop = subscribeAll(registry, clock, (resource, { type, object }) => {
    const { namespace, name, deletionTimestamp } = object.metadata
    if (resource === 'namespaces') {
      if (type !== 'DELETED' && deletionTimestamp !== undefined) loop.add(name)
    } else if (namespace !== undefined && isTerminating(registry, namespace)) loop.add(namespace)
  })
  return () => {
    stop()
    loop.stop()
  }
}

function isTerminating(registry: Registry, name: string): boolean {
  return registry.get('namespaces', undefined, name)?.metadata.deletionTimestamp !== undefined
}

type Remaining = { readonly kind: Kind; readonly objects: readonly StoredObject[] }

/** Deletes everything in the namespace, or only its pods while there are any. Returns what still exists afterwards. */
function empty(registry: Registry, namespace: string, podsFirst: boolean): readonly Remaining[] {
  const kinds = registry.kinds.all().filter(({ namespaced }) => namespaced)
  const rest = (of: readonly Kind[]) =>
    of
      .map((kind) => ({ kind, objects: registry.list(kind.resource, namespace) }))
      .filter(({ objects }) => objects.length > 0)
  const deleteAll = (of: readonly Kind[]) => {
    for (const { kind, objects } of rest(of)) {
      for (const object of objects) deleteOne(registry, kind, object)
    }
    return rest(of)
  }
  if (podsFirst) {
    const pods = deleteAll(kinds.filter(({ resource }) => resource === 'pods'))
    if (pods.length > 0) return pods
  }
  return deleteAll(kinds)
}

function deleteOne(registry: Registry, { resource }: Kind, { metadata }: StoredObject): void {
  if (metadata.deletionTimestamp !== undefined) return
  ignoreRefusal(() => {
    registry.delete(resource, metadata.namespace, metadata.name, {
      preconditions: { uid: metadata.uid },
      propagationPolicy: 'Background',
    })
  })
}

function report(registry: Registry, clock: Clock, namespace: StoredObject, remaining: readonly Remaining[]): void {
  const counts = remaining.map(({ kind, objects }) => `${kind.resource}. has ${objects.length} resource instances`)
  const finalizers = new Map<string, number>()
  for (const { objects } of remaining) {
    for (const finalizer of objects.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
    }
  }
  const held = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort()
  const content = `Some resources are remaining: ${counts.join(', ')}`
  const waiting = `Some content in the namespace has finalizers remaining: ${held.join(', ')}`
  setConditions(registry, clock, namespace, [
    ...deletionConditions,
    ['NamespaceContentRemaining', 'True', 'SomeResourcesRemain', content],
    held.length > 0
      ? ['NamespaceFinalizersRemaining', 'True', 'SomeFinalizersRemain', waiting]
      : ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers', noFinalizers],
  ])
}

type Condition = readonly [type: string, status: 'True' | 'False', reason: string, message: string]

const noFinalizers = 'All content-preserving finalizers finished'

const deletionConditions: readonly Condition[] = [
  ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    'False',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ],
  [
    'NamespaceDeletionContentFailure',
    'False',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
]

function setConditions(
  registry: Registry,
  clock: Clock,
  namespace: StoredObject,
  conditions: readonly Condition[],
): void {
  const status = isObject(namespace['status']) ? namespace['status'] : {}
  const known = Array.isArray(status['conditions']) ? status['conditions'].filter(isObject) : []
  const next = conditions.map(([type, state, reason, message]) => {
    const before = known.find((condition) => condition['type'] === type)
    const since = before?.['status'] === state ? before['lastTransitionTime'] : timestamp(clock.now())
    return { type, status: state, lastTransitionTime: since, reason, message }
  })
  registry.update('namespaces', { ...namespace, status: { ...status, conditions: next } }, { subresource: 'status' })
}

/** Removes its own entry from `spec.finalizers`. The API server then removes the namespace, unless another finalizer holds it. */
function finalize(registry: Registry, clock: Clock, namespace: StoredObject): void {
  const finalizers = field(namespace, 'spec', 'finalizers')
  const rest = Array.isArray(finalizers) ? finalizers.filter((one) => one !== 'kubernetes') : []
  if (!Array.isArray(finalizers) || finalizers.length === rest.length) return
  setConditions(registry, clock, namespace, [
    ...deletionConditions,
    ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed'],
    ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers', noFinalizers],
  ])
  const current = registry.get('namespaces', undefined, namespace.metadata.name) ?? namespace
  registry.update('namespaces', { ...current, spec: { finalizers: rest } }, { subresource: 'finalize' })
}
