// The state that the steps of one job share: environment, results, the job's status, and the contexts made from them.
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import type { Clock } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { defineFunction, evaluateText, type Scope } from '../expression.ts'
import type { Conclusion, RunnerJob } from '../job.ts'
import { type Folders, githubOf } from './environment.ts'
import { hashFiles } from './hash-files.ts'
import type { Log } from './log.ts'
import type { Mask } from './mask.ts'
import type { Stopper } from './stopper.ts'

/** The machine and the program in which a job runs. */
export type JobHost = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly mask: Mask
  readonly stopper: Stopper
  readonly folders: Folders
  /** This program's variables, without its credential. */
  readonly inherited: Readonly<Record<string, string>>
  readonly runner: Readonly<Record<string, string>>
  readonly trackingId: string
  /** Reports the start and the end of each step. */
  reportStep(event: StepEvent): void
}

export type StepEvent = {
  readonly id: string
  readonly name: string
  readonly status: 'started' | 'finished'
  readonly at: number
  readonly conclusion?: Conclusion
}

export type JobState = {
  readonly job: RunnerJob
  readonly host: JobHost
  status: 'success' | 'failure' | 'cancelled'
  /** The environment of the workflow and the job, and the variables that GITHUB_ENV added. */
  readonly env: Record<string, string>
  /** The entries of GITHUB_PATH, newest first. */
  paths: string[]
  /** The results of the steps that have an id. */
  readonly steps: Record<string, { outputs: Record<string, string>; outcome: Conclusion; conclusion: Conclusion }>
}

/** Evaluates the environment of the workflow and the job. Throws an `ExpressionFailure`. */
export function newJobState(job: RunnerJob, host: JobHost): JobState {
  const state: JobState = { job, host, status: 'success', env: {}, paths: [], steps: {} }
  for (const level of job.env) {
    const scope = scopeOf(state, {})
    for (const [name, template] of Object.entries(level)) state.env[name] = evaluateText(template, scope)
  }
  return state
}

/** Returns the scope of a step's expressions. `own` is the step's environment and its part of the `github` context. */
export function scopeOf(
  state: JobState,
  own: { readonly env?: Readonly<Record<string, string>>; readonly github?: Readonly<Record<string, string>> },
): Scope {
  const { job, host } = state
  return {
    contexts: {
      ...job.contexts,
      github: { ...githubOf(job), workspace: host.folders.workspace, ...own.github },
      env: own.env ?? state.env,
      steps: state.steps,
      job: { status: state.status },
      runner: host.runner,
    },
    functions: functionsOf(state),
  }
}

function functionsOf(state: JobState): readonly FunctionDefinition[] {
  return [
    defineFunction('success', [0, 0], () => state.status === 'success'),
    defineFunction('failure', [0, 0], () => state.status === 'failure'),
    defineFunction('cancelled', [0, 0], () => state.status === 'cancelled'),
    defineFunction('always', [0, 0], () => true),
    defineFunction('hashFiles', [1, 255], (...patterns) => hashFiles(state.host.folders.workspace, patterns)),
  ]
}
