// The objects of stuck uninstalls of ARC: which ones belong to them, in which order they go, and what must be gone before each.
import { textAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import { type Cluster, finalizersOf, isTerminating, ownersOf } from './cluster.ts'
import { protectedResources } from './resources.ts'

/**
 * The finalizers of each kind, in the order in which ARC removes them.
 * All releases up to 0.14.2 give an EphemeralRunnerSet the finalizer of a runner; only the development branch of June 2026 has its own.
 */
const finalizers: Readonly<Record<string, readonly string[]>> = {
  EphemeralRunner: [
    'ephemeralrunner.actions.github.com/runner-registration-finalizer',
    'ephemeralrunner.actions.github.com/finalizer',
  ],
  AutoscalingListener: ['autoscalinglistener.actions.github.com/finalizer'],
  EphemeralRunnerSet: [
    'ephemeralrunner.actions.github.com/finalizer',
    'ephemeralrunnerset.actions.github.com/finalizer',
  ],
  AutoscalingRunnerSet: ['autoscalingrunnerset.actions.github.com/finalizer'],
}
const protection = 'actions.github.com/cleanup-protection'
const secretAnnotation = 'actions.github.com/cleanup-github-secret-name'

/** The listener goes first, so that it takes no further job. Then come children before parents. */
const kindsInOrder = [
  'AutoscalingListener',
  'EphemeralRunner',
  'EphemeralRunnerSet',
  ...protectedResources.map(({ kind }) => kind),
  'AutoscalingRunnerSet',
]

/** Returns ARC's finalizers that the object has, in the order in which they are removed. */
export function arcFinalizersOf(fact: ObjectFact): readonly string[] {
  return (finalizers[fact.object.kind] ?? [protection]).filter((one) => finalizersOf(fact).includes(one))
}

/** Returns the terminating objects, the objects below them, and the roles of their listeners: only the controller would have deleted those. */
export function membersOf(cluster: Cluster): readonly ObjectFact[] {
  const found = new Map<string, ObjectFact>()
  const visit = (fact: ObjectFact) => {
    const uid = fact.object.uid ?? ''
    if (found.has(uid)) return
    found.set(uid, fact)
    for (const child of childrenOf(cluster, fact)) visit(child)
  }
  for (const fact of cluster.objects) {
    const isKnown = kindsInOrder.includes(fact.object.kind)
    if (isKnown && isTerminating(fact) && arcFinalizersOf(fact).length > 0) visit(fact)
  }
  const sets = new Set([...found.values()].map((fact) => setOf(cluster, fact)))
  for (const fact of cluster.objects) {
    const set = isListenerRole(fact) && !isTerminating(fact) ? setOf(cluster, fact) : undefined
    if (set !== undefined && sets.has(set)) found.set(fact.object.uid ?? '', fact)
  }
  const rank = ({ object }: ObjectFact) => kindsInOrder.indexOf(object.kind)
  return [...found.values()].sort((one, other) => rank(one) - rank(other))
}

function childrenOf(cluster: Cluster, fact: ObjectFact): readonly ObjectFact[] {
  const owned = cluster.ownedBy(fact.object.uid ?? '').filter(({ object }) => finalizers[object.kind] !== undefined)
  if (fact.object.kind !== 'AutoscalingRunnerSet') return owned
  const listeners = cluster.objects.filter(
    (other) => other.object.kind === 'AutoscalingListener' && setNameOf(other) === nameOf(fact),
  )
  return [...new Set([...owned, ...listeners])]
}

/**
 * Returns the objects that must be gone first: children; for a protected resource, all of ARC's own objects of the set;
 * for the set, the protected resources too.
 */
export function belowOf(cluster: Cluster, members: readonly ObjectFact[], fact: ObjectFact): readonly ObjectFact[] {
  const { kind } = fact.object
  if (kind === 'EphemeralRunner' || kind === 'AutoscalingListener') return []
  if (kind === 'EphemeralRunnerSet') return childrenOf(cluster, fact)
  if (isListenerRole(fact)) return members.filter((other) => isListenerOf(other, fact))
  const rank = kindsInOrder.indexOf(kind)
  const isSet = kind === 'AutoscalingRunnerSet'
  return members.filter((other) => {
    if (kindsInOrder.indexOf(other.object.kind) >= rank) return false
    if (!isSet && finalizers[other.object.kind] === undefined) return false
    return isOfSet(cluster, other, isSet ? nameOf(fact) : setNameOf(fact))
  })
}

const listenerName = 'auto-scaling-listener-name'
const listenerNamespace = 'auto-scaling-listener-namespace'

/** Whether it is the Role or the RoleBinding of a listener. No object owns them, and no finalizer protects them. */
function isListenerRole({ object, raw }: ObjectFact): boolean {
  const isRole = object.kind === 'Role' || object.kind === 'RoleBinding'
  return isRole && textAt(raw, 'metadata', 'labels', listenerName) !== undefined
}

function isListenerOf({ object }: ObjectFact, { raw }: ObjectFact): boolean {
  return (
    object.kind === 'AutoscalingListener' &&
    object.name === textAt(raw, 'metadata', 'labels', listenerName) &&
    object.namespace === textAt(raw, 'metadata', 'labels', listenerNamespace)
  )
}

/** Also true if the set of either object is unknown: the order then applies to all. */
function isOfSet(cluster: Cluster, fact: ObjectFact, set: string | undefined): boolean {
  const own = setOf(cluster, fact)
  return own === undefined || set === undefined || own === set
}

/** Returns the runner set as `namespace/name`, by the object's own labels or through its owners. */
export function setOf(cluster: Cluster, fact: ObjectFact): string | undefined {
  if (fact.object.kind === 'AutoscalingRunnerSet') return nameOf(fact)
  return (
    setNameOf(fact) ??
    ownersOf(fact)
      .map(({ uid }) => cluster.byUid(uid))
      .map((owner) => owner && setOf(cluster, owner))
      .find((name) => name !== undefined)
  )
}

function setNameOf({ object, raw }: ObjectFact): string | undefined {
  if (object.kind === 'AutoscalingListener')
    return `${textAt(raw, 'spec', 'autoscalingRunnerSetNamespace')}/${textAt(raw, 'spec', 'autoscalingRunnerSetName')}`
  const name = textAt(raw, 'metadata', 'labels', 'actions.github.com/scale-set-name')
  const namespace = textAt(raw, 'metadata', 'labels', 'actions.github.com/scale-set-namespace') ?? object.namespace
  return name === undefined ? undefined : `${namespace}/${name}`
}

export function nameOf({ object }: ObjectFact): string {
  return `${object.namespace}/${object.name}`
}

/** Returns the set that still needs this resource. A protected resource is freed only if its set no longer exists. */
export function livingSet(cluster: Cluster, members: readonly ObjectFact[], fact: ObjectFact): string | undefined {
  if (finalizers[fact.object.kind] !== undefined) return undefined
  const own = setNameOf(fact)
  const sets = cluster.objects.filter(
    ({ object }) =>
      object.kind === 'AutoscalingRunnerSet' && (own === undefined ? object.namespace === fact.object.namespace : true),
  )
  const living = sets.find((set) => !members.includes(set) && (own === undefined || nameOf(set) === own))
  return living && nameOf(living)
}

/** Returns why a kind of child or user could not be read. Such an object might still exist. */
export function unreadDependency(cluster: Cluster, fact: ObjectFact): string | undefined {
  const { kind, namespace } = fact.object
  if (kind === 'EphemeralRunner' || kind === 'AutoscalingListener') return cluster.unreadReason('Pod', namespace)
  if (kind === 'EphemeralRunnerSet') return cluster.unreadReason('EphemeralRunner', namespace)
  const below = ['EphemeralRunner', 'EphemeralRunnerSet'].map((one) => cluster.unreadReason(one, namespace))
  const others = [
    cluster.unreadReason('AutoscalingListener', undefined),
    kind === 'AutoscalingRunnerSet' ? undefined : cluster.unreadReason('AutoscalingRunnerSet', namespace),
    ...(kind === 'AutoscalingRunnerSet' ? unreadProtected(cluster, fact) : []),
  ]
  return [...below, ...others].find((reason) => reason !== undefined)
}

/** The set's annotations name the protected resources. Without the set, an unread Secret could not be found again. */
function unreadProtected(cluster: Cluster, fact: ObjectFact): readonly (string | undefined)[] {
  const namesSecret = textAt(fact.raw, 'metadata', 'annotations', secretAnnotation) !== undefined
  return protectedResources.map(({ kind }) =>
    kind !== 'Secret' || namesSecret ? cluster.unreadReason(kind, fact.object.namespace) : undefined,
  )
}
