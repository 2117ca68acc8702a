// The cause of a slow start or a stuck end from the pod's Events: the kubelet reports some causes nowhere else (docs/reference/kubernetes.md#s4-2).
import { type FailureReason, reasonOfEvent, type StartCause } from '@dayfly/runner-set/model/failure'
import { causeOfStuckEnd, hungHook } from './explain-end.ts'
import type { EventObject, PodObject } from './pod-object.ts'

/** Returns what holds up the start of a pod, or the end of a pod that is being deleted; undefined if nothing names a cause. */
export function explainPod(events: readonly EventObject[], pod: PodObject): StartCause | undefined {
  const latestFirst = events
    .map((event) => ({ ...event, at: timeOf(event) }))
    .sort((left, right) => right.at - left.at || compare(left.message, right.message))
  const { deletionTimestamp } = pod.metadata
  if (deletionTimestamp === undefined) return causeOfSlowStart(latestFirst, pod)
  const cause = causeOfStuckEnd(latestFirst, pod)
  return cause && { ...cause, since: Date.parse(deletionTimestamp) }
}

type DatedEvent = EventObject & { readonly at: number }

/** No container begins before the pod has its volumes and its sandbox, so these causes are over then. */
const beforeContainers: ReadonlySet<FailureReason> = new Set(['volume-failed', 'sandbox-failed'])
const containerBegins: ReadonlySet<string | undefined> = new Set(['Pulling', 'Pulled', 'Created', 'Started'])

/** The latest Event that names a cause wins. If none does, a container that started long ago and has a hook means that the hook hangs. */
function causeOfSlowStart(latestFirst: readonly DatedEvent[], pod: PodObject): StartCause | undefined {
  const begun = latestFirst.find(({ reason }) => containerBegins.has(reason))?.at ?? Number.NEGATIVE_INFINITY
  for (const event of latestFirst) {
    const reason = reasonOfEvent(event.reason)
    if (reason && beforeContainers.has(reason) && event.at <= begun) continue
    if (reason) return { reason, message: event.message ?? event.reason ?? '', since: firstTimeOf(event) ?? event.at }
  }
  const pull = openPull(latestFirst)
  if (pull) return pull
  const message = hungHook(latestFirst, pod)
  const started = latestFirst.find(({ reason }) => reason === 'Started')
  return message !== undefined && started ? { reason: 'hook-hangs', message, since: started.at } : undefined
}

/** The kubelet reports the begin and the end of a pull, both with the name of the image in quotes. */
function openPull(latestFirst: readonly DatedEvent[]): StartCause | undefined {
  const pulling = latestFirst.find(({ reason }) => reason === 'Pulling')
  const image = /"([^"]+)"/.exec(pulling?.message ?? '')?.[1]
  if (!pulling || image === undefined) return undefined
  const isPulled = latestFirst.some(
    ({ reason, message = '', at }) => reason === 'Pulled' && at >= pulling.at && message.includes(`"${image}"`),
  )
  if (isPulled) return undefined
  const step = { allowedMs: undefined, late: 'image-slow' } as const
  return { reason: 'start-under-way', message: `the node pulls the image ${image}`, since: pulling.at, step }
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
