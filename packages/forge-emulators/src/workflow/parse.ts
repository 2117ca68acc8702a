// Reads a workflow file into a plain `Workflow`. GitHub's parser validates the file. The values come from the YAML itself,
// because GitHub's parser keeps a block's indentation in texts with expressions.
import { ensureStatusFunction } from '@actions/workflow-parser/model/converter/if-condition'
import type { Job as ParsedJob, Step as ParsedStep } from '@actions/workflow-parser/model/workflow-template'
import { hasExpression, splitTemplate } from '../expression.ts'
import type { RunnerJob, RunnerStep, Template } from '../job.ts'
import { workflowKind } from '../source/kind.ts'
import { positionOf, problemAt, refuseProblems } from '../source/locate.ts'
import { SourceError } from '../source/problem.ts'
import { readSource, type Source } from '../source/source.ts'
import { expandMatrix, MatrixError } from './matrix.ts'
import { findUnsupported, isCheckout } from './unsupported.ts'
import { validateWorkflow } from './validate.ts'
import type { Workflow, WorkflowJob } from './workflow.ts'

type Mapping = Readonly<Record<string, unknown>>

/** Reads and validates a workflow file. Throws a `SourceError` with file, line, column, a sentence and a next step. */
export async function readWorkflow(file: string): Promise<Workflow> {
  return parseWorkflowSource(await readSource(file, workflowKind))
}

/** Validates a source that is already read. Throws like `readWorkflow`. */
export async function parseWorkflowSource(source: Source): Promise<Workflow> {
  const template = await validateWorkflow(source)
  const root = mapping(source.document.toJS({ maxAliasCount: -1 }))
  const problems = findUnsupported(root).map((found) => problemAt(source, 'unsupported', found))
  refuseProblems(problems)
  checkMatrices(source, root)
  const event = eventOf(root['on'])
  const defaults = mapping(mapping(root['defaults'])['run'])
  return {
    file: source.file,
    name: root['name'] === undefined || root['name'] === null ? source.file : String(root['name']),
    event,
    inputs: event === 'workflow_dispatch' ? inputsOf(root['on']) : {},
    env: texts(root['env']),
    jobs: template.jobs.map((job) => readJob(job as ParsedJob, mapping(mapping(root['jobs'])[job.id.value]), defaults)),
    root,
  }
}

/** Checks matrices without expressions, so that their errors are reported before the run. */
function checkMatrices(source: Source, root: Mapping): void {
  for (const [key, job] of Object.entries(mapping(root['jobs']))) {
    const matrix = mapping(mapping(job)['strategy'])['matrix']
    if (matrix === undefined || hasExpression(matrix)) continue
    try {
      expandMatrix(matrix)
    } catch (error) {
      if (!(error instanceof MatrixError)) throw error
      const at = positionOf(source, ['jobs', key, 'strategy', 'matrix'])
      const next = 'Correct the matrix.'
      throw new SourceError([{ code: 'workflow-invalid', file: source.file, ...at, sentence: error.message, next }])
    }
  }
}

function readJob(parsed: ParsedJob, job: Mapping, workflowDefaults: Mapping): WorkflowJob {
  const strategy = mapping(job['strategy'])
  const defaults = mapping(mapping(job['defaults'])['run'])
  const steps = Array.isArray(job['steps']) ? job['steps'] : []
  return {
    key: parsed.id.value,
    name: optionalText(job['name'] === '' ? undefined : job['name']),
    needs: [job['needs'] ?? []].flat().map(String),
    if: conditionOf(job['if'], parsed.if),
    runsOn: job['runs-on'],
    strategy: {
      matrix: strategy['matrix'],
      failFast: strategy['fail-fast'] ?? true,
      maxParallel: strategy['max-parallel'],
    },
    continueOnError: job['continue-on-error'] ?? false,
    timeoutMinutes: job['timeout-minutes'] ?? 360,
    env: texts(job['env']),
    defaults: defaultsOf(defaults, workflowDefaults),
    outputs: texts(job['outputs']),
    steps: parsed.steps.map((step, index) => readStep(step, mapping(steps[index]))),
  }
}

function defaultsOf(job: Mapping, workflow: Mapping): RunnerJob['defaults'] {
  return {
    shell: optionalText(job['shell'] ?? workflow['shell']),
    workingDirectory: optionalText(job['working-directory'] ?? workflow['working-directory']),
  }
}

function readStep(parsed: ParsedStep, step: Mapping): RunnerStep {
  const uses = step['uses'] === undefined ? undefined : String(step['uses'])
  const run = text(step['run'])
  const firstLine = run.trimStart().split('\n', 1)[0] ?? ''
  const common = {
    id: parsed.id,
    name: optionalText(step['name']) ?? `Run ${uses ?? firstLine}`,
    if: conditionOf(step['if'], parsed.if),
    env: texts(step['env']),
    continueOnError:
      typeof step['continue-on-error'] === 'string' ? step['continue-on-error'] : step['continue-on-error'] === true,
    timeoutMinutes:
      typeof step['timeout-minutes'] === 'number' ? step['timeout-minutes'] : optionalText(step['timeout-minutes']),
  }
  if (uses === undefined) {
    const [shell, workingDirectory] = [optionalText(step['shell']), optionalText(step['working-directory'])]
    return { ...common, kind: 'run', run, shell, workingDirectory }
  }
  if (!isCheckout(uses)) return { ...common, kind: 'unsupported', uses }
  const inputs = mapping(step['with'])
  const [path, ref, fetchDepth] = ['path', 'ref', 'fetch-depth'].map((name) => optionalText(inputs[name]))
  return { ...common, kind: 'checkout', path, ref, fetchDepth }
}

/** Returns the condition of an `if`. GitHub reads it as an expression with or without `${{ }}`. A mixture of both is a text, which is always true. */
function conditionOf(value: unknown, parsed: ParsedStep['if']): string {
  const condition = text(value)
  const parts = splitTemplate(condition)
  const [only] = parts
  if (parts.every((part) => part.kind === 'text')) return parsed?.expression ?? 'success()'
  if (parts.length === 1 && only) return ensureStatusFunction(only.text.trim(), parsed?.definitionInfo)
  const format = parts.map((part, index) => (part.kind === 'text' ? part.text.replace(/[{}]/g, '$&$&') : `{${index}}`))
  const values = parts.map((part) => (part.kind === 'text' ? "''" : `(${part.text})`))
  const literal = format.join('').replaceAll("'", "''")
  return ensureStatusFunction(`format('${literal}', ${values.join(', ')})`, parsed?.definitionInfo)
}

function eventOf(on: unknown): string {
  const events = typeof on === 'string' ? [on] : Array.isArray(on) ? on.map(String) : Object.keys(mapping(on))
  return ['push', 'workflow_dispatch'].find((event) => events.includes(event)) ?? events[0] ?? 'push'
}

function inputsOf(on: unknown): Readonly<Record<string, unknown>> {
  const inputs = mapping(mapping(mapping(on)['workflow_dispatch'])['inputs'])
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => {
      const {
        type,
        default: value,
        options,
      } = mapping(input) as { type?: string; default?: unknown; options?: unknown[] }
      if (type === 'boolean') return [name, value === true || value === 'true']
      return [name, value ?? (type === 'choice' ? text(options?.[0]) : '')]
    }),
  )
}

function texts(value: unknown): Readonly<Record<string, Template>> {
  return Object.fromEntries(Object.entries(mapping(value)).map(([key, item]) => [key, text(item)]))
}

function optionalText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : text(value)
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? (value as Mapping) : {}
}
