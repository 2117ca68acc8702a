// Why a pod does not start, as far as its own status shows (docs/reference/kubernetes.md#s4-2). explain.ts reads the rest from Events.
import type { Instant } from '@dayfly/kit/clock'
import { type LastingFailure, reasonOfContainer } from '@dayfly/runner-set/model/failure'
import type { ContainerStatus, PodCondition, PodObject } from './pod-object.ts'

/** Returns what holds the start up; undefined while nothing shows. @param since the last step that the start made */
export function startFailureOfPod(pod: PodObject, since: Instant): LastingFailure | undefined {
  return unschedulable(pod, since) ?? waiting(pod, since) ?? initFailure(pod, since) ?? startError(pod, since)
}

function unschedulable(pod: PodObject, since: Instant): LastingFailure | undefined {
  const condition = conditionOf(pod, 'PodScheduled')
  if (condition?.status !== 'False') return undefined
  const message = condition.message ?? condition.reason ?? 'not scheduled'
  return { reason: 'unschedulable', message, since: transition(condition) ?? since }
}

function waiting(pod: PodObject, since: Instant): LastingFailure | undefined {
  for (const container of statusesOf(pod)) {
    const reason = reasonOfContainer(container.state?.waiting?.reason)
    if (!reason) continue
    const said = container.state?.waiting?.message ?? container.state?.waiting?.reason
    return { reason, message: `container ${container.name}: ${said}`, since }
  }
  return undefined
}

/** An init container that failed finally or runs on, or a sidecar whose startup probe does not succeed. */
function initFailure(pod: PodObject, since: Instant): LastingFailure | undefined {
  for (const status of pod.status?.initContainerStatuses ?? []) {
    const sidecar = pod.spec?.initContainers?.find(({ name }) => name === status.name)?.restartPolicy === 'Always'
    const ended = status.state?.terminated
    if (!sidecar && ended && ended.exitCode !== 0 && pod.status?.phase === 'Failed') {
      return { reason: 'init-failed', message: `container ${status.name}: exit code ${ended.exitCode}`, since }
    }
    const runningSince = Date.parse(status.state?.running?.startedAt ?? '')
    if (Number.isNaN(runningSince)) continue
    if (!sidecar) return { reason: 'init-hangs', message: `container ${status.name} still runs`, since: runningSince }
    if (status.started === false) {
      const message = `container ${status.name}: its startup probe has not succeeded`
      return { reason: 'sidecar-not-ready', message, since: runningSince }
    }
  }
  return undefined
}

function startError(pod: PodObject, since: Instant): LastingFailure | undefined {
  for (const container of statusesOf(pod)) {
    const ended = container.state?.terminated
    const reason = reasonOfContainer(ended?.reason)
    if (ended && reason)
      return { reason, message: `container ${container.name}: ${ended.message ?? ended.reason}`, since }
  }
  return undefined
}

/** Returns when the start of the pod last made a step: its present state has lasted since then. */
export function latestProgress(pod: PodObject, createdAt: Instant): Instant {
  const steps = ['PodScheduled', 'PodReadyToStartContainers', 'Initialized'].map((type) => {
    const condition = conditionOf(pod, type)
    return condition?.status === 'True' ? (transition(condition) ?? createdAt) : createdAt
  })
  return Math.max(createdAt, ...steps)
}

function statusesOf(pod: PodObject): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
}

function conditionOf(pod: PodObject, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)
}

function transition(condition: PodCondition): Instant | undefined {
  const at = Date.parse(condition.lastTransitionTime ?? '')
  return Number.isNaN(at) ? undefined : at
}
