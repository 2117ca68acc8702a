// The garbage collector of owned objects removes objects without an owner. It also handles foreground deletion and orphaned dependents.
import type { Clock } from '@dayfly/kit/clock'
import type { Registry } from '../api/registry.ts'
import { sameJson } from '../api/values/json.ts'
import type { OwnerReference, ResourceKey, StoredObject } from '../store/object.ts'
import { subscribeAll } from './all-kinds.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { startLoop } from './loop.ts'
import { resourceOf } from './owners.ts'

/** Starts the garbage collector. Returns a function that stops it. */
export function startOwnerCollector({
  registry,
  clock,
}: {
  readonly registry: Registry
  readonly clock: Clock
}): () => void {
  const gone = goneOwners()
  const loop = startLoop(clock, (key) => {
    const { resource, namespace, name } = readKey(key)
    const object = registry.kinds.get(resource) && registry.get(resource, namespace, name)
    if (object) collect({ registry, gone }, resource, object, enqueue)
  })
  const enqueue = (object: StoredObject) => {
    const resource = resourceOf(registry, object.apiVersion, object.kind)
    if (resource !== undefined) loop.add(writeKey(resource, object))
  }
  const enqueueOwners = (object: StoredObject) => {
    for (const reference of object.metadata.ownerReferences ?? []) {
      const owner = findOwner({ registry, gone }, object, reference)
      if (owner.is === 'waiting') enqueue(owner.object)
    }
  }
  const stop = subscribeAll(registry, clock, (resource, { type, object, before }) => {
    const { ownerReferences, deletionTimestamp, uid } = object.metadata
    if (type === 'DELETED') {
      gone.add(uid)
      for (const dependent of registry.dependents(uid)) enqueue(dependent)
      enqueueOwners(object)
      return
    }
    const hasOtherOwners = !sameJson(before?.metadata.ownerReferences, ownerReferences)
    // An owner that waits for this object may no longer have to.
    if (before && hasOtherOwners) enqueueOwners(before)
    const isRelevant = before?.metadata.deletionTimestamp !== deletionTimestamp || hasOtherOwners
    if (isRelevant && ((ownerReferences ?? []).length > 0 || deletionTimestamp)) loop.add(writeKey(resource, object))
  })
  return () => {
    stop()
    loop.stop()
  }
}

/** The owners that exist, and those that are gone. */
type Owners = { readonly registry: Registry; readonly gone: GoneOwners }

interface GoneOwners {
  add(uid: string): void
  has(uid: string): boolean
}

/** kube-controller-manager remembers the same number. The kind of an owner may be gone together with it, and then nobody can look the owner up. */
const goneMax = 500

function goneOwners(): GoneOwners {
  const uids = new Set<string>()
  return {
    add: (uid) => {
      uids.add(uid)
      const [oldest] = uids
      if (uids.size > goneMax && oldest !== undefined) uids.delete(oldest)
    },
    has: (uid) => uids.has(uid),
  }
}

function writeKey(resource: ResourceKey, { metadata }: StoredObject): string {
  return `${resource} ${metadata.namespace ?? ''} ${metadata.name}`
}

function readKey(key: string) {
  const [resource = '', namespace = '', name = ''] = key.split(' ')
  return { resource, namespace: namespace === '' ? undefined : namespace, name }
}

function collect(
  owners: Owners,
  resource: ResourceKey,
  object: StoredObject,
  enqueue: (object: StoredObject) => void,
): void {
  const { registry } = owners
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (deletionTimestamp === undefined) {
    judge(owners, resource, object)
  } else if (finalizers.includes('orphan')) {
    orphan(registry, object)
    dropFinalizer(registry, resource, object, 'orphan')
  } else if (finalizers.includes('foregroundDeletion')) {
    releaseWhenEmpty(registry, resource, object, enqueue)
  }
}

/** Background deletion: an object exists as long as one of its owners. Owners match by uid; an owner in another namespace counts as absent. */
function judge(owners: Owners, resource: ResourceKey, object: StoredObject): void {
  const { registry } = owners
  const references = object.metadata.ownerReferences ?? []
  const found = references.map((reference) => ({ reference, owner: findOwner(owners, object, reference) }))
  const lost = found.filter(({ owner }) => owner.is === 'absent' || owner.is === 'waiting')
  if (lost.length === 0) return
  if (lost.length < found.length) {
    const ownerReferences = found.filter((one) => !lost.includes(one)).map(({ reference }) => reference)
    write(registry, resource, { ...object, metadata: { ...object.metadata, ownerReferences } })
    return
  }
  const isAwaited = lost.some(({ owner }) => owner.is === 'waiting')
  const dependents = registry.dependents(object.metadata.uid)
  const hasDependents = dependents.length > 0
  if (isAwaited && dependents.some(isWaiting)) unblockOwners(registry, resource, object)
  ignoreRefusal(() => {
    registry.delete(resource, object.metadata.namespace, object.metadata.name, {
      preconditions: { uid: object.metadata.uid },
      propagationPolicy: isAwaited && hasDependents ? 'Foreground' : 'Background',
    })
  })
}

/** A dependent that waits for its own dependents may close a circle, in which each object would wait for the next one. */
function unblockOwners(registry: Registry, resource: ResourceKey, object: StoredObject): void {
  const { ownerReferences = [] } = object.metadata
  const unblocked = ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false }))
  write(registry, resource, { ...object, metadata: { ...object.metadata, ownerReferences: unblocked } })
}

type Owner =
  | { readonly is: 'solid' }
  /** The owner is being deleted in the foreground and waits for its dependents. */
  | { readonly is: 'waiting'; readonly object: StoredObject }
  | { readonly is: 'absent' }
  /** The owner's kind is unknown, or a namespaced owner has a cluster-wide dependent. The object is never collected. */
  | { readonly is: 'unknown' }

function findOwner({ registry, gone }: Owners, dependent: StoredObject, reference: OwnerReference): Owner {
  const { apiVersion, kind, name, uid } = reference
  if (gone.has(uid)) return { is: 'absent' }
  const resource = resourceOf(registry, apiVersion, kind)
  const { namespace } = dependent.metadata
  if (resource === undefined) return { is: 'unknown' }
  if (registry.kinds.get(resource)?.namespaced && namespace === undefined) return { is: 'unknown' }
  const object = registry.get(resource, namespace, name)
  if (object?.metadata.uid !== uid) return { is: 'absent' }
  return isWaiting(object) ? { is: 'waiting', object } : { is: 'solid' }
}

/** Returns whether the object is being deleted in the foreground. */
function isWaiting({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata
  return deletionTimestamp !== undefined && finalizers.includes('foregroundDeletion')
}

function orphan(registry: Registry, owner: StoredObject): void {
  for (const dependent of registry.dependents(owner.metadata.uid)) {
    const resource = resourceOf(registry, dependent.apiVersion, dependent.kind)
    const rest = (dependent.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid)
    if (resource)
      write(registry, resource, { ...dependent, metadata: { ...dependent.metadata, ownerReferences: rest } })
  }
}

/** Foreground deletion: all dependents are deleted, and those with `blockOwnerDeletion` hold the owner until they are gone. */
function releaseWhenEmpty(
  registry: Registry,
  resource: ResourceKey,
  owner: StoredObject,
  enqueue: (object: StoredObject) => void,
): void {
  const { uid } = owner.metadata
  const dependents = registry.dependents(uid)
  for (const dependent of dependents) if (dependent.metadata.deletionTimestamp === undefined) enqueue(dependent)
  const isHeld = dependents.some(({ metadata }) =>
    metadata.ownerReferences?.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true),
  )
  if (!isHeld) dropFinalizer(registry, resource, owner, 'foregroundDeletion')
}

function dropFinalizer(registry: Registry, resource: ResourceKey, object: StoredObject, finalizer: string): void {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer)
  write(registry, resource, { ...object, metadata: { ...object.metadata, finalizers } })
}

function write(registry: Registry, resource: ResourceKey, object: StoredObject): void {
  ignoreRefusal(() => void registry.update(resource, object))
}
