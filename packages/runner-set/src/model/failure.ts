// The closed list of reasons for which a runner, a set or a forge can fail. The core reads their class, retry and deadline here only.
import type { Instant } from '@dayfly/kit/clock'
import type { FailureInfo } from './failure-info.ts'
import { failures } from './failure-table.ts'

export type FailureReason = keyof typeof failures

/** Returns the entry of a reason. */
export function failureInfo(reason: FailureReason): FailureInfo {
  return failures[reason]
}

/** One failure as users see it. `message` adds what was observed, for example a container's name and the API server's sentence. */
export type Failure = { readonly reason: FailureReason; readonly message: string }

/** A failure that lasts. @param since its first evidence */
export type LastingFailure = Failure & { readonly since: Instant }

/** The cause that holds a start up. `step`: the operator configured this step, and it is within its time. */
export type StartCause = LastingFailure & { readonly step?: StartStep }

/** `allowedMs`: the step's own bound; undefined if it has none, and `startMax` of the set bounds it. `late`: the reason if it takes longer. */
export type StartStep = { readonly allowedMs: number | undefined; readonly late: FailureReason }

const byContainer = index('containerReasons')
const byEvent = index('eventReasons')
const byEnd = index('endReasons')

/** Returns the reason for a `reason` of a waiting or failed container; undefined for one that is no failure. */
export function reasonOfContainer(text: string | undefined): FailureReason | undefined {
  return byContainer.get(text ?? '')
}

/** Returns the reason for a `reason` of an Event of a pod; undefined for an Event that is no failure. */
export function reasonOfEvent(text: string | undefined): FailureReason | undefined {
  return byEvent.get(text ?? '')
}

/** Returns the reason for the `reason` with which a container or a pod ended; undefined for an end that names none. */
export function reasonOfEnd(text: string | undefined): FailureReason | undefined {
  if (text === undefined) return undefined
  // The kubelet names the resource behind these letters: OutOfcpu, OutOfmemory, OutOfnvidia.com/gpu.
  return byEnd.get(text) ?? (text.startsWith('OutOf') ? 'node-refused' : undefined)
}

function index(column: 'containerReasons' | 'eventReasons' | 'endReasons'): ReadonlyMap<string, FailureReason> {
  const reasons = Object.keys(failures) as FailureReason[]
  return new Map(
    reasons.flatMap((reason) => (failureInfo(reason)[column] ?? []).map((text) => [text, reason] as const)),
  )
}
