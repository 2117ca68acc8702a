// Decides which pods of a StatefulSet to create and to delete now. It is pure: repeated after each change of a pod, it brings the
// set to its wanted state, in order.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/statefulset/stateful_set_control.go
import type { Instant } from '@dayfly/kit/clock'
import { hasEnded } from '../../api/pod-state.ts'
import type { StoredObject } from '../../store/object.ts'
import { isDeleting, podsMax, untilAvailable } from '../pods.ts'
import { ordinalOf, ordinalsOf, revisionOf, type StatefulSet } from './stateful-set-object.ts'

export type Step =
  | { readonly does: 'create'; readonly ordinal: number; readonly from: 'current' | 'update' }
  | { readonly does: 'delete'; readonly pod: StoredObject }

/** @param update the name of the revision that the pods move to */
export function stepsOf(
  set: StatefulSet,
  pods: readonly StoredObject[],
  update: string,
  now: Instant,
): readonly Step[] {
  const isAvailable = (pod: StoredObject | undefined): pod is StoredObject =>
    pod !== undefined && !isDeleting(pod) && untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) === 0
  const { first, end } = ordinalsOf(set)
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]))
  const isOrdered = set.spec.podManagementPolicy === 'OrderedReady'
  const steps: Step[] = []
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined) steps.push({ does: 'create', ordinal, from: revisionFor(set, ordinal) })
    else if (hasEnded(pod) && !isDeleting(pod)) steps.push({ does: 'delete', pod })
    if (steps.length === podsMax || (isOrdered && !isAvailable(pod))) return steps
  }
  const surplus = [...byOrdinal].filter(([ordinal]) => ordinal < first || ordinal >= end)
  const condemned = surplus.sort(([one], [other]) => other - one).map(([, pod]) => pod)
  // The pods that stay are available here, if the order matters. So only a surplus pod can be the first unavailable one.
  const firstUnavailable = condemned.findLast((pod) => !isAvailable(pod))
  for (const pod of condemned) {
    if (isOrdered && (isDeleting(pod) || (!isAvailable(pod) && pod !== firstUnavailable))) return steps
    if (!isDeleting(pod)) steps.push({ does: 'delete', pod })
    if (isOrdered || steps.length >= podsMax) return steps
  }
  const outdated = outdatedPod(set, byOrdinal, update, isAvailable)
  return outdated === undefined ? steps : [...steps, { does: 'delete', pod: outdated }]
}

/** Returns from which revision a missing pod is made: below the partition, the update has not begun. */
function revisionFor({ spec }: StatefulSet, ordinal: number): 'current' | 'update' {
  const { type, rollingUpdate } = spec.updateStrategy
  const isHeld = type === 'RollingUpdate' && ordinal < (spec.ordinals?.start ?? 0) + (rollingUpdate?.partition ?? 0)
  return isHeld ? 'current' : 'update'
}

/** Returns the pod that a rolling update replaces next: the last outdated one, if all after it are available. */
function outdatedPod(
  set: StatefulSet,
  byOrdinal: ReadonlyMap<number, StoredObject>,
  update: string,
  isAvailable: (pod: StoredObject | undefined) => boolean,
): StoredObject | undefined {
  const { type, rollingUpdate } = set.spec.updateStrategy
  const { first, end } = ordinalsOf(set)
  if (type === 'OnDelete') return undefined
  for (let ordinal = end - 1; ordinal >= first + (rollingUpdate?.partition ?? 0); ordinal--) {
    const pod = byOrdinal.get(ordinal)
    if (pod !== undefined && revisionOf(pod) !== update && !isDeleting(pod)) return pod
    if (!isAvailable(pod)) return undefined
  }
  return undefined
}
