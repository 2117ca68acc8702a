// Folds the reports of the forge: demand, jobs, failures, and its registrations.
import { unreachable } from '@dayfly/kit/assert'
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../../model/failure.ts'
import type { ForgeEvent } from '../../model/forge-event.ts'
import { forgeTraits } from '../../model/forge-traits.ts'
import type { Registration, Runner } from '../../model/runner.ts'
import { runnerPrefix } from '../../model/runner-names.ts'
import { isGhost } from '../ending.ts'
import { needsCordon } from '../needs-cordon.ts'
import { isSeenOnline, phaseOf } from '../phase.ts'
import { jobNamed } from './fold-reruns.ts'
import { failureOfLeft, leftIdle, noneLeft, oneGotJob } from './history.ts'
import { put } from './lives.ts'
import { withFinished, withStarted } from './recent-jobs.ts'
import { withJob, withListedRegistration } from './runner-facts.ts'
import {
  begunAt,
  callSucceeded,
  countFailure,
  countSuccess,
  type FoldStep,
  notAfter,
  note,
  setSubject,
  subject,
} from './step.ts'

export function foldForgeEvent(step: FoldStep, event: ForgeEvent): void {
  const { forge } = step.state
  switch (event.kind) {
    case 'demand':
      demandReported(step, event)
      break
    case 'job-waits':
      forge.jobArrived(event.assignedAt, step.at, step.limits)
      step.events.push({ kind: event.kind, ...setSubject(step.state), job: event.job, queuedAt: event.queuedAt })
      break
    case 'job-dropped':
      forge.jobArrived(undefined, step.at, step.limits)
      step.events.push({ kind: event.kind, ...setSubject(step.state), job: event.jobId, result: event.result })
      break
    case 'job-started':
      jobStarted(step, event)
      break
    case 'job-finished':
      jobFinished(step, event)
      break
    case 'registrations':
      registrationsListed(step, event.registrations, event.at)
      break
    case 'state':
      forge.state = event.state
      break
    case 'failing':
      forgeFailed(step, event.failure, event.since)
      break
    case 'settings':
      forge.settingsFailure = event.failure
      if (event.failure) step.events.push({ kind: 'forge-failed', ...setSubject(step.state), failure: event.failure })
      break
    case 'runner-version':
      forge.versionReported(event.version)
      break
    default:
      unreachable(event)
  }
}

export function forgeFailed({ state, events }: FoldStep, failure: Failure, since: Instant): void {
  state.forge.failing(failure, since)
  state.unassigned = undefined
  state.history = noneLeft(state.history)
  events.push({ kind: 'forge-failed', ...setSubject(state), failure })
}

function demandReported({ state, events, at, limits }: FoldStep, event: Extract<ForgeEvent, { kind: 'demand' }>): void {
  const { forge } = state
  if (forge.failure) events.push({ kind: 'forge-connected', ...setSubject(state) })
  if (forge.demandReported(event, at, limits)) {
    events.push({ kind: 'demand-changed', ...setSubject(state), demand: event.demand })
  }
}

function jobStarted(step: FoldStep, event: Extract<ForgeEvent, { kind: 'job-started' }>): void {
  const { forge, departures, pendingRemovals, table } = step.state
  const { runner: name, job, at, queuedAt } = event
  const before = table.get(name)
  // The log of the runner and the list of the forge show the same job.
  if (before?.job?.id === job.id) return
  forge.jobReported(at, step.at, step.limits)
  countSuccess(step, before)
  step.state.history = oneGotJob(step.state.history, step.limits)
  step.state.unassigned = undefined
  departures.jobStarted(name)
  pendingRemovals.hadJob(name)
  const isLate = isNextJob(step, name, job.id)
  if (before && (needsCordon(step.state.set) || !before.job)) {
    const { id, name: title, repository, origin } = job
    put(step, withJob(before, { id, name: title, repository, run: origin?.run, startedAt: at, finished: undefined }))
  }
  step.state.jobs = withStarted(step.state.jobs, { runner: name, job, at: step.at }, step.limits.jobsShown)
  if (isLate) {
    step.state.lateJobs++
    step.events.push({ kind: 'job-late', ...subject(step, name), job: job.id })
  }
  jobNamed(step, name, job, false)
  const queuedMs = queuedAt === undefined ? undefined : at - queuedAt
  const objectiveMs = step.state.set.queueTimeMs
  const isJudged = queuedMs !== undefined && objectiveMs !== undefined
  const objective = isJudged ? { objective: queuedMs > objectiveMs ? ('missed' as const) : ('kept' as const) } : {}
  step.events.push({ kind: 'job-started', ...subject(step, name), job, queuedMs, ...objective })
}

/** A runner that the forge does not end takes another job if its cordon comes too late. The stored jobs know what an earlier leader saw. */
function isNextJob({ state }: FoldStep, name: string, id: string): boolean {
  if (!needsCordon(state.set)) return false
  const known = state.jobs.filter(({ runner }) => runner === name)
  if (known.some((one) => one.id === id)) return false
  return state.table.get(name)?.job !== undefined || known.length > 0
}

function jobFinished(step: FoldStep, event: Extract<ForgeEvent, { kind: 'job-finished' }>): void {
  const { forge, departures, pendingRemovals, table } = step.state
  const { runner: name, jobId, result, at } = event
  const before = table.get(name)
  if (before?.job?.id === jobId && before.job.finished) return
  forge.jobReported(at, step.at, step.limits)
  departures.settle(name)
  if (!needsCordon(step.state.set)) pendingRemovals.clear(name)
  step.events.push({ kind: 'job-finished', ...subject(step, name), job: jobId, result })
  step.state.jobs = withFinished(step.state.jobs, { runner: name, result, at: step.at })
  jobNamed(step, name, event.job, true)
  if (!before || before.job?.finished) return
  const { name: title = '', repository = '', origin } = event.job ?? {}
  const unheard = { id: jobId, name: title, repository, run: origin?.run, startedAt: step.at, finished: undefined }
  const job = before.job ?? unheard
  put(step, withJob(before, { ...job, finished: { result, at: step.at } }))
}

/** A complete list of the forge. Before the first complete list of pods it says nothing about who has a registration without a pod. */
export function registrationsListed(
  step: FoldStep,
  registrations: readonly Registration[],
  requestedAt: Instant,
): void {
  const { state } = step
  const askedAt = notAfter(step, requestedAt)
  callSucceeded(step, 'list-registrations')
  if (!state.forge.listed(registrations.length, askedAt)) return
  const byName = new Map<string, Registration[]>()
  for (const registration of registrations) {
    const same = byName.get(registration.name)
    if (same) same.push(registration)
    else byName.set(registration.name, [registration])
  }
  for (const runner of state.table.all()) compareRunner(step, runner, ownOf(runner, byName.get(runner.name)), askedAt)
  if (needsCordon(state.set)) finishUnseen(step, byName, askedAt)
  else if (!forgeTraits[state.set.source.kind].runner.exitsUnregistered) finishGhosts(step, askedAt)
  for (const { name, isListed } of state.pendingRemovals.compare(byName, askedAt, state.forge.backlogUntil)) {
    if (isListed) leftTooEarly(step, name)
    else leftUnseen(step, name)
  }
  if (!state.pods.known) state.forge.registrationsAt = undefined
  else addOrphans(step, registrations, askedAt)
}

/** A forge may have two registrations of one name, for example after a proxy has sent our request twice. The runner has one of them. */
function ownOf({ registration, pod }: Runner, listed: readonly Registration[] = []): Registration | undefined {
  const known = pod.is === 'present' ? pod.value.registrationId : undefined
  const id = registration.is === 'present' ? registration.value.id : known
  return id === undefined ? listed[0] : listed.find((one) => one.id === id)
}

function compareRunner(step: FoldStep, runner: Runner, listed: Registration | undefined, askedAt: Instant): void {
  // A busy runner that stays busy needs no decision: at 10,000 runners the next tick would look at all of them.
  if (phaseOf(runner) === 'busy' && staysBusy(runner, listed)) return
  const after = withListedRegistration(runner, listed, { askedAt, at: step.at })
  if (after === runner) return
  if (isSeenOnline(after) && !isSeenOnline(runner)) {
    countSuccess(step, after)
    step.events.push({ kind: 'runner-online', ...subject(step, after.name) })
  }
  if (phaseOf(after) === 'busy' && phaseOf(runner) !== 'busy') step.state.unassigned = undefined
  put(step, after)
}

/** A list knows less of a job than its event. */
function staysBusy(runner: Runner, listed: Registration | undefined): boolean {
  return isCordonedAs(runner, listed) && (runner.job !== undefined || listed?.busy === true)
}

function isCordonedAs({ registration }: Runner, listed: Registration | undefined): boolean {
  return registration.is === 'present' && listed !== undefined && registration.value.isCordoned === listed.isCordoned
}

/** Where the list shows the jobs, a job that is not in it is over: its end may have come while no link was open. The list may show a job later than the log of its runner. */
function finishUnseen(step: FoldStep, listed: ReadonlyMap<string, readonly Registration[]>, askedAt: Instant): void {
  const { table, departures } = step.state
  const until = askedAt - step.limits.lateEventMs
  const isBusy = (name: string) => (listed.get(name) ?? []).some(({ busy }) => busy === true)
  for (const { name, job } of [...table.all()]) {
    if (!job || job.finished || job.startedAt >= until || isBusy(name)) continue
    jobFinished(step, { kind: 'job-finished', runner: name, jobId: job.id, result: 'unknown', at: askedAt })
  }
  for (const { name, at } of departures.all()) if (at < until && !isBusy(name)) departures.settle(name)
}

/**
 * Where a runner without a registration asks for jobs forever, only Dayfly ends its pod. Its list shows each runner with a job, so the
 * job of a runner that two lists lack is over. Its end may have come while no link was open.
 */
function finishGhosts(step: FoldStep, askedAt: Instant): void {
  for (const runner of [...step.state.table.all()]) {
    const { name, job } = runner
    if (!job || job.finished || !isGhost(runner, step.limits)) continue
    jobFinished(step, { kind: 'job-finished', runner: name, jobId: job.id, result: 'unknown', at: askedAt })
  }
}

/** A registration of ours without a pod. An event about its job may still be on its way. */
function addOrphans({ state, limits }: FoldStep, registrations: readonly Registration[], askedAt: Instant): void {
  const prefix = runnerPrefix(state.set)
  for (const registration of registrations) {
    const ours = registration.name.startsWith(prefix)
    if (ours && !state.table.get(registration.name)) {
      state.pendingRemovals.add(registration, askedAt + limits.lateEventMs)
    }
  }
}

/** The forge dropped its registration, and announced no job on it: it removed an idle runner, or its events were lost. */
function leftUnseen(step: FoldStep, name: string): void {
  const { state, limits, at } = step
  state.history = leftIdle(state.history, at, runnerPrefix(state.set), limits)
  const failure = failureOfLeft(state.history, limits, at)
  if (!failure) return
  note(step, failure, name)
  step.events.push({ kind: 'runner-failed', ...subject(step, name), failure })
}

/** Its registration is still listed: GitHub drops it after a job, so the runner had none. */
function leftTooEarly(step: FoldStep, name: string): void {
  const failure: Failure = { reason: 'runner-failed', message: 'it ended without having had a job' }
  const runner = step.state.table.get(name)
  step.events.push({ kind: 'runner-failed', ...subject(step, name), failure })
  countFailure(step, failure, name, runner ? begunAt(runner) : step.at)
}
