// The cause of a slow start from the pod's events: what the kubelet says nowhere else (Kubernetes reference 4.2).
import type { FailureReason } from '../../model/failure.ts'
import type { StartFailure } from '../../model/runner.ts'

/** An event of the core group, as far as it is read. */
export type EventObject = {
  readonly reason?: string
  readonly message?: string
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

const eventReasons: Readonly<Record<string, FailureReason>> = {
  FailedMount: 'volume-failed',
  FailedAttachVolume: 'volume-failed',
  FailedMapVolume: 'volume-failed',
  FailedCreatePodSandBox: 'sandbox-failed',
  NetworkNotReady: 'sandbox-failed',
  SandboxChanged: 'sandbox-failed',
  FailedPostStartHook: 'hook-failed',
  FailedScheduling: 'unschedulable',
}

/** The last event that names a cause. `hooked`: a container of the pod has a postStart hook, so that a start without an end means that it hangs. */
export function explainStart(events: readonly EventObject[], hooked: boolean): StartFailure | undefined {
  const told = events
    .map((event) => ({ event, at: timeOf(event) }))
    .sort((left, right) => right.at - left.at || compare(left.event.message, right.event.message))
  for (const { event, at } of told) {
    const reason = eventReasons[event.reason ?? '']
    if (reason) return { reason, message: event.message ?? event.reason ?? '', since: firstTimeOf(event) ?? at }
  }
  const started = told.find(({ event }) => event.reason === 'Started')
  if (!hooked || !started) return undefined
  return {
    reason: 'hook-hangs',
    message: `${started.event.message ?? 'started'}, and its hook has not returned`,
    since: started.at,
  }
}

function timeOf(event: EventObject): number {
  return Date.parse(event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? '') || 0
}

function firstTimeOf(event: EventObject): number | undefined {
  return Date.parse(event.firstTimestamp ?? '') || undefined
}

function compare(left = '', right = ''): number {
  return left < right ? -1 : left > right ? 1 : 0
}
