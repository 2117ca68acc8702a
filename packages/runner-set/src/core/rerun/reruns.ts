// The broken jobs of a set as values: how they enter, change, and are kept in the status.
import type { Instant } from '@dayfly/kit/clock'
import { hashText } from '@dayfly/kit/hash'
import { timestamp } from '@dayfly/kit/timestamp'
import {
  type Ask,
  type AskKey,
  type BreakCause,
  type BrokenJob,
  type BrokenRun,
  breakCauses,
  type PendingRerun,
  type RerunStatus,
  type Reruns,
} from '../../model/rerun.ts'

/** The most broken jobs that a set follows, and that its status keeps. */
export const pendingMax = 100
const detailMax = 300

export const noReruns: Reruns = { runs: [], unnamed: [], day: '', repeated: 0, refused: {}, stored: null }

export function dayOf(at: Instant): string {
  return timestamp(at).slice(0, 10)
}

export function repeatedToday({ day, repeated }: Reruns, at: Instant): number {
  return day === dayOf(at) ? repeated : 0
}

/** Returns the same with another list of runs. A run without jobs is forgotten. The part of the status stays the same value if it says the same. */
export function withRuns(reruns: Reruns, changed: Partial<Omit<Reruns, 'stored'>>): Reruns {
  const next = { ...reruns, ...changed }
  const runs = next.runs.filter(({ jobs }) => jobs.length > 0)
  const stored = statusOf({ ...next, runs })
  const isSame = JSON.stringify(stored) === JSON.stringify(reruns.stored)
  return { ...next, runs, stored: isSame ? reruns.stored : stored }
}

/** Adds a broken job, once. */
export function withBroken(reruns: Reruns, job: BrokenJob): Reruns {
  if (reruns.runs.some(({ jobs }) => jobs.some(({ runner }) => runner === job.runner))) return reruns
  const { repository, run } = job
  const known = reruns.runs.find((one) => isOf(one, job))
  // Runs that broke together are not asked for at the same moment.
  const dueAt = job.endedAt + 500 + (Number.parseInt(hashText(job.runner, 4), 16) % 1_500)
  const before = known ?? { repository, run, jobs: [], seen: undefined, looks: 0, underway: false, next: look, dueAt }
  const next: BrokenRun = { ...before, jobs: [...before.jobs, job], next: look, looks: 0, dueAt }
  const runs = known ? reruns.runs.map((one) => (one === known ? next : one)) : [...reruns.runs, next]
  return withRuns(reruns, { runs, unnamed: reruns.unnamed.filter(({ runner }) => runner !== job.runner) })
}

export const look = { is: 'look' } as const

export function askKeyOf({ is }: Ask): AskKey {
  if (is === 'notify') return 'notify-author'
  return is === 'look' ? 'look-run' : 'change-run'
}

export function isOf(one: Pick<BrokenRun, 'repository' | 'run'>, { repository, run }: typeof one): boolean {
  return one.repository === repository && one.run === run
}

export function withRun(reruns: Reruns, run: BrokenRun, change: Partial<BrokenRun>): Reruns {
  return withRuns(reruns, { runs: reruns.runs.map((one) => (isOf(one, run) ? { ...one, ...change } : one)) })
}

export function rerunsOf(stored: RerunStatus | null | undefined): Reruns {
  if (!stored) return noReruns
  const { day, repeated, pending } = stored
  const jobs = pending.flatMap((one) => brokenOf(one) ?? [])
  return jobs.reduce(withBroken, withRuns(noReruns, { day, repeated }))
}

function statusOf({ runs, day, repeated }: Omit<Reruns, 'stored'>): RerunStatus | null {
  const pending = runs.flatMap(({ jobs }) => jobs.map(pendingOf)).slice(-pendingMax)
  return pending.length === 0 && repeated === 0 ? null : { day, repeated, pending }
}

function pendingOf({ name, brokeAt, endedAt, note, detail, ...job }: BrokenJob): PendingRerun {
  const kept = note ? { sha: note.sha, title: note.title, text: note.text } : null
  const times = { brokeAt: timestamp(brokeAt), endedAt: timestamp(endedAt) }
  return { ...job, job: name, detail: detail.slice(0, detailMax), ...times, note: kept }
}

/** Returns undefined for one that another version has written. */
function brokenOf({ job, cause, brokeAt, endedAt, note, ...rest }: PendingRerun): BrokenJob | undefined {
  if (!isBreakCause(cause)) return undefined
  const { runner, repository } = rest
  const kept = note ? { ...note, runner, repository } : undefined
  return { ...rest, name: job, cause, brokeAt: Date.parse(brokeAt), endedAt: Date.parse(endedAt), note: kept }
}

function isBreakCause(text: string): text is BreakCause {
  return Object.hasOwn(breakCauses, text)
}
