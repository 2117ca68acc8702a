// Why a pod does not start, as far as its own status shows (docs/reference/kubernetes.md#s4-2). explain.ts reads the rest from Events.
import type { Instant } from '@dayfly/kit/clock'
import { type Failure, type LastingFailure, reasonOfContainer, type StartCause } from '@dayfly/runner-set/model/failure'
import type { ContainerStatus, PodCondition, PodObject, StartupProbe } from './pod-object.ts'

/** Returns what holds the start up; undefined while nothing shows. @param since the last step that the start made */
export function startFailureOfPod(pod: PodObject, since: Instant): StartCause | undefined {
  return (
    unschedulable(pod, since) ??
    waiting(pod, since) ??
    crashedStart(pod, since) ??
    initStep(pod, since) ??
    startError(pod, since)
  )
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
    return { reason, message: `container ${container.name}: ${said}${pullNote(pod, container)}`, since }
  }
  return undefined
}

/** A registry refuses a pull without saying what it was shown. A node that lacks a pull secret tries without it, and says so only in an Event. */
function pullNote({ spec }: PodObject, { state }: ContainerStatus): string {
  if (!pullReasons.has(state?.waiting?.reason)) return ''
  const names = (spec?.imagePullSecrets ?? []).flatMap(({ name }) => (name ? [name] : []))
  return names.length > 0 ? ` (pull secrets of the pod: ${names.join(', ')})` : ' (the pod has no pull secret)'
}

const pullReasons: ReadonlySet<string | undefined> = new Set(['ErrImagePull', 'ImagePullBackOff'])

/** A sidecar that ended before it had started. The kubelet starts it again, with longer and longer waits. */
function crashedStart(pod: PodObject, since: Instant): LastingFailure | undefined {
  const crashed = pod.status?.initContainerStatuses?.find(({ started, restartCount, lastState }) => {
    return started !== true && (restartCount ?? 0) > 0 && lastState?.terminated
  })
  if (!crashed) return undefined
  const { startedAt, finishedAt } = crashed.lastState?.terminated ?? {}
  const probe = pod.spec?.initContainers?.find(({ name }) => name === crashed.name)?.startupProbe
  const lived = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')
  // The kubelet restarts a container whose startup probe has used up its time.
  const isProbe = probe !== undefined && lived >= probeMs(probe) - probePeriodMs(probe)
  return { ...crash(pod, crashed), ...(isProbe ? { reason: 'sidecar-not-ready' } : {}), since }
}

/** Returns the container beside the runner that the kubelet waits to start again. @param since when the runner started */
export function helperCrashOf(pod: PodObject, runner: string, since: Instant): LastingFailure | undefined {
  const crashed = statusesOf(pod).find(
    ({ name, state, lastState }) =>
      name !== runner && state?.waiting?.reason === 'CrashLoopBackOff' && lastState?.terminated,
  )
  return crashed && { ...crash(pod, crashed), since }
}

function crash({ metadata }: PodObject, { name, restartCount = 0, lastState, state }: ContainerStatus): Failure {
  const { exitCode, signal, reason } = lastState?.terminated ?? state?.terminated ?? { exitCode: -1 }
  const how = signal ? `signal ${signal}` : `exit code ${exitCode}`
  const times = restartCount === 1 ? '1 restart' : `${restartCount} restarts`
  const log = `kubectl -n ${metadata.namespace ?? ''} logs ${metadata.name} -c ${name} --previous`
  return {
    reason: 'helper-crashes',
    message: `container ${name}: ${how}${reason ? ` (${reason})` : ''}, ${times}; ${log}`,
  }
}

/** An init container that failed finally or runs, or a sidecar within its startup probe. */
function initStep(pod: PodObject, since: Instant): StartCause | undefined {
  for (const status of pod.status?.initContainerStatuses ?? []) {
    const spec = pod.spec?.initContainers?.find(({ name }) => name === status.name)
    const sidecar = spec?.restartPolicy === 'Always'
    const ended = status.state?.terminated
    if (!sidecar && ended && ended.exitCode !== 0 && pod.status?.phase === 'Failed') {
      return { reason: 'init-failed', message: `container ${status.name}: exit code ${ended.exitCode}`, since }
    }
    const runningSince = Date.parse(status.state?.running?.startedAt ?? '')
    if (Number.isNaN(runningSince)) continue
    if (!sidecar) {
      const step = { allowedMs: undefined, late: 'init-hangs' } as const
      return { reason: 'start-under-way', message: `init container ${status.name} runs`, since: runningSince, step }
    }
    if (status.started === false) {
      const probe = spec.startupProbe ?? {}
      // The kubelet itself restarts the container when the time is over.
      const step = { allowedMs: probeMs(probe) + probePeriodMs(probe), late: 'sidecar-not-ready' } as const
      const message = `the startup probe of container ${status.name} has not succeeded`
      return { reason: 'start-under-way', message, since: runningSince, step }
    }
  }
  return undefined
}

/** Returns the time that the probe gives a container. */
function probeMs({ initialDelaySeconds = 0, failureThreshold = 3, ...probe }: StartupProbe): number {
  return initialDelaySeconds * 1_000 + probePeriodMs(probe) * failureThreshold
}

function probePeriodMs({ periodSeconds = 10 }: StartupProbe): number {
  return periodSeconds * 1_000
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

/** Returns when the start of the pod last made a step: its present state has lasted since then. A restart is no step. */
export function latestProgress(pod: PodObject, createdAt: Instant): Instant {
  let latest = createdAt
  for (const condition of pod.status?.conditions ?? []) {
    if (condition.status !== 'True' || !startSteps.has(condition.type)) continue
    latest = Math.max(latest, transition(condition) ?? createdAt)
  }
  for (const { state, restartCount = 0 } of pod.status?.initContainerStatuses ?? []) {
    if (restartCount > 0) continue
    const at = Date.parse(state?.terminated?.finishedAt ?? state?.running?.startedAt ?? '')
    if (at > latest) latest = at
  }
  return latest
}

const startSteps: ReadonlySet<string> = new Set(['PodScheduled', 'PodReadyToStartContainers', 'Initialized'])

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
