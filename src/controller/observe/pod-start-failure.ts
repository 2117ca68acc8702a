// Why a pod does not start, as far as the pod itself says (Kubernetes reference 4.2). What it does not say stands in events: explain.ts.
import type { Instant } from '../../lib/clock.ts'
import type { FailureReason } from '../../model/failure.ts'
import type { StartFailure } from '../../model/runner.ts'
import type { ContainerStatus, PodCondition, PodObject } from './pod-object.ts'

const waitingReasons: Readonly<Record<string, FailureReason>> = {
  ErrImagePull: 'image-missing',
  ImagePullBackOff: 'image-missing',
  ImageInspectError: 'image-missing',
  RegistryUnavailable: 'image-missing',
  InvalidImageName: 'image-invalid',
  ErrImageNeverPull: 'image-invalid',
  CreateContainerConfigError: 'config-missing',
  CreateContainerError: 'command-missing',
  RunContainerError: 'command-missing',
}

export function startFailureOfPod(pod: PodObject, createdAt: Instant): StartFailure | undefined {
  const since = latestProgress(pod, createdAt)
  return unschedulable(pod, createdAt) ?? waiting(pod, since) ?? initFailure(pod, since) ?? startError(pod, since)
}

function unschedulable(pod: PodObject, createdAt: Instant): StartFailure | undefined {
  const condition = conditionOf(pod, 'PodScheduled')
  if (condition?.status !== 'False') return undefined
  const message = condition.message ?? condition.reason ?? 'not scheduled'
  return { reason: 'unschedulable', message, since: transition(condition) ?? createdAt }
}

function waiting(pod: PodObject, since: Instant): StartFailure | undefined {
  for (const container of statusesOf(pod)) {
    const reason = waitingReasons[container.state?.waiting?.reason ?? '']
    if (!reason) continue
    const said = container.state?.waiting?.message ?? container.state?.waiting?.reason
    return { reason, message: `container ${container.name}: ${said}`, since }
  }
  return undefined
}

/** Init containers that failed for good, or run long, and sidecars whose probe does not succeed. */
function initFailure(pod: PodObject, since: Instant): StartFailure | undefined {
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

function startError(pod: PodObject, since: Instant): StartFailure | undefined {
  for (const container of statusesOf(pod)) {
    const ended = container.state?.terminated
    if (ended?.reason !== 'StartError' && ended?.reason !== 'ContainerCannotRun') continue
    return {
      reason: 'command-missing',
      message: `container ${container.name}: ${ended.message ?? ended.reason}`,
      since,
    }
  }
  return undefined
}

/** When the pod last came a step further: the moment from which its present state counts. */
function latestProgress(pod: PodObject, createdAt: Instant): Instant {
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
