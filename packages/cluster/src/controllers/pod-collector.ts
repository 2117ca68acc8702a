// The pod garbage collector: every 20 s it force-deletes surplus finished pods, and pods that no kubelet will ever end (Kubernetes: pkg/controller/podgc).
import type { Clock, Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Registry } from '../api/registry.ts'
import { conditionOf, withCondition } from '../api/values/conditions.ts'
import { field, objectAt, objects } from '../api/values/json.ts'
import { hasEnded, nodeOf } from '../api/values/pod-state.ts'
import type { StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'

const periodMs = 20_000

/** How long a node must be missing before its pods are deleted. */
const quarantineMs = 40_000

export type PodCollectorOptions = {
  readonly registry: Registry
  readonly clock: Clock
  /** The maximum number of finished pods in the whole cluster; 0 or less means no limit. */
  readonly threshold: number
}

/** Starts the pod garbage collector. Returns a function that stops it. */
export function startPodCollector(options: PodCollectorOptions): () => void {
  const { registry, clock, threshold } = options
  const missingSince = new Map<string, Instant>()
  const collect = () => {
    timer = clock.after(periodMs, collect)
    const pods = registry.list('pods')
    if (threshold > 0) collectFinished(options, pods)
    collectOutOfService(options, pods)
    collectOrphaned(options, pods, missingSince)
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp !== undefined && nodeOf(pod) === '') remove(options, pod)
    }
  }
  let timer = clock.after(periodMs, collect)
  return () => timer.cancel()
}

/** Deletes evicted pods first, then the oldest. A pod that only waits for a finalizer still counts. */
function collectFinished(options: PodCollectorOptions, pods: readonly StoredObject[]): void {
  const finished = pods.filter(hasEnded)
  const surplus = finished.length - options.threshold
  if (surplus <= 0) return
  const rank = ({ metadata, status }: StoredObject) =>
    `${field(status, 'reason') === 'Evicted' ? 0 : 1} ${metadata.creationTimestamp} ${metadata.name}`
  const ranked = finished.map((pod) => ({ pod, rank: rank(pod) }))
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1))
  for (const { pod } of ranked.slice(0, surplus)) remove(options, pod)
}

/** Deletes the terminating pods of nodes with the out-of-service taint: by the taint, an operator confirms that the node is off. */
function collectOutOfService(options: PodCollectorOptions, pods: readonly StoredObject[]): void {
  const off = new Set(
    options.registry
      .list('nodes')
      .filter(isOutOfService)
      .map(({ metadata }) => metadata.name),
  )
  if (off.size === 0) return
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined && off.has(nodeOf(pod))) remove(options, pod)
  }
}

function isOutOfService(node: StoredObject): boolean {
  const taints = objects(node, 'spec', 'taints')
  const isTainted = taints.some(({ key }) => key === 'node.kubernetes.io/out-of-service')
  return conditionOf(node, 'Ready')?.['status'] !== 'True' && isTainted
}

/** Deletes the pods of nodes that have been missing for the whole quarantine, in any phase. */
function collectOrphaned(
  options: PodCollectorOptions,
  pods: readonly StoredObject[],
  missingSince: Map<string, Instant>,
): void {
  const { registry, clock } = options
  const now = clock.now()
  const nodes = new Set(registry.list('nodes').map(({ metadata }) => metadata.name))
  const missing = new Set(pods.map(nodeOf).filter((node) => node !== '' && !nodes.has(node)))
  for (const node of missingSince.keys()) if (!missing.has(node)) missingSince.delete(node)
  for (const node of missing) if (!missingSince.has(node)) missingSince.set(node, now)
  for (const pod of pods) {
    if (now - (missingSince.get(nodeOf(pod)) ?? now) < quarantineMs) continue
    const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' }
    remove(options, pod, { type: 'DisruptionTarget', status: 'True', ...why, lastTransitionTime: timestamp(now) })
  }
}

/** Deletes a pod with grace period 0. A pod that has not ended is marked as failed first, because no kubelet will do it. */
function remove(
  { registry }: PodCollectorOptions,
  pod: StoredObject,
  condition?: Parameters<typeof withCondition>[1],
): void {
  const { namespace, name, uid } = pod.metadata
  ignoreRefusal(() => {
    if (!hasEnded(pod)) {
      const marked = condition ? withCondition(pod, condition) : pod
      const next = { ...marked, status: { ...objectAt(marked, 'status'), phase: 'Failed' } }
      registry.update('pods', next, { subresource: 'status' })
    }
    registry.delete('pods', namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } })
  })
}
