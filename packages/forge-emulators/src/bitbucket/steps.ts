// The life of a step: queued, given to an idle online runner, started when that runner asks, completed.
import { uuid } from '@dayfly/kit/ids'
import { emptyLog } from '../server/kept-log.ts'
import type { StepResult } from '../step.ts'
import { type Emulation, reportStep } from './emulation.ts'
import type { PipelineId, Place, Runner, Step, StepSpec } from './state.ts'

/** Steps that are over stay known up to this number. */
const completedMax = 2_000

/** Queues a step. Without an online runner that has its labels it fails at once, unless the knob says otherwise. */
export function queueStep(emulation: Emulation, repository: Place, spec: StepSpec): Step {
  const { clock, random, state, knobs, deadlines } = emulation
  const step: Step = {
    uuid: uuid(random),
    spec,
    repository,
    pipeline: spec.pipeline ?? nextPipeline(emulation),
    log: emptyLog(),
    state: 'PENDING',
    runner: undefined,
    result: undefined,
    heard: false,
    reason: undefined,
    times: { queued: clock.now(), started: undefined, completed: undefined },
  }
  state.steps.set(step.uuid, step)
  state.waiting.add(step)
  reportStep(emulation, 'queued', step)
  const some = [...state.runners.values()].some((runner) => isOnline(runner) && fits(runner, step))
  if (!some && knobs.noRunner === 'fail') {
    completeStep(emulation, step, 'ERROR', 'No runner with the labels of the step is online.')
    return step
  }
  const late = 'No runner took the step in time.'
  deadlines.set(`queue:${step.uuid}`, knobs.queueMaxS * 1_000, () => completeStep(emulation, step, 'ERROR', late))
  return step
}

/** Returns the identity of a new pipeline. */
export function nextPipeline({ random, state }: Emulation): PipelineId {
  return { uuid: uuid(random), buildNumber: ++state.builds }
}

/** Gives waiting steps to idle runners, the longest idle one first. Returns the runners that got one. */
export function assignSteps(emulation: Emulation): void {
  const { state, deadlines } = emulation
  if (state.waiting.size === 0) return
  const idle = [...state.runners.values()]
    .filter((runner) => isOnline(runner) && !runner.step)
    .sort((left, right) => left.idleSince - right.idleSince)
  for (const step of state.waiting) {
    const index = idle.findIndex((runner) => fits(runner, step))
    const [runner] = index < 0 ? [] : idle.splice(index, 1)
    if (!runner) continue
    state.waiting.delete(step)
    deadlines.clear(`queue:${step.uuid}`)
    step.state = 'READY'
    step.runner = runner
    runner.step = step
    reportStep(emulation, 'assigned', step)
  }
}

export function startStep(emulation: Emulation, step: Step, runner: Runner): void {
  const { clock, deadlines } = emulation
  const { durationMs, result = 'SUCCESSFUL' } = step.spec
  step.state = 'IN_PROGRESS'
  step.times.started = clock.now()
  runner.steps++
  runner.stateAt = clock.now()
  reportStep(emulation, 'started', step)
  if (durationMs !== undefined && runner.driver === 'stub') {
    deadlines.set(`run:${step.uuid}`, durationMs, () => completeStep(emulation, step, result))
  }
}

/** Ends a step in any state. Its runner is idle from then on. */
export function completeStep(emulation: Emulation, step: Step, result: StepResult, reason?: string): void {
  const { clock, state, deadlines } = emulation
  if (step.state === 'COMPLETED') return
  const { runner } = step
  for (const name of ['queue', 'run']) deadlines.clear(`${name}:${step.uuid}`)
  state.waiting.delete(step)
  step.state = 'COMPLETED'
  step.result = result
  step.reason = reason
  step.times.completed = clock.now()
  if (runner?.step === step) {
    runner.step = undefined
    runner.stateAt = clock.now()
    runner.idleSince = clock.now()
  }
  reportStep(emulation, 'finished', step)
  for (const old of state.steps.values()) {
    if (state.steps.size <= completedMax) break
    if (old.state === 'COMPLETED') state.steps.delete(old.uuid)
  }
}

/** A busy runner is online, too. */
function isOnline({ process, disabled, enabled, unhealthy }: Runner): boolean {
  return (process === 'running' || process === 'silent') && !disabled && !enabled && !unhealthy
}

/** A runner takes steps of its repository, or of every repository of its workspace, that ask for no label that it lacks. */
function fits({ place, labels }: Runner, { repository, spec }: Step): boolean {
  const reaches = place === repository || place === repository.workspace
  return reaches && spec.labels.every((label) => labels.includes(label))
}
