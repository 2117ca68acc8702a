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
  left: { runners: 0, at: 0, retryAt: undefined },
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

/** A runner left by itself without a job. After several idle spares wait, longer each time. */
export function leftIdle(history: History, at: Instant, key: string, limits: Limits): History {
  const runners = (at < leftUntil(history, limits) ? history.left.runners : 0) + 1
  const wait = runners > limits.leftIdleMax ? retryWaitMs('idle-runner-left', runners - limits.leftIdleMax, key) : 0
  return { ...history, left: { runners, at, retryAt: wait ? at + wait : undefined } }
}

/** A runner of the set got a job. It takes back one that left now and then; only time ends what is shown, or jobs between would hide it. */
export function oneGotJob(history: History, limits: Limits): History {
  const { left } = history
  if (left.runners === 0 || left.runners > limits.leftIdleMax) return history
  return { ...history, left: { ...left, runners: left.runners - 1 } }
}

/** The forge could not be reached: runners that left say nothing any more. */
export function noneLeft(history: History): History {
  return history.left.runners === 0 ? history : { ...history, left: noHistory.left }
}

/** Returns until when the runners that left count, if no other one leaves: longer than a life of some minutes and the longest wait for the next one. */
export function leftUntil({ left }: History, limits: Limits): Instant {
  return left.at + limits.failureMemoryMs
}

/** Returns what happened if more runners left than a forge may remove now and then; undefined otherwise. */
export function failureOfLeft(history: History, limits: Limits, now: Instant): Failure | undefined {
  const { left } = history
  if (left.runners <= limits.leftIdleMax || now >= leftUntil(history, limits)) return undefined
  return {
    reason: 'idle-runner-left',
    message: `${left.runners} runners ended with exit code 0 and without a job`,
  }
}

/** A runner is started. */
export function tried(history: History): History {
  return history.proof === 'untried' ? { ...history, proof: 'tried' } : history
}

/** Returns until when the failures in a row count, if there is no other one. */
export function failuresUntil({ failedAt }: History, limits: Limits): Instant {
  return failedAt + limits.failureMemoryMs + 1
}

/** Returns the failures in a row that still count: time heals them. */
export function recentFailures(history: History, limits: Limits, now: Instant): number {
  return now < failuresUntil(history, limits) ? history.failuresInARow : 0
}

/** Returns whether a failure with this reason is the template's, so that every runner of the set would meet it. */
export function isOfTemplate(failure: Failure): boolean {
  return failureInfo(failure.reason).class === 'template'
}
