// How a runner enters the state, changes, and leaves it, with what follows for the set.
import type { Failure, LastingFailure } from '../../model/failure.ts'
import { forgeTraits } from '../../model/forge-traits.ts'
import type { ContainerEnd, PodFacts, Runner } from '../../model/runner.ts'
import { failureOfEnd } from '../end.ts'
import { occupies } from '../phase.ts'
import { broke } from './fold-reruns.ts'
import { isDroppedByForge } from './runner-facts.ts'
import { begunAt, countFailure, type FoldStep, note, subject } from './step.ts'

/** Stores a runner. Its start and its end are reported once, by the input that shows them first. */
export function put(step: FoldStep, after: Runner): void {
  const replaced = step.state.table.put(after)
  if (replaced && occupies(replaced) && !occupies(after)) step.state.freedAt = step.at
  const before = podOf(replaced)
  const now = podOf(after)
  if (now?.startedAt !== undefined && before?.startedAt === undefined) {
    const startMs = before && now.startedAt - now.createdAt
    step.events.push({ kind: 'runner-started', ...subject(step, after.name), node: now.node, startMs })
  }
  if (now?.end && !before?.end) ended(step, after, now.end)
  else if (now?.end && now.disrupted && !before?.disrupted) disruptedLate(step, after, now.end, now.disrupted)
}

/** Removes a runner whose pod is gone or was never created. Its registration becomes a pending removal, unless the forge has dropped it. */
export function remove(step: FoldStep, runner: Runner): void {
  const { state, events } = step
  const pod = podOf(runner)
  const end = pod?.end
  if (pod && !end && !runner.deleted) vanished(step, runner, pod)
  state.table.remove(runner.name)
  if (occupies(runner)) state.freedAt = step.at
  state.forge.leftAt = step.at
  if (!end) leaveRegistration(step, runner)
  events.push({ kind: 'runner-gone', ...subject(step, runner.name), because: end ? 'ended' : 'removed' })
}

function ended(step: FoldStep, runner: Runner, end: ContainerEnd): void {
  step.events.push({ kind: 'runner-ended', ...subject(step, runner.name), exitCode: end.exitCode, reason: end.reason })
  leaveRegistration(step, runner)
  // A forge refuses to remove a busy runner, or fails its job. So no job is left that the demand could count.
  if (runner.ending?.answer !== 'removed') depart(step, runner)
  const failure = failureOfEnd(runner, end, step.state.set)
  if (!failure) return
  failed(step, runner, failure)
  broke(step, runner, failure, end)
}

/** The last status of the pod names a disruption that an earlier one with the end of the runner did not. */
function disruptedLate(step: FoldStep, runner: Runner, end: ContainerEnd, { reason }: LastingFailure): void {
  const failure = failureOfEnd(runner, end, step.state.set)
  if (failure?.reason !== reason) return
  step.events.push({ kind: 'runner-failed', ...subject(step, runner.name), failure })
  note(step, failure, runner.name)
  broke(step, runner, failure, end)
}

function vanished(step: FoldStep, runner: Runner, pod: PodFacts): void {
  const where = pod.node ? `it was on node ${pod.node}` : 'it was on no node yet'
  const { reason, message } = pod.disrupted ?? { reason: 'pod-vanished', message: where }
  failed(step, runner, { reason, message })
  broke(step, runner, { reason, message }, undefined)
}

/** With a job, the job stays assigned at the forge and needs no replacement. Without one, the replacement waits. */
function failed(step: FoldStep, runner: Runner, failure: Failure): void {
  step.events.push({ kind: 'runner-failed', ...subject(step, runner.name), failure })
  if (runner.job) {
    note(step, failure, runner.name)
    depart(step, runner)
  } else {
    countFailure(step, failure, runner.name, begunAt(runner))
  }
}

/** Remembers a registration that the forge does not drop by itself. A kept pod does not delay its removal. */
function leaveRegistration({ state, limits, at }: FoldStep, runner: Runner): void {
  const { registration, job, pod } = runner
  const traits = forgeTraits[state.set.source.kind]
  if (registration.is !== 'present' || isDroppedByForge(runner, traits)) return
  // A forge that drops registrations keeps that of a runner without a job.
  const leftWell = traits.ephemeral === 'by-itself' && pod.is === 'present' && pod.value.end?.exitCode === 0
  const early = leftWell && !job && !runner.ending
  const busy = job !== undefined && !job.finished && !(pod.is === 'present' && pod.value.end?.exitCode === 0)
  const dueAt = busy ? at + limits.jobLeaseMs : at + (job ? 0 : limits.lateEventMs)
  state.pendingRemovals.add(registration.value, dueAt, { early, busy })
}

/** Remembers a runner whose job the demand may still count. */
export function depart({ state, at }: FoldStep, runner: Runner): void {
  const { name, job } = runner
  const endedWell = podOf(runner)?.end?.exitCode === 0
  if (!job?.finished)
    state.departures.add({ name, at, hadJob: job !== undefined, jobOpen: job !== undefined && !endedWell, endedWell })
}

function podOf(runner: Runner | undefined): PodFacts | undefined {
  return runner?.pod.is === 'present' ? runner.pod.value : undefined
}
