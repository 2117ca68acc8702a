// The jobs that runners took last. The status carries them, so that an operator finds the runner of a job without a write for each runner.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { JobOrigin } from '../../model/forge-event.ts'
import type { JobRecord } from '../../model/status.ts'

/** A longer name is cut: the status is written once a second while jobs come and go. */
const nameLengthMax = 200

type Started = {
  readonly runner: string
  readonly job: {
    readonly id: string
    readonly name: string
    readonly repository: string
    readonly origin?: JobOrigin | undefined
  }
  readonly at: Instant
}

/** Adds a job in front, once. @param most the number of jobs to keep */
export function withStarted(
  jobs: readonly JobRecord[],
  { runner, job, at }: Started,
  most: number,
): readonly JobRecord[] {
  const { id, repository, origin } = job
  if (jobs.some((one) => one.runner === runner && one.id === id)) return jobs
  const name = job.name.slice(0, nameLengthMax)
  const run = origin?.run === undefined ? {} : { run: origin.run }
  const startedAt = timestamp(at)
  const record: JobRecord = { id, name, repository, ...run, runner, startedAt, result: null, finishedAt: null }
  return [record, ...jobs].slice(0, most)
}

type Finished = { readonly runner: string; readonly result: string; readonly at: Instant }

/** Notes the result of a runner's job. A job that is no longer kept stays forgotten. */
export function withFinished(jobs: readonly JobRecord[], { runner, result, at }: Finished): readonly JobRecord[] {
  return jobs.map((one) =>
    one.runner === runner && one.result === null ? { ...one, result, finishedAt: timestamp(at) } : one,
  )
}
