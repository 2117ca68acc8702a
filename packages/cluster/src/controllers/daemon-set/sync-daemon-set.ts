// Syncs one DaemonSet: its revisions, the pods of each node, and its status.
import { type JsonObject, text } from '../../api/json.ts'
import { claim } from '../claim.ts'
import { type Reconciliation, retryMs } from '../object-loop.ts'
import { createPod, deletePod, isReady, podsMax, untilAvailable } from '../pods.ts'
import { deleteOldRevisions, presentRevision, revisionsOf } from '../workload/revisions.ts'
import { writeStatus } from '../write-status.ts'
import { daemonPod } from './daemon-pod.ts'
import { type DaemonSet, hashLabel } from './daemon-set-object.ts'
import type { FailedPods } from './failed-pods.ts'
import { type DaemonView, isAvailable, isFresh, type Step, stepsToManage, stepsToUpdate, viewOf } from './steps.ts'

export type DaemonContext = Reconciliation & { readonly failed: FailedPods }

export function syncDaemonSet(context: DaemonContext, set: DaemonSet): void {
  const { registry, again, clock } = context
  if (set.metadata.deletionTimestamp !== undefined) return
  const revision = presentRevision(registry, set, revisionsOf(registry, set), hashLabel)
  const hash = revision.metadata.labels?.[hashLabel] ?? ''
  const view = (): DaemonView => {
    const pods = claim(registry, set, { resource: 'pods', kind: 'Pod' })
    return viewOf(set, hash, clock.now(), { nodes: registry.list('nodes'), pods })
  }
  take(context, view(), stepsToManage(view()))
  if (set.spec.updateStrategy.type === 'RollingUpdate') take(context, view(), stepsToUpdate(view()))
  const after = view()
  writeStatus(registry, 'daemonsets.apps', set, statusOf(after))
  const pods = after.places.flatMap((place) => place.pods)
  const inUse = new Set([hash, ...pods.map(({ metadata }) => metadata.labels?.[hashLabel] ?? '')])
  deleteOldRevisions(registry, set, new Set([...inUse].map((each) => `${set.metadata.name}-${each}`)))
  const waits = pods.map((pod) => untilAvailable(pod, set.spec.minReadySeconds ?? 0, clock.now()) ?? 0)
  const soonest = Math.min(...waits.filter((ms) => ms > 0))
  if (Number.isFinite(soonest)) again(soonest)
}

function take(context: DaemonContext, { set, hash }: DaemonView, steps: readonly Step[]): void {
  if (steps.length > podsMax) context.again(0)
  for (const step of steps.slice(0, podsMax)) {
    if (step.does === 'delete') deletePod(context, step.pod)
    else if (step.does === 'replace') replace(context, step)
    else if (!createPod(context, daemonPod(set, hash, step.node))) {
      context.again(retryMs)
      return
    }
  }
}

/** Deletes a pod that has ended. The next sync makes a new one. */
function replace(context: DaemonContext, { pod, node }: Extract<Step, { does: 'replace' }>): void {
  const { events, failed, clock, again } = context
  const found = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}`
  if (text(pod, 'status', 'phase') === 'Failed') {
    const ms = failed.waitMs(node, clock.now())
    if (ms > 0) {
      again(ms)
      return
    }
    events.record('Warning', 'FailedDaemonPod', `Found failed ${found}, will try to kill it`)
  } else events.record('Normal', 'SucceededDaemonPod', `Found succeeded ${found}, will try to delete it`)
  deletePod(context, pod)
}

function statusOf(view: DaemonView): JsonObject {
  const wanted = view.places.filter(({ admission }) => admission === 'runs')
  const firsts = wanted.flatMap(({ pods }) => pods.slice(0, 1))
  const available = firsts.filter((pod) => isAvailable(view, pod)).length
  return {
    currentNumberScheduled: firsts.length,
    numberMisscheduled: view.places.filter(({ admission, pods }) => admission !== 'runs' && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: firsts.filter(isReady).length,
    observedGeneration: view.set.metadata.generation ?? 0,
    updatedNumberScheduled: firsts.filter((pod) => isFresh(view, pod)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  }
}
