// Compares the jobs of one set from view to view: which began to wait, which started on a runner, and how each ended.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeEvent, NamedJob } from '@dayfly/runner-set/model/forge-event'
import type { JobsView } from './jobs-view.ts'
import type { ListedJob } from './wire.ts'

/** A job that waits for the set or runs on one of its runners. After a re-run, a job of the same id waits again. */
type Attempt = {
  readonly job: ListedJob
  readonly queuedAt: Instant
  /** Undefined while it waits. */
  readonly runner: string | undefined
}

export type Attempts = ReadonlyMap<string, Attempt>

type SetAt = {
  readonly runnerPrefix: string
  /** The jobs that wait for the set. */
  readonly waiting: readonly ListedJob[]
  /** When the last view was requested; undefined for the first one. */
  readonly lastAt: Instant | undefined
  /** Converts a time of the server's clock to ours. */
  readonly fromServer: (at: Instant) => Instant
}

/** Returns the attempts that the view shows. @param before those of the last view */
export function attemptsIn(view: JobsView, before: Attempts, set: SetAt): Attempts {
  const attempts = new Map<string, Attempt>()
  const add = (job: ListedJob, runner: string | undefined) => {
    const known = before.get(job.id)
    // A job that waits after it had a runner was queued again.
    const isSame = known !== undefined && (known.runner === undefined || known.runner === runner)
    attempts.set(job.id, { job, runner, queuedAt: isSame ? known.queuedAt : queuedAt(job, view.at, set) })
  }
  for (const job of set.waiting) add(job, undefined)
  for (const job of view.jobs) {
    if (job.state === 'running' && job.runnerName.startsWith(set.runnerPrefix)) add(job, job.runnerName)
  }
  return attempts
}

/** A job with `needs` is created long before it is ready: it was not ready in the view before. */
function queuedAt({ createdAt }: ListedJob, at: Instant, { lastAt, fromServer }: SetAt): Instant {
  const created = createdAt === undefined ? at : fromServer(createdAt)
  return Math.min(at, Math.max(created, lastAt ?? created))
}

/** Returns what happened between two views, ends first. */
export function eventsBetween(before: Attempts, after: Attempts, view: JobsView, set: SetAt): readonly ForgeEvent[] {
  const ends = [...before.values()].flatMap((attempt) => {
    const now = after.get(attempt.job.id)
    const goesOn = now !== undefined && (attempt.runner === undefined || now.runner === attempt.runner)
    return goesOn ? [] : endOf(attempt, view, set)
  })
  // A job that was never listed as unfinished was shorter than the time between two polls.
  const unseen = view.ended.flatMap((job) => {
    const isNew = set.lastAt !== undefined && job.seenAt > set.lastAt && !before.has(job.id)
    return isNew && job.runnerName.startsWith(set.runnerPrefix)
      ? shortJob(job, queuedAt(job, view.at, set), view.at, set)
      : []
  })
  const begins = [...after.values()].flatMap((attempt) => {
    const known = before.get(attempt.job.id)
    if (known && known.runner === attempt.runner) return []
    return attempt.runner === undefined ? [waits(attempt)] : [started(attempt, attempt.runner, view.at, set)]
  })
  return [...ends, ...unseen, ...begins]
}

function endOf(attempt: Attempt, view: JobsView, set: SetAt): readonly ForgeEvent[] {
  const { id } = attempt.job
  const { at } = view
  if (attempt.runner !== undefined) {
    const end = view.ended.findLast((job) => job.id === id && job.runnerName === attempt.runner)
    return [{ kind: 'job-finished', runner: attempt.runner, jobId: id, result: end?.conclusion || 'unknown', at }]
  }
  const end = view.ended.findLast((job) => job.id === id)
  if (!end || end.runnerName === '') return [{ kind: 'job-dropped', jobId: id, result: end?.conclusion || 'taken' }]
  if (!end.runnerName.startsWith(set.runnerPrefix)) return [{ kind: 'job-dropped', jobId: id, result: 'taken' }]
  return shortJob(end, attempt.queuedAt, at, set)
}

function shortJob(job: ListedJob, queuedAt: Instant, at: Instant, set: SetAt): readonly ForgeEvent[] {
  const { id: jobId, runnerName: runner, conclusion } = job
  const result = conclusion || 'unknown'
  return [started({ job, queuedAt, runner }, runner, at, set), { kind: 'job-finished', runner, jobId, result, at }]
}

function waits({ job, queuedAt }: Attempt): ForgeEvent {
  return { kind: 'job-waits', job: named(job), queuedAt }
}

function started({ job, queuedAt }: Attempt, runner: string, at: Instant, { fromServer }: SetAt): ForgeEvent {
  const startedAt = job.startedAt === undefined ? at : Math.min(at, fromServer(job.startedAt))
  return { kind: 'job-started', runner, job: named(job), at: startedAt, queuedAt: Math.min(queuedAt, startedAt) }
}

function named({ id, name, repository, run, branch }: ListedJob): NamedJob {
  const origin = { ...(run === undefined ? {} : { run }), ...(branch === undefined ? {} : { ref: branch }) }
  return { id, name, repository, ...(run === undefined && branch === undefined ? {} : { origin }) }
}
