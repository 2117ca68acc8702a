// Indexes the facts of a cluster by uid, owner and name. Knows which kinds and namespaces were not read.
import { listAt, textAt, textsAt, valueAt } from '@dayfly/kit/read-json'
import type { OwnerReference } from '@dayfly/kubernetes/types'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { ObjectRef } from '../finding.ts'
import { describeUnread } from '../live-facts.ts'
import type { PodView } from '../pod-view.ts'
import { resourceOf } from './resources.ts'
import type { Target } from './step.ts'
import { unmovedOf } from './unmoved.ts'

export type ClusterFacts = Facts & { readonly live: LiveFacts }

export type Cluster = {
  readonly live: LiveFacts
  readonly objects: readonly ObjectFact[]
  readonly pods: readonly PodView[]
  find(ref: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): ObjectFact | undefined
  byUid(uid: string): ObjectFact | undefined
  /** Returns the objects with an ownerReference to this uid. */
  ownedBy(uid: string): readonly ObjectFact[]
  podView(uid: string): PodView | undefined
  /** Returns why it is unknown whether an object of this kind exists in this namespace (undefined: in any); undefined if it is known. */
  unreadReason(kind: string, namespace: string | undefined): string | undefined
}

export function indexCluster(facts: ClusterFacts): Cluster {
  const { objects, live } = facts
  const byName = new Map(objects.map((fact) => [nameKey(fact.object), fact]))
  const byUid = new Map(objects.map((fact) => [fact.object.uid, fact]))
  const byOwner = new Map<string, ObjectFact[]>()
  for (const fact of objects) {
    for (const { uid } of ownersOf(fact)) {
      const owned = byOwner.get(uid)
      if (owned) owned.push(fact)
      else byOwner.set(uid, [fact])
    }
  }
  const views = new Map(facts.pods.flatMap((view) => (view.object.uid === undefined ? [] : [[view.object.uid, view]])))
  return {
    live,
    objects,
    pods: facts.pods,
    find: (ref) => byName.get(nameKey(ref)),
    byUid: (uid) => byUid.get(uid),
    ownedBy: (uid) => byOwner.get(uid) ?? [],
    podView: (uid) => views.get(uid),
    unreadReason: (kind, namespace) => {
      const reason = describeUnread(live.unreadable[kind])
      if (reason !== undefined) return `${kind}: ${reason}`
      if (!live.namespaces || kind === 'Node') return undefined
      if (namespace !== undefined && live.namespaces.includes(namespace)) return undefined
      return `${kind}: only the namespaces ${live.namespaces.join(', ')} were examined`
    },
  }
}

export function ownersOf(fact: ObjectFact): readonly OwnerReference[] {
  return listAt(fact.raw, 'metadata', 'ownerReferences').filter(isReference)
}

function isReference(value: unknown): value is OwnerReference {
  return ['apiVersion', 'kind', 'name', 'uid'].every((field) => textAt(value, field) !== undefined)
}

/** Returns the managing owner: the controller that would create the object again. */
export function controllerOf(fact: ObjectFact): OwnerReference | undefined {
  return ownersOf(fact).find(({ controller }) => controller === true)
}

export function finalizersOf(fact: ObjectFact): readonly string[] {
  return textsAt(fact.raw, 'metadata', 'finalizers')
}

export function isTerminating(fact: ObjectFact): boolean {
  return valueAt(fact.raw, 'metadata', 'deletionTimestamp') !== undefined
}

/** Returns undefined if the object has no uid or version, or has a kind that the doctor never repairs. */
export function targetOf(fact: ObjectFact): Target | undefined {
  const resource = resourceOf(fact.object)
  const uid = textAt(fact.raw, 'metadata', 'uid')
  const resourceVersion = textAt(fact.raw, 'metadata', 'resourceVersion')
  if (!resource || uid === undefined || resourceVersion === undefined) return undefined
  const { namespace, name } = fact.object
  const unmoved = unmovedOf(resource.kind, fact.raw)
  return { resource, namespace, name, uid, resourceVersion, ...(unmoved === undefined ? {} : { unmoved }) }
}

function nameKey({ kind, namespace, name }: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace ?? ''}/${name}`
}
