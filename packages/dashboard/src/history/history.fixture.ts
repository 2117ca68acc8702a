// A history that leads, and a short way to write the events of a set.
import type { Instant } from '@dayfly/kit/clock'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
import type { NamedJob } from '@dayfly/runner-set/model/forge-event'
import { History, type HistoryBounds, historyBounds } from './history.ts'
import type { SetFacts } from './set-facts.ts'

/** 2026-01-01T00:00:00Z */
export const start: Instant = 1_767_225_600_000
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute

export const facts: SetFacts = {
  id: 'ci/linux',
  url: 'https://github.com/octo',
  forge: 'github',
  paused: false,
  requests: { cpu: 2, memoryGib: 4 },
  objectiveMs: 30 * second,
  priceLabel: null,
}

export const ci = { namespace: 'ci', set: 'linux' } as const
export const about = (runner = 'a') => ({ ...ci, runner }) as const

export function namedJob(id = 'j1', repository = 'octo/web'): NamedJob {
  return { id, name: `build ${id}`, repository, origin: { workflow: 'ci.yml', ref: 'main', run: '77' } }
}

/** A history that leads since `start`, and takes events at seconds after that. */
export function opened(bounds: HistoryBounds = historyBounds, history = new History(bounds)) {
  const at = (seconds: number, ...events: readonly JournalEvent[]) => {
    for (const event of events) history.take({ at: start + seconds * second, event })
  }
  history.take({ at: start, event: { kind: 'leadership-gained', identity: 'pod-1' } })
  history.describe(facts)
  history.touched()
  return { history, at, life: (runner = 'a') => history.life(`ci/${runner}`) }
}

/** All events of a good life, with their seconds. */
export function goodLife(runner = 'a', from = 0, job = namedJob()): readonly Entry[] {
  const of = about(runner)
  const events: readonly (readonly [number, JournalEvent])[] = [
    [1, { kind: 'runner-registered', ...of, registration: '7' }],
    [2, { kind: 'pod-created', ...of, uid: 'u' }],
    [5, { kind: 'runner-started', ...of, node: 'node-1', startMs: 3_000 }],
    [6, { kind: 'runner-online', ...of }],
    [10, { kind: 'job-started', ...of, job, queuedMs: 10_000 }],
    [70, { kind: 'job-finished', ...of, job: job.id, result: 'succeeded' }],
    [72, { kind: 'runner-ended', ...of, exitCode: 0, reason: 'Completed' }],
    [73, { kind: 'runner-gone', ...of, because: 'ended' }],
  ]
  return events.map(([seconds, event]) => ({ at: start + (from + seconds) * second, event }))
}
