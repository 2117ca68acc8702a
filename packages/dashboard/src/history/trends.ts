// Queue times of a window, by set and by repository.
import type { Instant } from '@dayfly/kit/clock'
import { groupedBy } from '@dayfly/kit/grouped'
import type { WaitingJob } from '../model/life.ts'
import type { QueueTimes, TrendPoint, Trends, WindowName } from '../model/trends.ts'
import type { CostSums, QueueRow } from './bucket.ts'
import { Histogram } from './histogram.ts'
import { fineMs, type Hours, hourMs } from './hours.ts'
import { type Past, type PastWindow, sumsIn, windowAt } from './past-window.ts'

export type TrendsQuestion = {
  readonly window: WindowName
  readonly now: Instant
  readonly waiting: readonly WaitingJob[]
  readonly objectiveOf: (set: string) => number | null
  /** The sets that the viewer may see. */
  readonly sees: (set: string) => boolean
}

/** The page shows no more of them. */
const shownMax = 200

export function trendsOf(past: Past, { window: name, now, waiting, objectiveOf, sees }: TrendsQuestion): Trends {
  const window = windowAt(name, now, past.since)
  const sums = sumsIn(past, window)
  const rows = [...sums.queues.values()].filter(({ set }) => sees(set))
  const costs = [...sums.costs.values()].filter(({ set }) => sees(set))
  const sets = [...groupedBy(rows, ({ set }) => set)]
  return {
    ...window,
    all: queueTimes(merged(rows.map(({ times }) => times))),
    points: pointsOf(past.hours, window, sees),
    sets: sets
      .map(([set, own]) => {
        const times = merged(own.map((row) => row.times))
        const objectiveMs = objectiveOf(set)
        return {
          set,
          ...queueTimes(times),
          objectiveMs,
          withinObjective: objectiveMs === null ? null : times.within(objectiveMs),
        }
      })
      .sort((one, next) => (one.set < next.set ? -1 : 1)),
    repositories: repositoriesOf(
      { queues: rows, costs },
      waiting.filter(({ set }) => sees(set)),
      now,
    ),
  }
}

/** A span without a job has a point, too: the line has a gap there. */
function pointsOf(hours: Hours, { window, from, to }: PastWindow, sees: TrendsQuestion['sees']): readonly TrendPoint[] {
  const width = window === '7d' ? hourMs : fineMs
  const buckets = new Map(hours.since(from, width).map((bucket) => [bucket.at, bucket] as const))
  const points: TrendPoint[] = []
  for (let at = from; at <= to; at += width) {
    const rows = [...(buckets.get(at)?.queues.values() ?? [])].filter(({ set }) => sees(set))
    points.push({ at, ...queueTimes(merged(rows.map(({ times }) => times))) })
  }
  return points
}

type RepositorySums = { times: Histogram; waitingMs: number; jobMs: number; longestMs: number | null }

type SeenSums = { readonly queues: readonly QueueRow[]; readonly costs: readonly CostSums[] }

/** A job that still waits has waited, too: without it, a repository without any runner would look well. */
function repositoriesOf(sums: SeenSums, waiting: readonly WaitingJob[], now: Instant): Trends['repositories'] {
  const by = new Map<string, RepositorySums>()
  const of = (name: string): RepositorySums => {
    const found = by.get(name) ?? { times: new Histogram(), waitingMs: 0, jobMs: 0, longestMs: null }
    by.set(name, found)
    return found
  }
  const waited = (row: RepositorySums, ms: number, longestMs: number) => {
    row.waitingMs += ms
    row.longestMs = Math.max(row.longestMs ?? 0, longestMs)
  }
  for (const { repository, times, waitingMs, longestMs } of sums.queues) {
    const row = of(repository)
    row.times.merge(times)
    waited(row, waitingMs, longestMs)
  }
  for (const { repository, sums: cost } of sums.costs) if (repository !== '') of(repository).jobMs += cost.jobMs
  for (const { repository, queuedAt } of waiting) {
    const ms = Math.max(0, now - queuedAt)
    waited(of(repository || 'unknown'), ms, ms)
  }
  const all = [...by.values()]
  const waitingMs = all.reduce((sum, row) => sum + row.waitingMs, 0)
  const jobMs = all.reduce((sum, row) => sum + row.jobMs, 0)
  return [...by]
    .sort(([, one], [, next]) => next.waitingMs - one.waitingMs || next.jobMs - one.jobMs)
    .slice(0, shownMax)
    .map(([repository, row]) => ({
      repository,
      ...queueTimes(row.times),
      waitingShare: waitingMs > 0 ? row.waitingMs / waitingMs : null,
      capacityShare: jobMs > 0 ? row.jobMs / jobMs : null,
      longestMs: row.longestMs,
    }))
}

function queueTimes(times: Histogram): QueueTimes {
  const { size: jobs } = times
  return { jobs, p50: times.percentile(0.5), p95: times.percentile(0.95), p99: times.percentile(0.99) }
}

function merged(times: readonly Histogram[]): Histogram {
  const all = new Histogram()
  for (const one of times) all.merge(one)
  return all
}
