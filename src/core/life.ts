// What one runner needs now: nothing, an end, or to be looked at again later. One row a phase.
import type { Instant } from '../lib/clock.ts'
import type { Action, EndCause } from '../model/action.ts'
import type { JournalEvent } from '../model/event.ts'
import type { FailureReason } from '../model/failure.ts'
import type { Limits } from '../model/limits.ts'
import type { PodFacts, Runner, StartFailure } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import { failureOfEnd } from './end.ts'
import { phaseOf } from './phase.ts'

/** What every decision reads. */
export type Moment = { readonly world: SetWorld; readonly limits: Limits; readonly now: Instant }

export type LifeStep = {
  readonly action?: Action
  /** When to look again, if nothing changes before. */
  readonly due?: Instant
  readonly events?: readonly JournalEvent[]
  /** The forge's list of registrations would tell more. */
  readonly asksRegistrations?: boolean
}

const nothing: LifeStep = {}

export function decideLife(moment: Moment, runner: Runner): LifeStep {
  if (runner.pod.is === 'unknown') return nothing
  if (runner.pod.is === 'absent') return end(runner, { kind: 'lost' })
  const pod = runner.pod.value
  const life = exceededLife(moment, runner, pod)
  if (life.action) return life
  const step = stepOf(moment, runner, pod)
  return step.action ? step : { ...step, ...earlier(step.due, life.due) }
}

function stepOf(moment: Moment, runner: Runner, pod: PodFacts): LifeStep {
  const phase = phaseOf(runner)
  if (phase === 'ended') return decideEnded(moment, runner, pod)
  if (pod.deletionDeadline !== undefined) return decideDeleting(moment, runner, pod.deletionDeadline)
  if (phase === 'starting') return decideStarting(moment, runner, pod)
  if (phase === 'idle') return decideIdle(moment, runner, pod)
  return nothing
}

/** The operator's own word: the one case in which a busy runner is ended. */
function exceededLife({ world, now }: Moment, runner: Runner, pod: PodFacts): LifeStep {
  const bound = world.set.lifeMaxMs
  if (bound === undefined || pod.end || pod.deletionDeadline !== undefined) return nothing
  if (now < pod.createdAt + bound) return { due: pod.createdAt + bound }
  const message = `lived longer than ${Math.round(bound / 1_000)} s`
  return end(runner, { kind: 'life-exceeded' }, failed(world, runner, 'life-exceeded', message))
}

function decideEnded({ world, limits, now }: Moment, runner: Runner, pod: PodFacts): LifeStep {
  if (!pod.end) return nothing
  const keepMs = failureOfEnd(runner, pod.end) ? world.set.keepFailedMs : world.set.keepFinishedMs
  const crowded = !world.counts.known || world.counts.value.ended > limits.keptMax
  const until = pod.end.at + keepMs
  if (keepMs > 0 && !crowded && now < until) return { due: until }
  return end(runner, { kind: 'ended' })
}

function decideDeleting({ world, limits, now }: Moment, runner: Runner, deadline: Instant): LifeStep {
  const late = deadline + limits.terminationMs
  if (now < late) return { due: late }
  const seconds = Math.round((now - deadline) / 1_000)
  return { events: [failed(world, runner, 'termination-stuck', `still there ${seconds} s after its deadline`)] }
}

function decideStarting({ world, limits, now }: Moment, runner: Runner, pod: PodFacts): LifeStep {
  const startFailure = startFailureOf(runner, pod)
  const deadline = startFailure ? startDeadline(startFailure, pod, limits) : pod.createdAt + limits.startMaxMs
  if (now >= deadline) {
    const failure = startFailure ?? {
      reason: 'sandbox-failed' as const,
      message: 'it has not started, and no event says why',
    }
    const { reason, message } = failure
    return end(runner, { kind: 'start-failed', failure: { reason, message } }, failed(world, runner, reason, message))
  }
  if (pod.startFailure) return reportDelay({ world, limits, now }, runner, pod.startFailure, deadline)
  const explainAt = Math.max(pod.createdAt, runner.explainedAt ?? 0) + limits.explainMs
  if (now >= explainAt) return { action: { kind: 'explain-runner', runner }, due: deadline }
  return { due: Math.min(deadline, explainAt) }
}

/** A start that is held up is told before its deadline, once a reason. */
function reportDelay(
  { world, limits, now }: Moment,
  runner: Runner,
  startFailure: StartFailure,
  deadline: Instant,
): LifeStep {
  if (runner.explained?.reason === startFailure.reason) return { due: deadline }
  const tellAt = startFailure.since + limits.tellMs
  if (now < tellAt) return { due: Math.min(deadline, tellAt) }
  const { reason, message, since } = startFailure
  const { namespace, name: set } = world.set
  const failure = { reason, message }
  return { due: deadline, events: [{ kind: 'runner-delayed', namespace, set, runner: runner.name, failure, since }] }
}

/** What the pod itself says counts; else what its events said. */
function startFailureOf(runner: Runner, pod: PodFacts): StartFailure | undefined {
  return pod.startFailure ?? runner.explained
}

const immediate: ReadonlySet<FailureReason> = new Set(['image-invalid', 'command-missing', 'init-failed'])

/** Start deadlines by cause (design chapter 6, step 4). */
function startDeadline(startFailure: StartFailure, pod: PodFacts, limits: Limits): Instant {
  if (immediate.has(startFailure.reason)) return startFailure.since
  if (startFailure.reason === 'unschedulable') return startFailure.since + limits.unschedulableMs
  if (startFailure.reason === 'image-missing') return startFailure.since + limits.imageMissingMs
  if (startFailure.reason === 'config-missing') return startFailure.since + limits.configMissingMs
  return pod.createdAt + limits.startMs
}

function decideIdle({ world, limits, now }: Moment, runner: Runner, pod: PodFacts): LifeStep {
  const startedAt = pod.startedAt ?? pod.createdAt
  const { registration, registrationMissingSince } = runner
  const seen = registration.is === 'present' ? registration : undefined
  if (seen?.value.status === 'offline' && seen.at >= startedAt + limits.neverOnlineMs) {
    const message = `running for ${Math.round((now - startedAt) / 1_000)} s and offline at the forge`
    const failure = { reason: 'never-online' as const, message }
    return end(runner, { kind: 'start-failed', failure }, failed(world, runner, failure.reason, message))
  }
  const twice =
    registration.is === 'absent' &&
    registrationMissingSince !== undefined &&
    registration.at >= registrationMissingSince + limits.ghostMs
  if (twice) {
    return end(
      runner,
      { kind: 'ghost' },
      failed(world, runner, 'runner-failed', 'runs without a registration and a job'),
    )
  }
  const askAt = Math.max(startedAt, world.registrationsAt ?? 0) + limits.registrationsEveryMs
  return now >= askAt ? { asksRegistrations: true, due: now + limits.registrationsEveryMs } : { due: askAt }
}

function end(runner: Runner, because: EndCause, ...events: readonly JournalEvent[]): LifeStep {
  return { action: { kind: 'end-runner', runner, because }, events }
}

function failed(world: SetWorld, runner: Runner, reason: FailureReason, message: string): JournalEvent {
  const { namespace, name } = world.set
  return { kind: 'runner-failed', namespace, set: name, runner: runner.name, failure: { reason, message } }
}

function earlier(left: Instant | undefined, right: Instant | undefined): { readonly due?: Instant } {
  if (left === undefined) return right === undefined ? {} : { due: right }
  return { due: right === undefined ? left : Math.min(left, right) }
}
