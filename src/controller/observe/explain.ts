// The cause of a slow start from the pod's Events: the kubelet reports some causes nowhere else (docs/reference/kubernetes.md#s4-2).
import { reasonOfEvent } from '../../model/failure.ts'
import type { StartFailure } from '../../model/runner.ts'
import type { PodObject } from './pod-object.ts'

/** The fields of an Event that are read. */
export type EventObject = {
  readonly reason?: string
  readonly message?: string
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
}

/** Returns the cause that the latest Event names. If none does, a container that started long ago and has a hook means that the hook hangs. */
export function explainStart(events: readonly EventObject[], pod: PodObject): StartFailure | undefined {
  const latestFirst = events
    .map((event) => ({ event, at: timeOf(event) }))
    .sort((left, right) => right.at - left.at || compare(left.event.message, right.event.message))
  for (const { event, at } of latestFirst) {
    const reason = reasonOfEvent(event.reason)
    if (reason) return { reason, message: event.message ?? event.reason ?? '', since: firstTimeOf(event) ?? at }
  }
  const started = latestFirst.find(({ event }) => event.reason === 'Started')
  if (!started || !hasHook(pod)) return undefined
  return {
    reason: 'hook-hangs',
    message: `${started.event.message ?? 'started'}, and its postStart hook has not returned`,
    since: started.at,
  }
}

function hasHook({ spec }: PodObject): boolean {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  return containers.some(({ lifecycle }) => lifecycle !== undefined)
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
