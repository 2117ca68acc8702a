// Broken jobs: how they become known, and what each answer of the forge about their runs changes.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../../model/failure.ts'
import type { NamedJob } from '../../model/forge-event.ts'
import type { Outcome } from '../../model/outcome.ts'
import type {
  AskKey,
  BrokenJob,
  BrokenRun,
  ForgeJob,
  RerunPolicy,
  Reruns,
  Settled,
  UnnamedBreak,
} from '../../model/rerun.ts'
import type { ContainerEnd, Runner } from '../../model/runner.ts'
import { breakCauseOf } from '../rerun/cause.ts'
import { noteOf } from '../rerun/note.ts'
import {
  askKeyOf,
  dayOf,
  isOf,
  look,
  pendingMax,
  repeatedToday,
  withBroken,
  withRun,
  withRuns,
} from '../rerun/reruns.ts'
import { forgetMs, graceMs, type Verdict, verdictOf } from '../rerun/verdict.ts'
import { callFailed, callSucceeded, type FoldStep, setSubject, subject } from './step.ts'

type AskOutcome = Extract<Outcome, { action: 'ask-run' }>

/** A run that is open is looked at again after this, doubled each time, in milliseconds. The event of its job's end brings the next look forward. */
const lookAgain = { first: 2_000, most: 30_000 }
const soonMs = 500

/** A runner failed. Its job may be known only from the stored status, or not yet. */
export function broke(step: FoldStep, runner: Runner, failure: Failure, end: ContainerEnd | undefined): void {
  const { state, at } = step
  const cause = breakCauseOf(failure, end)
  if (!state.set.source.rerun || cause === undefined) return
  const facts = runner.pod.is === 'present' ? runner.pod.value : undefined
  const brokeAt = facts?.disrupted?.since ?? end?.at ?? at
  const unnamed = { runner: runner.name, cause, detail: failure.message, brokeAt, endedAt: at }
  const job = runner.job?.run ? runner.job : state.jobs.find((one) => one.runner === runner.name)
  if (job?.run) follow(step, unnamed, { ...job, origin: { run: job.run } })
  else state.reruns = withRuns(state.reruns, { unnamed: [...state.reruns.unnamed, unnamed].slice(-pendingMax) })
}

/** The forge names the job of a runner. At its end, its run may be looked at. */
export function jobNamed(step: FoldStep, runner: string, job: NamedJob | undefined, isOver: boolean): void {
  const { reruns } = step.state
  if (reruns.runs.length + reruns.unnamed.length === 0) return
  const unnamed = reruns.unnamed.find((one) => one.runner === runner)
  if (unnamed && job) follow(step, unnamed, job)
  const run = isOver ? step.state.reruns.runs.find(({ jobs }) => jobs.some((one) => one.runner === runner)) : undefined
  if (run) change(step, run, { dueAt: Math.min(run.dueAt, step.at + soonMs), looks: 0 })
}

function follow(step: FoldStep, broken: UnnamedBreak, { name, repository, origin }: NamedJob): void {
  const run = origin?.run
  if (run === undefined) return
  const { state } = step
  state.reruns = withBroken(state.reruns, {
    ...broken,
    ...{ name, repository, run, ended: false, doubtful: false, note: undefined },
  })
  const all = state.reruns.runs.flatMap(({ jobs }) => jobs)
  for (const job of all.slice(0, Math.max(0, all.length - pendingMax))) settle(step, job, 'forgotten', undefined)
}

/** The calls of an earlier term are over, and may have been carried out. */
export function rerunsAbandoned({ state }: FoldStep): void {
  const runs = state.reruns.runs.map((run) => (run.underway ? { ...withDoubt(run), underway: false } : run))
  state.reruns = withRuns(state.reruns, { runs, refused: {} })
}

export function askBegan(step: FoldStep, of: Pick<BrokenRun, 'repository' | 'run'>): void {
  const run = step.state.reruns.runs.find((one) => isOf(one, of))
  if (run) change(step, run, { underway: true })
}

export function foldAsk(step: FoldStep, outcome: AskOutcome): void {
  const found = step.state.reruns.runs.find((one) => isOf(one, outcome))
  const key = askKeyOf(outcome.ask)
  if (isUnsuccessful(outcome.result)) failed(step, outcome, key)
  else if (outcome.result.is !== 'aborted') succeeded(step, key)
  if (!found) return
  const run = { ...found, underway: false, jobs: unexpired(step, found) }
  change(step, found, run)
  if (outcome.ask.is === 'notify') notified(step, run, outcome)
  else if (outcome.result.is === 'seen') judge(step, run, outcome.result.jobs)
  else asked(step, run, outcome)
}

/** A job is forgotten after a day without the forge's permission. */
function unexpired(step: FoldStep, { jobs }: BrokenRun): readonly BrokenJob[] {
  const old = jobs.filter(({ endedAt }) => step.at >= endedAt + forgetMs)
  for (const job of old)
    if (!job.note) step.events.push({ kind: 'job-not-repeated', ...eventOf(step, job), why: 'unknown' })
  return old.length > 0 ? jobs.filter((job) => !old.includes(job)) : jobs
}

function eventOf(step: FoldStep, { runner, name, repository, run, cause }: BrokenJob) {
  return { ...subject(step, runner), job: name, repository, run, cause }
}

function isUnsuccessful({ is }: AskOutcome['result']): boolean {
  return is === 'refused' || is === 'lost-answer'
}

function failed(step: FoldStep, { result }: AskOutcome, key: AskKey): void {
  if (result.is !== 'refused' && result.is !== 'lost-answer') return
  const { reruns } = step.state
  callFailed(step, key, result.retryAt)
  step.state.reruns = withRuns(reruns, { refused: { ...reruns.refused, [key]: result.failure } })
  step.events.push({ kind: 'forge-failed', ...setSubject(step.state), failure: result.failure })
}

function succeeded(step: FoldStep, key: AskKey): void {
  const { reruns } = step.state
  callSucceeded(step, key)
  if (reruns.refused[key]) step.state.reruns = withRuns(reruns, { refused: { ...reruns.refused, [key]: undefined } })
}

function notified(step: FoldStep, run: BrokenRun, { ask, result }: AskOutcome): void {
  if (ask.is !== 'notify' || result.is !== 'accepted') return
  change(step, run, { jobs: run.jobs.filter(({ runner }) => runner !== ask.note.runner) })
}

/** The answer to a request to end or to repeat a run. */
function asked(step: FoldStep, run: BrokenRun, { ask, result }: AskOutcome): void {
  const isEnd = ask.is === 'end'
  switch (result.is) {
    case 'accepted':
      if (isEnd) change(step, run, { ...withEnd(run), ...again(step, run, 0, soonMs) })
      else if (ask.is === 'repeat' || ask.is === 'repeat-failed') repeated(step, run, ask.runners)
      break
    case 'running':
      change(step, run, isEnd ? again(step, run, 0, soonMs) : again(step, run))
      break
    case 'lost-answer':
    case 'aborted':
      change(step, run, { ...(isEnd ? withEnd(run) : withDoubt(run)), next: look, dueAt: step.at })
      break
    default:
      // It goes behind the others: one that is never allowed holds none of them up.
      change(step, run, { next: look, dueAt: step.at })
  }
}

function repeated(step: FoldStep, run: BrokenRun, runners: readonly string[]): void {
  const { state, at } = step
  const done = run.jobs.filter(({ runner }) => runners.includes(runner))
  change(step, run, again(step, run, 0, lookAgain.most))
  for (const job of done) settle(step, job, 'by-dayfly', seenOf(run.seen, job))
  state.reruns = withRuns(state.reruns, {
    day: dayOf(at),
    repeated: repeatedToday(state.reruns, at) + done.length,
  })
}

/** The forge has shown the jobs of the run: each broken one is judged. */
function judge(step: FoldStep, run: BrokenRun, jobs: readonly ForgeJob[]): void {
  const { state, at } = step
  const policy = state.set.source.rerun
  if (!policy) return
  const left = policy.perDay - repeatedToday(state.reruns, at) - underwayIn(state.reruns, run)
  const open = run.jobs.filter(({ note }) => note === undefined)
  const judged = open.map((job) => ({ job, verdict: verdictOf(job, { jobs, policy, left, now: at }) }))
  change(step, run, { seen: jobs })
  for (const { job, verdict } of judged) if (verdict.is === 'not') decided(step, run, job, verdict)
  const rest = judged.filter(({ verdict }) => verdict.is !== 'not')
  change(step, run, nextOf(step, { ...run, seen: jobs }, rest, left))
}

/** Returns how many jobs of other runs are about to be repeated. */
function underwayIn({ runs }: Reruns, run: BrokenRun): number {
  return runs.reduce((sum, one) => sum + (isOf(one, run) || !('runners' in one.next) ? 0 : one.next.runners.length), 0)
}

/** A repeated job that a request of ours without an answer may have repeated counts as ours. */
function decided(step: FoldStep, run: BrokenRun, job: BrokenJob, { why, job: shown }: Verdict & { is: 'not' }): void {
  if (why === 'repeated' && job.doubtful) repeated(step, run, [job.runner])
  else settle(step, job, why, shown)
}

type Judged = { readonly job: BrokenJob; readonly verdict: Verdict }

/** All failed jobs of a run are repeated together if each is a broken one; else one of them. */
function nextOf(step: FoldStep, run: BrokenRun, judged: readonly Judged[], left: number): Partial<BrokenRun> {
  const ready = judged.flatMap(({ verdict }) => (verdict.is === 'repeat' ? [verdict.job] : []))
  const [first] = ready
  const due = { dueAt: step.at, looks: 0 }
  if (first) {
    const bad = (run.seen ?? []).filter(({ state }) => state === 'failed' || state === 'cancelled')
    const runners = ready.flatMap(({ runner }) => runner ?? [])
    const together = ready.length > 1 && bad.length === ready.length && ready.length <= left
    if (together) return { ...due, next: { is: 'repeat-failed', runners } }
    return { ...due, next: { is: 'repeat', job: first.id, runners: runners.slice(0, 1) } }
  }
  if (judged.length > 0 && judged.every(({ verdict }) => verdict.is === 'end')) return { ...due, next: { is: 'end' } }
  const endableAt = Math.max(0, ...judged.map(({ job }) => (job.ended ? 0 : job.endedAt + graceMs)))
  const { dueAt, ...later } = again(step, run)
  return { ...later, dueAt: endableAt > step.at ? Math.min(dueAt, endableAt) : dueAt }
}

function again(step: FoldStep, run: BrokenRun, looks = run.looks + 1, ms?: number) {
  const wait = ms ?? Math.min(lookAgain.first * 2 ** (looks - 1), lookAgain.most)
  return { next: look, looks, dueAt: (step.at + wait) as Instant }
}

function withEnd(run: BrokenRun): Pick<BrokenRun, 'jobs'> {
  return { jobs: run.jobs.map((job) => (job.note ? job : { ...job, ended: true })) }
}

function withDoubt(run: BrokenRun): BrokenRun {
  const runners = 'runners' in run.next ? run.next.runners : []
  const jobs = run.jobs.map((job) => (runners.includes(job.runner) ? { ...job, doubtful: true } : job))
  return { ...run, jobs, next: look }
}

function settle(step: FoldStep, job: BrokenJob, settled: Settled, shown: ForgeJob | undefined): void {
  const { state, events } = step
  const { runner } = job
  const of = eventOf(step, job)
  if (settled === 'by-dayfly') events.push({ kind: 'job-repeated', ...of })
  else events.push({ kind: 'job-not-repeated', ...of, why: settled })
  const notifies = (state.set.source.rerun as RerunPolicy | undefined)?.notify === true
  const note = notifies ? noteOf(job, settled, shown, state.set) : undefined
  const found = state.reruns.runs.find((one) => isOf(one, job))
  if (!found) return
  const jobs = note
    ? found.jobs.map((one) => (one.runner === runner ? { ...one, note } : one))
    : found.jobs.filter((one) => one.runner !== runner)
  change(step, found, { jobs })
}

function seenOf(jobs: readonly ForgeJob[] | undefined, { runner }: BrokenJob): ForgeJob | undefined {
  return jobs?.find((one) => one.runner === runner)
}

function change({ state }: FoldStep, run: BrokenRun, changed: Partial<BrokenRun>): void {
  state.reruns = withRun(state.reruns, run, changed)
}
