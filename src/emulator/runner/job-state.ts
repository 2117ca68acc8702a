// What the steps of one job share: the environment they leave to each other, their results, the job's status, and the contexts made of it.
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import type { Clock } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import { defineFunction, evaluateText, type Scope } from '../expression.ts'
import type { Conclusion, RunnerJob } from '../job.ts'
import { type Folders, githubOf } from './environment.ts'
import { hashFiles } from './hash-files.ts'
import type { Log } from './log.ts'
import type { Mask } from './mask.ts'
import type { Stopper } from './stopper.ts'

/** The machine and the program round a job. */
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
  /** Told of each step as it begins and ends. */
  announce(jobEvent: StepEvent): void
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
  /** The workflow's and the job's env and what GITHUB_ENV added. */
  readonly env: Record<string, string>
  /** From GITHUB_PATH, the last first. */
  paths: string[]
  /** Steps that have an id of their own. */
  readonly steps: Record<string, { outputs: Record<string, string>; outcome: Conclusion; conclusion: Conclusion }>
}

/** Evaluates the workflow's and the job's env. Throws an `ExpressionFailure`. */
export function newJobState(job: RunnerJob, host: JobHost): JobState {
  const state: JobState = { job, host, status: 'success', env: {}, paths: [], steps: {} }
  for (const level of job.env) {
    const scope = scopeOf(state, {})
    for (const [name, template] of Object.entries(level)) state.env[name] = evaluateText(template, scope)
  }
  return state
}

/** What an expression sees when a step is due; `own` is the step's env and its part of the `github` context. */
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
