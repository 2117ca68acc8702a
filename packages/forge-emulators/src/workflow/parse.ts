// Reads a workflow file into a plain `Workflow`. GitHub's parser validates the file. The values come from the YAML itself,
// because GitHub's parser keeps a block's indentation in texts with expressions.
import { ensureStatusFunction } from '@actions/workflow-parser/model/converter/if-condition'
import type { Job as ParsedJob, Step as ParsedStep } from '@actions/workflow-parser/model/workflow-template'
import { hasExpression } from '../expression.ts'
import { workflowKind } from '../source/kind.ts'
import { positionOf, problemAt, refuseProblems } from '../source/locate.ts'
import { SourceError } from '../source/problem.ts'
import { readSource, type Source } from '../source/source.ts'
import { expandMatrix, MatrixError } from './matrix.ts'
import { conditionOf, defaultsOf, inputsOf, type Mapping, mapping, optionalText, readStep, texts } from './parts.ts'
import { findUnsupported } from './unsupported.ts'
import { validateWorkflow } from './validate.ts'
import type { Workflow, WorkflowJob } from './workflow.ts'

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
  return {
    file: source.file,
    name: root['name'] === undefined || root['name'] === null ? source.file : String(root['name']),
    event,
    inputs: event === 'workflow_dispatch' ? inputsOf(root['on']) : {},
    env: texts(root['env']),
    jobs: template.jobs.map((job) => readJob(job as ParsedJob, mapping(mapping(root['jobs'])[job.id.value]), root)),
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

function readJob(parsed: ParsedJob, job: Mapping, workflow: Mapping): WorkflowJob {
  const strategy = mapping(job['strategy'])
  const steps = Array.isArray(job['steps']) ? job['steps'] : []
  return {
    key: parsed.id.value,
    name: optionalText(job['name'] === '' ? undefined : job['name']),
    needs: [job['needs'] ?? []].flat().map(String),
    if: completeCondition(job['if'], parsed.if),
    runsOn: job['runs-on'],
    strategy: {
      matrix: strategy['matrix'],
      failFast: strategy['fail-fast'] ?? true,
      maxParallel: strategy['max-parallel'],
    },
    continueOnError: job['continue-on-error'] ?? false,
    timeoutMinutes: job['timeout-minutes'] ?? 360,
    env: texts(job['env']),
    defaults: defaultsOf(job, workflow),
    outputs: texts(job['outputs']),
    steps: parsed.steps.map((one, index) => {
      const step = mapping(steps[index])
      return readStep(step, { id: one.id, condition: completeCondition(step['if'], one.if) })
    }),
  }
}

function completeCondition(value: unknown, parsed: ParsedStep['if']): string {
  return conditionOf(value, (expression) => ensureStatusFunction(expression, parsed?.definitionInfo))
}

function eventOf(on: unknown): string {
  const events = typeof on === 'string' ? [on] : Array.isArray(on) ? on.map(String) : Object.keys(mapping(on))
  return ['push', 'workflow_dispatch'].find((event) => events.includes(event)) ?? events[0] ?? 'push'
}
