// Reads the job of a task from its workflow, and decides whether it runs. Gitea leaves the condition of a job to its runner.
import { fileURLToPath } from 'node:url'
import { Lexer } from '@actions/expressions'
import { asJsonObject, textAt } from '@dayfly/kit/read-json'
import { defineFunction, ExpressionFailure, evaluateCondition, evaluateText, evaluateValue } from '../../expression.ts'
import type { RunnerJob } from '../../job.ts'
import { workflowKind } from '../../source/kind.ts'
import { SourceError } from '../../source/problem.ts'
import { checkSource } from '../../source/source.ts'
import { expandMatrix, MatrixError } from '../../workflow/matrix.ts'
import { conditionOf, defaultsOf, inputsOf, type Mapping, mapping, readStep, texts } from '../../workflow/parts.ts'
import { findUnsupported } from '../../workflow/unsupported.ts'
import type { Task } from './read-task.ts'

export type TaskJob =
  | {
      readonly is: 'job'
      readonly job: RunnerJob
      /** Whether the condition of the job holds. */
      readonly runs: boolean
    }
  /** The job cannot run here. Each sentence is a line of its log. */
  | { readonly is: 'refused'; readonly sentences: readonly string[] }

/** The default of a job, as on GitHub. */
const timeoutMinutesDefault = 360

/** Reads the only job of the task's workflow. */
export function readTaskJob(task: Task): TaskJob {
  try {
    const file = textAt(task.context, 'workflow') ?? 'workflow'
    const source = checkSource(file, task.workflow, workflowKind)
    const workflow = mapping(source.document.toJS({ maxAliasCount: -1 }))
    const [entry, ...others] = Object.entries(mapping(workflow['jobs']))
    if (!entry || others.length > 0)
      return refused(`The task has ${others.length + (entry ? 1 : 0)} jobs, and not one.`)
    const [key, value] = entry
    // The server decides about concurrency before a runner gets the job.
    const { concurrency: _, ...job } = mapping(value)
    const unsupported = findUnsupported({ ...workflow, jobs: { [key]: job } })
    if (unsupported.length > 0) return refused(...unsupported.map(({ sentence, next }) => `${sentence} ${next}`))
    return readJob(task, key, { workflow, job })
  } catch (error) {
    if (error instanceof SourceError) return refused(error.message)
    if (error instanceof ExpressionFailure || error instanceof MatrixError) return refused(error.message)
    throw error
  }
}

function readJob(
  task: Task,
  key: string,
  { workflow, job }: { readonly workflow: Mapping; readonly job: Mapping },
): TaskJob {
  const strategy = mapping(job['strategy'])
  const { secrets, vars, needs, context: github } = task
  const outer = { github, needs, vars, inputs: givenInputs(workflow['on'], github) }
  const condition = conditionOf(job['if'], completeCondition)
  const runs = evaluateCondition(condition, { contexts: outer, functions: statusFunctions(needs) })
  const matrix =
    strategy['matrix'] === undefined ? undefined : expandMatrix(evaluateValue(strategy['matrix'], { contexts: outer }))
  const contexts = {
    ...outer,
    secrets,
    matrix: matrix?.[0]?.matrix ?? null,
    // The server has expanded the matrix, and does not say how many jobs it made of it.
    strategy: {
      'fail-fast': String(strategy['fail-fast'] ?? true) === 'true',
      'job-index': 0,
      'job-total': 1,
      'max-parallel': 1,
    },
  }
  const { shell, workingDirectory } = defaultsOf(job, workflow)
  const minutes = Number(evaluateValue(job['timeout-minutes'] ?? timeoutMinutesDefault, { contexts }))
  const steps = Array.isArray(job['steps']) ? job['steps'].filter((step) => step !== null).map(mapping) : []
  const runnerJob: RunnerJob = {
    jobId: task.id,
    runId: Number(github['run_id'] ?? 0),
    key,
    name: key,
    contexts,
    env: [texts(workflow['env']), texts(job['env'])],
    defaults: { shell: shell === undefined ? undefined : evaluateText(shell, { contexts }), workingDirectory },
    timeoutMinutes: minutes > 0 ? minutes : timeoutMinutesDefault,
    outputs: texts(job['outputs']),
    steps: steps.map((step, index) => {
      const id = typeof step['id'] === 'string' && step['id'] !== '' ? step['id'] : `__${index}`
      return readStep(step, { id, condition: conditionOf(step['if'], completeCondition) })
    }),
    repository: repositoryOf(textAt(github, 'repositoryUrl')),
  }
  return { is: 'job', job: runnerJob, runs }
}

/** An emulated Gitea serves no git: it names a repository on this machine by a `file:` URL. */
function repositoryOf(url: string | undefined): string | undefined {
  return url?.startsWith('file:') ? fileURLToPath(url) : url
}

function refused(...sentences: readonly string[]): TaskJob {
  return { is: 'refused', sentences }
}

/** As on GitHub, a condition without a status function holds only after success. */
function completeCondition(expression: string): string {
  const names = ['success', 'failure', 'cancelled', 'always']
  try {
    const { tokens } = new Lexer(expression).lex()
    const isComplete = tokens.some(({ lexeme }, index) => {
      return names.includes(lexeme.toLowerCase()) && tokens[index + 1]?.lexeme === '('
    })
    return isComplete ? expression : `success() && (${expression})`
  } catch {
    // The evaluation reports the error.
    return expression
  }
}

/** The status functions of a job's condition. A job that is cancelled never comes to a runner. */
function statusFunctions(needs: Task['needs']) {
  const results = Object.values(needs).map(({ result }) => result)
  return [
    defineFunction('success', [0, 0], () => results.every((result) => result === 'success')),
    defineFunction('failure', [0, 0], () => results.some((result) => result === 'failure')),
    defineFunction('cancelled', [0, 0], () => false),
    defineFunction('always', [0, 0], () => true),
  ]
}

/** Returns the inputs of a manual run. The event has texts; the context has the booleans that the workflow declares. */
function givenInputs(on: unknown, github: Mapping): Readonly<Record<string, unknown>> {
  const given = asJsonObject(asJsonObject(github['event'])?.['inputs']) ?? {}
  const declared = Object.entries(inputsOf(on))
  const read = declared.map(([name, otherwise]) => {
    const value = given[name] ?? otherwise
    return [name, typeof otherwise === 'boolean' ? String(value) === 'true' : value]
  })
  return Object.fromEntries(read)
}
