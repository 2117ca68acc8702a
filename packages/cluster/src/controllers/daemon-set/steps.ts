// Decides which pods of a DaemonSet to create and to delete now. It is pure.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/daemon/daemon_controller.go
// and https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/daemon/update.go
import type { Instant } from '@dayfly/kit/clock'
import { text } from '../../api/json.ts'
import { hasEnded, nodeOf } from '../../api/pod-state.ts'
import type { StoredObject } from '../../store/object.ts'
import { isDeleting, isReady, untilAvailable } from '../pods.ts'
import { share } from '../workload/rollout.ts'
import { type Admission, admissionOf, targetNode } from './daemon-pod.ts'
import { type DaemonSet, hashLabel } from './daemon-set-object.ts'

/** A node with the pods of the set that it has, and whether it should have one. */
export type Place = { readonly node: string; readonly admission: Admission; readonly pods: readonly StoredObject[] }

export type DaemonView = {
  readonly set: DaemonSet
  /** The hash of the present template. */
  readonly hash: string
  readonly now: Instant
  readonly places: readonly Place[]
  /** The pods that wait for a node that is gone. */
  readonly lost: readonly StoredObject[]
}

export type Step =
  | { readonly does: 'create'; readonly node: string }
  | { readonly does: 'delete'; readonly pod: StoredObject }
  /** The pod has ended. It is deleted, after a back-off if it failed. */
  | { readonly does: 'replace'; readonly pod: StoredObject; readonly node: string }

export function viewOf(
  set: DaemonSet,
  hash: string,
  now: Instant,
  { nodes, pods }: { readonly nodes: readonly StoredObject[]; readonly pods: readonly StoredObject[] },
): DaemonView {
  const byNode = new Map<string, StoredObject[]>()
  for (const pod of pods) byNode.set(targetNode(pod), [...(byNode.get(targetNode(pod)) ?? []), pod])
  const places = nodes.map((node) => ({
    node: node.metadata.name,
    admission: admissionOf(set, node),
    pods: (byNode.get(node.metadata.name) ?? []).sort(byAge),
  }))
  const known = new Set(nodes.map(({ metadata }) => metadata.name))
  return { set, hash, now, places, lost: pods.filter((pod) => nodeOf(pod) === '' && !known.has(targetNode(pod))) }
}

/** Orders pods: first those that have a node, then by age. */
function byAge(one: StoredObject, other: StoredObject): number {
  const rank = (pod: StoredObject) => `${nodeOf(pod) === '' ? 1 : 0} ${pod.metadata.creationTimestamp}`
  return rank(one) < rank(other) ? -1 : 1
}

/** Returns the steps after which each node has the pods that it should have, of any template. */
export function stepsToManage(view: DaemonView): readonly Step[] {
  const remove = (pod: StoredObject): Step => ({ does: 'delete', pod })
  return [...view.places.flatMap((place) => stepsOnNode(view, place)), ...view.lost.map(remove)]
}

function stepsOnNode(view: DaemonView, { node, admission, pods }: Place): readonly Step[] {
  const remove = (pod: StoredObject): Step => ({ does: 'delete', pod })
  const create: readonly Step[] = admission === 'runs' ? [{ does: 'create', node }] : []
  const present = pods.filter((pod) => !isDeleting(pod))
  if (admission === 'leaves') return present.map(remove)
  if (pods.length === 0) return create
  const replaced = present.filter(hasEnded).map((pod): Step => ({ does: 'replace', pod, node }))
  const running = present.filter((pod) => !hasEnded(pod))
  if (limitsOf(view).surge === 0) return [...replaced, ...running.slice(1).map(remove)]
  if (running.length === 0) return [...replaced, ...create]
  const [fresh, ...moreFresh] = running.filter((pod) => isFresh(view, pod))
  const [old, ...moreOld] = running.filter((pod) => !isFresh(view, pod))
  const isSurplus = fresh !== undefined && old !== undefined && (!isReady(old) || isAvailable(view, fresh))
  return [...replaced, ...[...moreFresh, ...moreOld, ...(isSurplus ? [old] : [])].map(remove)]
}

/** Returns the steps of a rolling update that its limits allow now. */
export function stepsToUpdate(view: DaemonView): readonly Step[] {
  const { surge, unavailable } = limitsOf(view)
  const places = view.places.filter(({ admission, pods }) => admission === 'runs' || pods.length > 0)
  const sides = places.map((place) => sidesOf(view, place))
  const old = sides.flatMap((side) => (side.is === 'old' ? [side] : []))
  const ready = old.filter(({ pod }) => isAvailable(view, pod))
  const broken = old.filter(({ pod }) => !isAvailable(view, pod))
  if (surge === 0) {
    const down = sides.filter((side) => side.is === 'mixed' || (side.is === 'fresh' && !isAvailable(view, side.pod)))
    const room = Math.max(0, unavailable - down.length - broken.length)
    return [...broken, ...ready.slice(0, room)].map(({ pod }) => ({ does: 'delete', pod }))
  }
  const rising = sides.filter(({ is }) => is === 'mixed').length
  const mayRun = ({ place }: { readonly place: Place }): boolean => place.admission === 'runs'
  const replaced = [...broken.filter(mayRun), ...ready.filter(mayRun).slice(0, Math.max(0, surge - rising))]
  return [
    ...replaced.map(({ place }): Step => ({ does: 'create', node: place.node })),
    ...broken.filter((side) => !mayRun(side)).map(({ pod }): Step => ({ does: 'delete', pod })),
  ]
}

/** The pods of a node in an update: one of a template, or any other number. */
type Side =
  | { readonly is: 'old' | 'fresh'; readonly pod: StoredObject; readonly place: Place }
  | { readonly is: 'mixed' | 'empty' }

function sidesOf(view: DaemonView, place: Place): Side {
  const [pod, ...others] = place.pods.filter((each) => !isDeleting(each))
  const { surge } = limitsOf(view)
  // A node without a pod counts as unavailable. It does not count against the surge.
  if (pod === undefined) return { is: surge === 0 ? 'mixed' : 'empty' }
  if (others.length > 0) return { is: 'mixed' }
  return { is: isFresh(view, pod) ? 'fresh' : 'old', pod, place }
}

/** Returns how many nodes may be without an available pod, and how many may have two. */
function limitsOf({ set, places }: DaemonView): { readonly surge: number; readonly unavailable: number } {
  const { type, rollingUpdate } = set.spec.updateStrategy
  if (type === 'OnDelete') return { surge: 0, unavailable: 0 }
  const wanted = places.filter(({ admission }) => admission === 'runs').length
  const surge = share(rollingUpdate?.maxSurge, wanted, Math.ceil)
  const unavailable = share(rollingUpdate?.maxUnavailable, wanted, Math.ceil)
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

export function isFresh({ hash }: DaemonView, pod: StoredObject): boolean {
  return text(pod, 'metadata', 'labels', hashLabel) === hash
}

export function isAvailable({ set, now }: DaemonView, pod: StoredObject): boolean {
  return untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) === 0
}
