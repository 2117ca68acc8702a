// DELETE: removes an object at once, gracefully, or when its last finalizer is removed.
// Source:
// https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go
import { timestamp } from '@dayfly/kit/timestamp'
import { deepFreeze, keyOf, type ObjectMeta, type ResourceKey, type StoredObject } from '../../store/object.ts'
import { type Api, kindOf } from '../api.ts'
import { conflict, forbidden, notFound } from '../errors.ts'
import type { Kind } from '../kind.ts'
import type { DeleteOptions, Preconditions } from '../registry.ts'
import { awaitsFinalize } from '../rules/namespace.ts'
import { rulesOf } from '../rules/rulebook.ts'
import { sameJson } from '../values/json.ts'

type Deleted = { readonly object: StoredObject; readonly gone: boolean }

const protectedNamespaces = ['default', 'kube-system', 'kube-public']

export function remove(
  api: Api,
  resource: ResourceKey,
  at: { readonly namespace: string | undefined; readonly name: string },
  options: DeleteOptions,
): Deleted {
  const kind = kindOf(api, resource)
  const key = keyOf(kind.namespaced ? at.namespace : undefined, at.name)
  const current = api.store.get(resource, key)
  if (current === undefined) throw notFound(kind, at.name)
  if (resource === 'namespaces' && protectedNamespaces.includes(at.name)) {
    throw forbidden(kind, at.name, 'this namespace may not be deleted')
  }
  checkPreconditions(kind, current, options.preconditions ?? {})
  const stop = gracefulStop(api, kind, current, options.gracePeriodSeconds)
  if (stop.is === 'pending') return { object: current, gone: false }
  const marked = mark(api, kind, current, { stop, policy: options.propagationPolicy })
  const held = (marked.metadata.finalizers ?? []).length > 0 || awaitsFinalize(marked)
  const gone = !held && (stop.is === 'none' || stop.metadata.deletionGracePeriodSeconds === 0)
  // An object that is removed at once is not marked first. Kinds that stop gracefully are: their watchers see both
  // events.
  const next = gone && stop.is === 'none' ? current : marked
  if (options.dryRun === true) return { object: deepFreeze(next), gone }
  const written = sameJson(next, current) ? current : api.store.put(resource, next)
  if (!gone) return { object: written, gone }
  return { object: api.store.remove(resource, key) ?? written, gone }
}

function checkPreconditions(kind: Kind, current: StoredObject, wanted: Preconditions): void {
  const { uid, resourceVersion, name } = current.metadata
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    const why = `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    throw conflict(kind, name, why)
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`
    throw conflict(kind, name, why)
  }
}

type Stop =
  /** The kind has no grace period, or the grace period is over. */
  | { readonly is: 'none' }
  /** A deletion is under way and this request asks for no shorter grace period. */
  | { readonly is: 'pending' }
  | {
      readonly is: 'graceful'
      readonly metadata: Pick<ObjectMeta, 'deletionTimestamp' | 'deletionGracePeriodSeconds' | 'generation'>
    }

function gracefulStop(api: Api, kind: Kind, current: StoredObject, asked: number | undefined): Stop {
  const { grace } = rulesOf(kind)
  if (grace === undefined) return { is: 'none' }
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = current.metadata
  const now = api.clock.now()
  const wanted = asked !== undefined && asked < 0 ? 1 : asked
  if (deletionTimestamp === undefined) {
    const seconds = grace(current, wanted)
    const next = generation === undefined ? {} : { generation: generation + 1 }
    const deletion = { deletionTimestamp: timestamp(now + seconds * 1000), deletionGracePeriodSeconds: seconds }
    return { is: 'graceful', metadata: { ...deletion, ...next } }
  }
  if ((deletionGracePeriodSeconds ?? 0) === 0 || deletionGracePeriodSeconds === undefined) return { is: 'none' }
  if (wanted === undefined || wanted >= deletionGracePeriodSeconds) return { is: 'pending' }
  // The deadline becomes what it would have been with the shorter grace period, but never lies in the past.
  const deadline = Date.parse(deletionTimestamp) + (wanted - deletionGracePeriodSeconds) * 1000
  const seconds = deadline < now && wanted !== 0 ? 1 : wanted
  const metadata = { deletionTimestamp: timestamp(Math.max(deadline, now)), deletionGracePeriodSeconds: seconds }
  return { is: 'graceful', metadata }
}

function wantedFinalizers(
  kind: Kind,
  current: StoredObject,
  asked: DeleteOptions['propagationPolicy'],
): readonly string[] {
  const finalizers = current.metadata.finalizers ?? []
  const others = finalizers.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion')
  const policy = asked ?? policyOf(finalizers) ?? kind.deletion
  if (policy === 'Orphan') return [...others, 'orphan']
  if (policy === 'Foreground') return [...others, 'foregroundDeletion']
  return others
}

function policyOf(finalizers: readonly string[]): DeleteOptions['propagationPolicy'] {
  if (finalizers.includes('orphan')) return 'Orphan'
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : undefined
}

type End = { readonly stop: Stop; readonly policy: DeleteOptions['propagationPolicy'] }

/** Returns the object as a DELETE leaves it until the deletion is complete. */
function mark(api: Api, kind: Kind, current: StoredObject, { stop, policy }: End): StoredObject {
  const finalizers = wantedFinalizers(kind, current, policy)
  const { finalizers: _, ...rest } = current.metadata
  const metadata = finalizers.length > 0 ? { ...rest, finalizers } : rest
  if (stop.is === 'graceful') return { ...current, metadata: { ...metadata, ...stop.metadata } }
  const { deletionTimestamp, generation } = metadata
  const now = timestamp(api.clock.now())
  const { terminate } = rulesOf(kind)
  if (terminate !== undefined && deletionTimestamp === undefined) {
    return terminate({ ...current, metadata: { ...metadata, deletionTimestamp: now } }, now)
  }
  if (terminate !== undefined) return current
  if (finalizers.length === 0) return { ...current, metadata }
  const bumped = deletionTimestamp === undefined && generation !== undefined ? { generation: generation + 1 } : {}
  const since = deletionTimestamp === undefined || deletionTimestamp > now ? now : deletionTimestamp
  const deletion = { deletionTimestamp: since, deletionGracePeriodSeconds: 0, ...bumped }
  return { ...current, metadata: { ...metadata, ...deletion } }
}
