// Decides what one runner needs now: nothing, an action, or another look later. One row for each phase.
import type { Instant } from '@dayfly/kit/clock'
import type { EndCause } from '../model/end-cause.ts'
import type { JournalEvent } from '../model/event.ts'
import { type Failure, failureInfo, type LastingFailure, type StartCause } from '../model/failure.ts'
import { forgeTraits } from '../model/forge-traits.ts'
import type { PodFacts, Runner } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import { disruptionAwaitedUntil, failureOfEnd } from './end.ts'
import { askRegistrations, continueEnd, endStep, isGhost } from './ending.ts'
import type { LifeDecision, Moment } from './moment.ts'
import { needsCordon } from './needs-cordon.ts'
import { isPaused } from './paused.ts'
import { phaseOf } from './phase.ts'
import { judgeAge } from './renewal.ts'
import { waitsForStatusUntil } from './rerun/kept.ts'
import { recentFailures } from './state/history.ts'

const nothing: LifeDecision = {}

export function decideLife(moment: Moment, runner: Runner): LifeDecision {
  if (runner.pod.is === 'requested') return decideRequested(moment, runner)
  const pod = runner.pod.value
  const life = exceededLife(moment, runner, pod)
  if (life.action) return life
  const step = stepOf(moment, runner, pod)
  return step.action ? step : { ...step, ...earlier(step.due, life.due) }
}

function stepOf(moment: Moment, runner: Runner, pod: PodFacts): LifeDecision {
  const phase = phaseOf(runner)
  if (phase === 'ended') return decideEnded(moment, runner, pod)
  if (pod.deletionDeadline !== undefined) return decideDeleting(moment, runner, pod, pod.deletionDeadline)
  if (runner.ending) return continueEnd(moment, runner, pod, runner.ending)
  if (phase === 'starting' && pod.startedAt === undefined) return decideStarting(moment, runner, pod)
  if (phase === 'spent') return decideSpent(moment, runner, pod)
  const silence = decideSilence(moment, runner, pod)
  if (silence.mark) return silence
  const crash = pod.helperCrash ? reportDelay(moment, runner, pod.helperCrash) : nothing
  if (crash.mark) return crash
  const step = phase === 'busy' ? decideBusy(moment, runner) : decideIdle(moment, runner, pod)
  return step.action ? step : { ...step, ...earlier(step.due, silence.due) }
}

/** The response to the POST of its pod was lost: only the API server knows whether it exists. */
function decideRequested({ now }: Moment, { name, lookUp }: Runner): LifeDecision {
  if (!lookUp) return nothing
  if (lookUp.retryAt !== undefined && now < lookUp.retryAt) return { due: lookUp.retryAt }
  return { action: { kind: 'look-up-pod', runner: name } }
}

/** The operator's own bound: the one case in which a busy runner is ended. One that seems idle leaves as an outdated one does: the forge may know a job of it. */
function exceededLife(moment: Moment, runner: Runner, pod: PodFacts): LifeDecision {
  const bound = moment.world.set.lifeMaxMs
  const over = pod.end !== undefined || pod.deletionDeadline !== undefined
  const leavesFor = runner.ending?.because.kind
  if (bound === undefined || over || leavesFor === 'life-exceeded') return nothing
  if (moment.now < pod.createdAt + bound) return { due: pod.createdAt + bound }
  if (leavesFor === 'surplus' || leavesFor === 'outdated') return nothing
  if (phaseOf(runner) === 'idle') return endStep(moment, runner, pod, { kind: 'outdated' })
  const message = `it lived longer than ${Math.round(bound / 1_000)} s`
  return end(moment, runner, { kind: 'life-exceeded' }, { reason: 'life-exceeded', message })
}

function decideEnded(moment: Moment, runner: Runner, pod: PodFacts): LifeDecision {
  const { world, limits, now } = moment
  if (!pod.end) return nothing
  if (pod.deletionDeadline !== undefined) return decideDeleting(moment, runner, pod, pod.deletionDeadline)
  if (runner.ending) return continueEnd(moment, runner, pod, runner.ending)
  const keepMs = failureOfEnd(runner, pod.end, world.set) ? world.set.keepFailedMs : world.set.keepFinishedMs
  const crowded = !world.counts.known || world.counts.value.ended > limits.keptMax
  const unkept = waitsForStatusUntil(moment, runner.name)
  if (unkept !== undefined) return { due: unkept }
  const until = pod.end.at + keepMs
  if (keepMs > 0 && !crowded && now < until) return { due: until }
  // A node whose clock is ahead would hold the pod for longer.
  const status = pod.end.at > now ? undefined : disruptionAwaitedUntil(runner, pod, limits)
  if (status !== undefined && now < status) return { due: status }
  return endStep(moment, runner, pod, { kind: 'ended' })
}

/** A deletion is under way. After its deadline the pod is stuck: its cause is looked up and shown once, and its place is free again. */
function decideDeleting(moment: Moment, runner: Runner, pod: PodFacts, deadline: Instant): LifeDecision {
  const { world, limits, now } = moment
  const late = deadline + limits.terminationMs
  if (runner.stuck) return nothing
  if (now < late) {
    const silence = decideSilence(moment, runner, pod)
    return { ...silence, ...earlier(silence.due, late) }
  }
  const { explained, explainedAt = 0 } = runner
  if (explainedAt < late) return { action: { kind: 'explain-runner', runner: runner.name, podUid: pod.uid } }
  const message = `it is still there ${Math.round((now - deadline) / 1_000)} s after its deletion deadline`
  const cause: Failure = explained ?? { reason: 'termination-stuck', message: 'nothing names a cause' }
  return stuck(world, runner, { reason: cause.reason, message: `${message}: ${cause.message}`, since: deadline })
}

/** Where the forge does not end a runner after one job, the runner gets no other one. */
function decideBusy(moment: Moment, { name, registration, cordonRetry }: Runner): LifeDecision {
  const { world, limits, now } = moment
  // A paused set gets no events: only a list shows the end of the job. A runner that exits by itself shows it, too.
  const { exitsUnregistered } = forgeTraits[world.set.source.kind].runner
  const ends = isPaused(world.set) && !exitsUnregistered ? askRegistrations(moment, limits.listSoonMs) : nothing
  if (!needsCordon(world.set)) return ends
  if (registration.is !== 'present' || registration.value.isCordoned === true) return ends
  if (cordonRetry && now < cordonRetry.retryAt) return { ...ends, ...earlier(ends.due, cordonRetry.retryAt) }
  return { action: { kind: 'cordon-runner', runner: name, registration: registration.value } }
}

/**
 * Its job is over and its container runs on, or it is cordoned and gets no job. Where the forge ends its runners, this one may have more
 * to do. After a while it is stuck. If it would never exit, it is ended as soon as the forge proves that it has no job.
 */
function decideSpent(moment: Moment, runner: Runner, pod: PodFacts): LifeDecision {
  const { world, limits, now } = moment
  if (needsCordon(world.set) || getsNoJob(runner)) {
    return endStep(moment, runner, pod, { kind: isGhost(runner, limits) ? 'ghost' : 'spent' })
  }
  const finished = runner.job?.finished
  if (!finished) return nothing
  const late = finished.at + limits.lingerMs
  if (now < late) return { due: late }
  const message = `its container still runs ${Math.round((now - finished.at) / 1_000)} s after its job`
  if (!forgeTraits[world.set.source.kind].runner.exitsUnregistered) {
    const step = endStep(moment, runner, pod, { kind: isGhost(runner, limits) ? 'ghost' : 'spent' })
    return step.action ? { ...step, events: [failed(world, runner, { reason: 'termination-stuck', message })] } : step
  }
  if (runner.stuck) return nothing
  return stuck(world, runner, { reason: 'termination-stuck', message, since: finished.at })
}

/** Its removal was not carried out after its cordon, or another client has cordoned it. */
function getsNoJob({ job, registration }: Runner): boolean {
  return job === undefined && registration.is === 'present' && registration.value.isCordoned === true
}

function decideStarting(moment: Moment, runner: Runner, pod: PodFacts): LifeDecision {
  const { limits, now } = moment
  const { broken, secret, lookUp } = runner
  if (broken) return end(moment, runner, { kind: 'start-failed', failure: broken }, broken)
  if (secret === 'absent') return endStep(moment, runner, pod, { kind: 'abandoned' })
  if (secret === 'unknown') {
    if (lookUp?.retryAt !== undefined && now < lookUp.retryAt) return { due: lookUp.retryAt }
    return { action: { kind: 'look-up-secret', runner: runner.name } }
  }
  const cause = startCause(runner, pod)
  const deadline = startDeadline(cause, pod, moment.world.set.startMaxMs)
  if (now >= deadline) {
    const message = cause.step ? `${cause.message} for ${Math.round((now - cause.since) / 1_000)} s` : cause.message
    const failure = { reason: cause.step?.late ?? cause.reason, message }
    return end(moment, runner, { kind: 'start-failed', failure }, failure)
  }
  const delay = reportDelay(moment, runner, cause)
  const explainAt = Math.max(pod.progressedAt, runner.explainedAt ?? 0) + limits.explainMs
  if (pod.startFailure) return { ...delay, due: Math.min(deadline, delay.due ?? deadline) }
  if (now < explainAt) return { ...delay, due: Math.min(deadline, explainAt, delay.due ?? deadline) }
  return { ...delay, action: { kind: 'explain-runner', runner: runner.name, podUid: pod.uid }, due: deadline }
}

/** Returns what holds the start of a runner up, as far as it is known. */
export function startCause(runner: Pick<Runner, 'explained'>, pod: PodFacts): StartCause {
  return pod.startFailure ?? runner.explained ?? unexplained(pod)
}

/** Nothing reports a cause: that is shown, too. */
function unexplained(pod: PodFacts): LastingFailure {
  return { reason: 'start-unexplained', message: 'no event names a cause', since: pod.progressedAt }
}

/** A failure that may still pass is shown, once for each reason. A step that the operator configured is shown as what the set waits for. */
function reportDelay({ world, limits, now }: Moment, runner: Runner, cause: StartCause): LifeDecision {
  const { reason, message, since, step } = cause
  if (runner.delay?.reason === reason && (!step || runner.delay.message === message)) return nothing
  const reportAt = failureInfo(reason).shownAtOnce ? now : since + limits.reportDelayMs
  if (now < reportAt) return { due: reportAt }
  const { namespace, name: set } = world.set
  const failure: Failure = { reason, message }
  const mark = { runner: runner.name, is: 'delayed', failure: { reason, message, since } } as const
  if (step) return { mark }
  return {
    mark,
    events: [{ kind: 'runner-delayed', namespace, set, runner: runner.name, failure, since }],
  }
}

/** When a start is given up: from the step's own bound, or from the table of failures. */
export function startDeadline(cause: StartCause, pod: Pick<PodFacts, 'progressedAt'>, startMaxMs: number): Instant {
  if (cause.step) return cause.since + (cause.step.allowedMs ?? startMaxMs)
  const deadline = failureInfo(cause.reason).deadline
  if (!deadline) return Number.POSITIVE_INFINITY
  return (deadline.from === 'cause' ? cause.since : pod.progressedAt) + deadline.ms
}

/** The node of a running pod does not respond. The runner may work on, so it is never ended for that; the operator sees it. */
function decideSilence(moment: Moment, runner: Runner, { nodeSilentSince: since, node }: PodFacts): LifeDecision {
  if (since === undefined) return nothing
  return reportDelay(moment, runner, { reason: 'node-lost', message: `node ${node} does not respond`, since })
}

function decideIdle(moment: Moment, runner: Runner, pod: PodFacts): LifeDecision {
  const { limits, now } = moment
  const { registration } = runner
  const { startedAt } = pod
  if (startedAt === undefined) return nothing
  const listed = registration.is === 'present' ? registration : undefined
  if (listed?.value.status === 'offline' && listed.at >= startedAt + limits.neverOnlineMs) {
    const message = `it has run for ${Math.round((now - startedAt) / 1_000)} s and is offline at the forge`
    const failure: Failure = { reason: 'never-online', message }
    return end(moment, runner, { kind: 'start-failed', failure }, failure)
  }
  if (isGhost(runner, limits)) {
    const failure: Failure = { reason: 'runner-failed', message: 'it runs without a registration and without a job' }
    return end(moment, runner, { kind: 'ghost' }, failure)
  }
  const age = judgeAge(moment, runner, pod)
  if (age.mark) return age
  const asks = askRegistrations(moment, listEveryMs(moment, runner, startedAt), startedAt)
  return { ...asks, ...earlier(asks.due, age.due) }
}

/** A runner that is not online yet is looked for soon, then less and less often. An idle one is only guarded against a lost registration. */
function listEveryMs({ world, limits, now }: Moment, runner: Runner, startedAt: Instant): number {
  if (recentFailures(world.history, limits, now) > 0) return limits.listSoonMs
  if (phaseOf(runner) !== 'starting') return limits.listRegistrationsMs
  const lookedAfter = (world.registrationsAt ?? 0) - startedAt
  return Math.min(Math.max(lookedAfter, limits.listSoonMs), limits.listRegistrationsMs / 2)
}

function end(moment: Moment, runner: Runner, because: EndCause, failure: Failure): LifeDecision {
  if (runner.pod.is !== 'present') return nothing
  const step = endStep(moment, runner, runner.pod.value, because)
  return { ...step, events: [failed(moment.world, runner, failure)] }
}

function stuck(world: SetWorld, runner: Runner, failure: LastingFailure): LifeDecision {
  const { reason, message } = failure
  return {
    mark: { runner: runner.name, is: 'stuck', failure },
    events: [failed(world, runner, { reason, message })],
  }
}

function failed({ set }: SetWorld, runner: Runner, failure: Failure): JournalEvent {
  return { kind: 'runner-failed', namespace: set.namespace, set: set.name, runner: runner.name, failure }
}

function earlier(left: Instant | undefined, right: Instant | undefined): { readonly due?: Instant } {
  if (left === undefined) return right === undefined ? {} : { due: right }
  return { due: right === undefined ? left : Math.min(left, right) }
}
