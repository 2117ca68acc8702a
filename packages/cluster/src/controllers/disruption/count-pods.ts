// Counts the pods of a PodDisruptionBudget. Percentages, and a maximum of unavailable pods, count the pods that the owners want.
import type { Instant } from '@dayfly/kit/clock'
import type { Registry } from '../../api/registry.ts'
import { coversPod, disruptedPodsOf } from '../../api/values/budget.ts'
import { field, integer } from '../../api/values/json.ts'
import type { OwnerReference, StoredObject } from '../../store/object.ts'
import { controllerOfAny, resourceOf } from '../owners.ts'
import { isDeleting, isReady } from '../pods.ts'

/** How long after its eviction a pod counts as disrupted, although nobody has deleted it. */
const deletionMs = 120_000

/** The owner of a pod has no number of replicas. */
export class NotCountable extends Error {}

type Counts = {
  readonly currentHealthy: number
  readonly desiredHealthy: number
  readonly expectedPods: number
  readonly disruptedPods: Readonly<Record<string, string>>
  readonly pods: number
  /** Whether a pod without an owner is not among the expected ones. */
  readonly unmanaged: boolean
  /** When the next disrupted pod counts as healthy again. */
  readonly recheckMs: number | undefined
}

/** Throws NotCountable if the budget needs the scale of an owner that has none. */
export function countPods(registry: Registry, budget: StoredObject, now: Instant): Counts {
  const pods = registry.list('pods', budget.metadata.namespace).filter((pod) => coversPod(budget, pod))
  const disrupted = disruptedPodsOf(budget)
  const left = (pod: StoredObject): number => Date.parse(disrupted[pod.metadata.name] ?? '') + deletionMs - now
  const disruptedNow = pods.filter((pod) => !isDeleting(pod) && left(pod) > 0)
  const healthy = pods.filter((pod) => !isDeleting(pod) && !disruptedNow.includes(pod) && isReady(pod))
  return {
    currentHealthy: healthy.length,
    ...wanted(registry, budget, pods),
    disruptedPods: Object.fromEntries(disruptedNow.map(({ metadata: { name } }) => [name, disrupted[name] ?? ''])),
    pods: pods.length,
    recheckMs: disruptedNow.length === 0 ? undefined : Math.min(...disruptedNow.map(left)),
  }
}

function wanted(
  registry: Registry,
  budget: StoredObject,
  pods: readonly StoredObject[],
): Pick<Counts, 'desiredHealthy' | 'expectedPods' | 'unmanaged'> {
  const unavailable = field(budget, 'spec', 'maxUnavailable')
  const available = field(budget, 'spec', 'minAvailable')
  if (unavailable === undefined && typeof available === 'number') {
    return { desiredHealthy: available, expectedPods: pods.length, unmanaged: false }
  }
  if (unavailable === undefined && available === undefined)
    return { desiredHealthy: 0, expectedPods: 0, unmanaged: false }
  const { scale: expectedPods, unmanaged } = expectedScale(registry, pods)
  const desiredHealthy =
    unavailable === undefined
      ? amount(available, expectedPods)
      : Math.max(0, expectedPods - amount(unavailable, expectedPods))
  return { desiredHealthy, expectedPods, unmanaged }
}

/** A part of a pod counts as a whole one. */
function amount(value: unknown, of: number): number {
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(String(value))?.[1]
  return percent === undefined ? 0 : Math.ceil((Number(percent) / 100) * of)
}

/** Returns the sum of the replicas of all owners of these pods. */
function expectedScale(registry: Registry, pods: readonly StoredObject[]): { scale: number; unmanaged: boolean } {
  const known = new Set<string>()
  const scales = new Map<string, number>()
  let unmanaged = false
  for (const pod of pods) {
    const owner = controllerOfAny(pod)
    if (owner === undefined) unmanaged = true
    if (owner === undefined || known.has(owner.uid)) continue
    known.add(owner.uid)
    const found = scaledOwner(registry, pod, owner)
    if (found === undefined) throw new NotCountable(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`)
    scales.set(found.metadata.uid, integer(found, 'spec', 'replicas'))
  }
  return { scale: [...scales.values()].reduce((sum, each) => sum + each, 0), unmanaged }
}

/** Returns the owner. A ReplicaSet of a Deployment gives the Deployment. */
function scaledOwner(registry: Registry, { metadata }: StoredObject, owner: OwnerReference): StoredObject | undefined {
  const resource = resourceOf(registry, owner.apiVersion, owner.kind)
  if (resource === undefined) {
    throw new NotCountable(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`)
  }
  const isScaled = resource === 'statefulsets.apps' || registry.kinds.get(resource)?.subresources.includes('scale')
  if (!isScaled) throw new NotCountable(`${resource} does not implement the scale subresource`)
  const found = registry.get(resource, metadata.namespace, owner.name)
  if (found?.metadata.uid !== owner.uid) return undefined
  const above = controllerOfAny(found)
  return above?.kind === 'Deployment' ? scaledOwner(registry, found, above) : found
}
