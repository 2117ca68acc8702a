// Decides how many pods each ReplicaSet of a Deployment should have next. It is pure: repeated after each change of a pod, it
// moves a Deployment to its present template within the limits of its strategy.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/deployment/rolling.go
import { integer, objectAt } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'

type Scale = { readonly set: StoredObject; readonly replicas: number }

/** @param podsOf counts the pods of a set, also those that are being deleted. */
export function rolloutOf(
  deployment: StoredObject,
  current: StoredObject | undefined,
  old: readonly StoredObject[],
  podsOf: (set: StoredObject) => number,
): readonly Scale[] {
  const wanted = integer(deployment, 'spec', 'replicas')
  const strategy = objectAt(deployment, 'spec', 'strategy')
  const sets = current === undefined ? old : [...old, current]
  if (strategy['type'] === 'Recreate') {
    const gone = old.every((set) => podsOf(set) === 0)
    const next = current === undefined || !gone ? [] : [{ set: current, replicas: wanted }]
    return [...old.map((set) => ({ set, replicas: 0 })), ...next]
  }
  const { surge, unavailable } = limitsOf(deployment)
  const up = current === undefined ? [] : [growth(current, sets, wanted, surge)]
  return [...up, ...shrink(current, old, wanted - unavailable)]
}

/** Returns how many pods a rolling update may add (rounded up) and take (rounded down). */
export function limitsOf(deployment: StoredObject): { readonly surge: number; readonly unavailable: number } {
  const wanted = integer(deployment, 'spec', 'replicas')
  const limits = objectAt(deployment, 'spec', 'strategy', 'rollingUpdate')
  const unavailable = share(limits['maxUnavailable'], wanted, Math.floor)
  const surge = share(limits['maxSurge'], wanted, Math.ceil)
  // If both round to zero, nothing could ever move.
  return { surge, unavailable: unavailable === 0 && surge === 0 ? 1 : unavailable }
}

function growth(current: StoredObject, sets: readonly StoredObject[], wanted: number, surge: number): Scale {
  const now = integer(current, 'spec', 'replicas')
  if (now >= wanted) return { set: current, replicas: wanted }
  const total = sets.reduce((sum, set) => sum + integer(set, 'spec', 'replicas'), 0)
  const room = Math.max(0, wanted + surge - total)
  return { set: current, replicas: Math.min(wanted, now + room) }
}

/** Takes pods of old sets: those that do not run first, then as many as the available pods allow. */
function shrink(
  current: StoredObject | undefined,
  old: readonly StoredObject[],
  availableMin: number,
): readonly Scale[] {
  const available = (set: StoredObject | undefined): number => integer(set, 'status', 'availableReplicas')
  let spare = [...old, current].reduce((sum, set) => sum + available(set), 0) - availableMin
  return old.map((set) => {
    const replicas = integer(set, 'spec', 'replicas')
    const dead = Math.max(0, replicas - available(set))
    const taken = Math.min(replicas - dead, Math.max(0, spare))
    spare -= taken
    return { set, replicas: replicas - dead - taken }
  })
}

/** Returns a number, or a percentage of a whole. */
function share(value: unknown, of: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? round((Number.parseFloat(value) / 100) * of) : 0
}
