// The failures of a set's runners, and when the next start may be tried.
import type { Instant } from '@dayfly/kit/clock'
import { type Failure, failureInfo } from '../../model/failure.ts'
import type { Limits } from '../../model/limits.ts'
import type { History } from '../../model/world.ts'
import { retryWaitMs } from '../retry.ts'

export const noHistory: History = {
  last: undefined,
  failuresInARow: 0,
  rounds: 0,
  failedAt: 0,
  retryAt: undefined,
  blocked: undefined,
  proof: 'untried',
  left: { inARow: 0, retryAt: undefined },
}

/** One failure of a runner, or of the attempt to start one. */
export type FailedStart = {
  readonly failure: Failure
  readonly runner: string | undefined
  readonly at: Instant
  /** When the start of this runner began. */
  readonly begunAt: Instant
  /** Distinguishes sets in the jitter of the back-off. */
  readonly key: string
}

/** Shows a failure as the last reason. Nothing waits for it. */
export function remember(history: History, failure: Failure, runner: string | undefined, at: Instant): History {
  return { ...history, last: { reason: failure.reason, message: failure.message, at, runner } }
}

/** Counts a runner that failed before it had a job. The next start waits: longer each round, or until the set changes. */
export function failedStart(history: History, failed: FailedStart, limits: Limits): History {
  const { failure, runner, at, begunAt, key } = failed
  const fresh = at - history.failedAt > limits.failureMemoryMs
  const failuresInARow = fresh ? 1 : history.failuresInARow + 1
  // Runners that were starting together fail together: they are one round, and the wait doubles once.
  const sameRound = !fresh && history.rounds > 0 && begunAt <= history.failedAt
  const rounds = fresh ? 1 : sameRound ? history.rounds : history.rounds + 1
  const wait = retryWaitMs(failure.reason, rounds, key)
  const blocked = wait === undefined ? failure : history.blocked
  const retryAt = wait === undefined ? history.retryAt : Math.max(history.retryAt ?? 0, at + wait)
  return { ...remember(history, failure, runner, at), failuresInARow, rounds, failedAt: at, retryAt, blocked }
}

/** A runner came online or got a job: the failures before are over. A cause that no runner can avoid stays. */
export function succeeded(history: History): History {
  return { ...history, failuresInARow: 0, rounds: 0, retryAt: undefined, proof: 'proved' }
}

/** A runner left by itself without a job. After several in a row idle spares wait, longer each time. */
export function leftIdle(history: History, at: Instant, key: string, limits: Limits): History {
  const inARow = history.left.inARow + 1
  const wait = inARow > limits.leftIdleMax ? retryWaitMs('idle-runner-left', inARow - limits.leftIdleMax, key) : 0
  return { ...history, left: { inARow, retryAt: wait ? at + wait : undefined } }
}

/** A runner of the set got a job, or the forge could not be reached: runners that left say nothing any more. */
export function noneLeft(history: History): History {
  return history.left.inARow === 0 ? history : { ...history, left: noHistory.left }
}

/** Returns what happened if more runners left than a forge may remove now and then; undefined otherwise. */
export function failureOfLeft({ left }: History, limits: Limits): Failure | undefined {
  if (left.inARow <= limits.leftIdleMax) return undefined
  return {
    reason: 'idle-runner-left',
    message: `${left.inARow} runners in a row ended with exit code 0 and without a job`,
  }
}

/** A runner is started. */
export function tried(history: History): History {
  return history.proof === 'untried' ? { ...history, proof: 'tried' } : history
}

/** Returns the failures in a row that still count: time heals them. */
export function recentFailures(history: History, limits: Limits, now: Instant): number {
  return now - history.failedAt > limits.failureMemoryMs ? 0 : history.failuresInARow
}

/** Returns whether a failure with this reason is the template's, so that every runner of the set would meet it. */
export function isOfTemplate(failure: Failure): boolean {
  return failureInfo(failure.reason).class === 'template'
}
