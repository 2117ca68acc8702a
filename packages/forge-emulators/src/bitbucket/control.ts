// Controls the emulator from tests, in the same process: steps, stub runners, knobs, faults.
import type { PipelineRun } from '../pipelines/feed.ts'
import type { Pipeline } from '../pipelines/pipeline.ts'
import type { ServerControl } from '../server/control-routes.ts'
import type { Faults } from '../server/faults.ts'
import { changeKnobs } from '../server/knobs.ts'
import type { RequestLog } from '../server/request-log.ts'
import type { StepResult } from '../step.ts'
import type { KnobChange } from './config.ts'
import type { Emulation, StepEvent } from './emulation.ts'
import { type PipelineOptions, runPipeline } from './run-pipeline.ts'
import { connectRunner, loseRunner, statusOf } from './runners.ts'
import { settle } from './settle.ts'
import { type Place, placeNamed, type Runner, type RunnerStatus, type Step, type StepSpec } from './state.ts'
import { completeStep, queueStep } from './steps.ts'

export type RunnerFacts = {
  readonly uuid: string
  readonly name: string
  readonly labels: readonly string[]
  readonly status: RunnerStatus
  /** The step that the server gave it. */
  readonly step: string | undefined
  /** How many steps it has begun. */
  readonly steps: number
}

export interface Control extends ServerControl {
  /** Queues the steps in order. Returns their UUIDs. Throws for a repository that does not exist. */
  queueSteps(specs: readonly StepSpec[]): readonly string[]
  step(uuid: string): Readonly<Step> | undefined
  /** Starts a pipeline. Its steps are queued when the steps before them have passed. Throws for a repository that does not exist. */
  runPipeline(pipeline: Pipeline, options: PipelineOptions): PipelineRun
  /** Calls the listener for every step event from now on. Returns a function that unsubscribes it. */
  onStep(listener: (event: StepEvent) => void): () => void
  /** Returns the registrations of all places. */
  runners(): readonly RunnerFacts[]
  knobs(change: KnobChange): void
  readonly stub: StubRunner
}

/** A runner that is controlled by calls. Each call names it by its name or its UUID, and returns whether its state allows the call. */
export interface StubRunner {
  /** Its process starts: from now on it asks for steps and runs them. */
  online(runner: string): boolean
  /** Ends the step that it runs. */
  finish(runner: string, result: StepResult): boolean
  /** Its process is gone without a word. */
  vanish(runner: string): boolean
  /** It cannot clean up after a step, and gets no other one. */
  unhealthy(runner: string): boolean
}

export function createControl(emulation: Emulation, faults: Faults, log: RequestLog): Control {
  const { deadlines } = emulation
  return {
    queueSteps: (specs) => {
      const queued = specs.map((spec) => queueStep(emulation, repositoryNamed(emulation, spec.repository), spec).uuid)
      settle(emulation)
      return queued
    },
    step: (uuid) => emulation.state.steps.get(uuid),
    runPipeline: (pipeline, options) => {
      const repository = repositoryNamed(emulation, options.repository)
      const run = runPipeline(emulation, pipeline, repository, options)
      settle(emulation)
      return run
    },
    onStep: (listener) => {
      emulation.listeners.add(listener)
      return () => void emulation.listeners.delete(listener)
    },
    runners: () => [...emulation.state.runners.values()].map(factsOf),
    requests: (since = 0) => log.since(since),
    knobs: (change) => {
      emulation.knobs = changeKnobs(emulation.knobs, change)
    },
    fault: faults.add,
    removeFault: faults.remove,
    stub: createStubRunner(emulation),
    reset: () => {
      deadlines.clearAll()
      faults.clear()
      log.clear()
      const { runners, steps, waiting, pipelines, tokens, calls } = emulation.state
      for (const run of pipelines.values()) run.stop()
      for (const part of [runners, steps, waiting, pipelines, tokens, calls]) part.clear()
    },
  }
}

function repositoryNamed({ state }: Emulation, name: string): Place {
  for (const { repositories } of state.workspaces) {
    const repository = placeNamed(repositories, name)
    if (repository) return repository
  }
  throw new Error(`there is no repository ${name}`)
}

function factsOf(runner: Runner): RunnerFacts {
  const { uuid, name, labels, step, steps } = runner
  return { uuid, name, labels, status: statusOf(runner), step: step?.uuid, steps }
}

function createStubRunner(emulation: Emulation): StubRunner {
  const change = (named: string, run: (runner: Runner) => boolean): boolean => {
    const all = [...emulation.state.runners.values()]
    const runner = all.find(({ uuid, name }) => uuid === named || name === named)
    const changed = runner !== undefined && run(runner)
    settle(emulation)
    return changed
  }
  return {
    online: (named) =>
      change(named, (runner) => {
        if (runner.process === 'running') return false
        connectRunner(emulation, runner)
        return true
      }),
    finish: (named, result) =>
      change(named, ({ step }) => {
        if (step?.state !== 'IN_PROGRESS') return false
        completeStep(emulation, step, result)
        return true
      }),
    vanish: (named) =>
      change(named, (runner) => {
        if (runner.process !== 'running') return false
        loseRunner(emulation, runner)
        return true
      }),
    unhealthy: (named) =>
      change(named, (runner) => {
        runner.unhealthy = true
        return true
      }),
  }
}
