// The jobs and the runners of an account, as one poll saw them.
import type { Instant } from '@dayfly/kit/clock'
import type { EndedJob } from './follower.ts'
import type { ListedJob, ListedRunner } from './wire.ts'

/** One poll: the jobs of the level that are not over, and those that ended lately. */
export type JobsView = {
  readonly at: Instant
  readonly jobs: readonly ListedJob[]
  /** The ids of the runners that have one of these jobs. */
  readonly busy: ReadonlySet<string>
  /** Jobs of our sets that ended or disappeared in the last minutes, the oldest first. */
  readonly ended: readonly EndedJob[]
  readonly runners: readonly ListedRunner[]
  /** When the poll began that read the runners: not every poll does. */
  readonly runnersAt: Instant
  /** Whether a job waits for a set of ours, or a runner of ours is registered. */
  readonly isActive: boolean
}

/** Returns the ids of the runners that have a running job. */
export function busyIn(jobs: readonly ListedJob[]): ReadonlySet<string> {
  return new Set(
    jobs.flatMap(({ state, runnerId }) => (state === 'running' && runnerId !== undefined ? [runnerId] : [])),
  )
}

/** Two views of the same shape show no job that moved. */
export function shapeOf(view: JobsView | undefined): string {
  const jobs = view?.jobs.map(({ id, state }) => `${id}${state[0]}`).join() ?? ''
  return `${jobs} ${view?.runners.map(({ id, isOnline }) => `${id}${isOnline}`).join()}`
}
