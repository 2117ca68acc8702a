// One step of the fold: what it changes, and the journal events that it yields.
import type { Instant } from '@dayfly/kit/clock'
import type { JournalEvent } from '../../model/event.ts'
import type { Failure } from '../../model/failure.ts'
import type { Limits } from '../../model/limits.ts'
import type { Runner } from '../../model/runner.ts'
import { runnerPrefix } from '../../model/runner-names.ts'
import type { RetryKey } from '../../model/world.ts'
import { afterFailure } from '../retry.ts'
import { failedStart, isOfTemplate, remember, succeeded } from './history.ts'
import type { SetState } from './set-state.ts'

export type FoldStep = {
  readonly state: SetState
  readonly limits: Limits
  readonly at: Instant
  readonly events: JournalEvent[]
}

/** Returns when a list was requested. If the clock was set back during the request, the list is dated by its arrival: what comes later must not look older. */
export function notAfter({ at }: FoldStep, requestedAt: Instant): Instant {
  return Math.min(requestedAt, at)
}

/** The set and the runner of a journal event. */
export function subject({ state }: FoldStep, runner: string) {
  return { ...setSubject(state), runner }
}

export function setSubject({ set }: SetState) {
  return { namespace: set.namespace, set: set.name }
}

/** Shows a failure as the last reason. */
export function note({ state, at }: FoldStep, failure: Failure, runner: string | undefined): void {
  state.history = remember(state.history, failure, runner, at)
}

/** Counts a runner that failed before it had a job: its replacement waits, and needs no job that the demand still counts.
 *  After a refusal of the template, the verdict on the template decides when the next runner starts. */
export function countFailure(step: FoldStep, failure: Failure, name: string, begunAt: Instant): void {
  const { state, limits, at } = step
  const key = runnerPrefix(state.set)
  if (isOfTemplate(failure)) note(step, failure, name)
  else state.history = failedStart(state.history, { failure, runner: name, at, begunAt, key }, limits)
  state.departures.settle(name)
}

/** @param runner one of an older template proves nothing about the present one */
export function countSuccess({ state }: FoldStep, runner: Runner | undefined): void {
  const hash = runner?.pod.is === 'present' ? runner.pod.value.templateHash : undefined
  if (!runner || hash === state.templateHash) state.history = succeeded(state.history)
}

/** When the life of a runner began: with its pod, or with the request for it. */
export function begunAt({ pod }: Runner): Instant {
  return pod.is === 'present' ? pod.value.createdAt : pod.since
}

/** A call of the set failed: it has a back-off of its own. */
export function callFailed({ state, limits, at }: FoldStep, key: RetryKey, retryAt: Instant | undefined): void {
  const before = state.retries[key]?.failures ?? 0
  const retry = afterFailure({ at, before, retryAt, key: `${runnerPrefix(state.set)}${key}` }, limits)
  state.retries = { ...state.retries, [key]: retry }
}

export function callSucceeded({ state }: FoldStep, key: RetryKey): void {
  if (state.retries[key]) state.retries = { ...state.retries, [key]: undefined }
}
