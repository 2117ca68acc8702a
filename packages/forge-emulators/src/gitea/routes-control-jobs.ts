// The part of the control API that queues, cancels and reruns jobs, runs workflow files, and shows logs.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import * as z from 'zod'
import { ExpressionFailure } from '../expression.ts'
import { found, parsed, refuse } from '../server/control-routes.ts'
import { Refusal } from '../server/refusal.ts'
import type { Call, Route } from '../server/router.ts'
import { workflowKind } from '../source/kind.ts'
import { SourceError } from '../source/problem.ts'
import { checkSource } from '../source/source.ts'
import { MatrixError } from '../workflow/matrix.ts'
import { parseWorkflowSource } from '../workflow/parse.ts'
import type { Workflow } from '../workflow/workflow.ts'
import type { Control } from './control.ts'
import type { Emulation } from './emulation.ts'
import { fullName } from './places.ts'

export function jobRoutes(emulation: Emulation, control: Control): readonly Route[] {
  const job = '/_emulator/jobs/:job'
  const idOf = (call: Call) => call.params['job'] ?? ''
  return [
    { method: 'POST', pattern: '/_emulator/jobs', run: (call) => queue(emulation, control, call) },
    { method: 'POST', pattern: '/_emulator/workflows', run: (call) => start(emulation, control, call) },
    { method: 'POST', pattern: `${job}/cancel`, run: (call) => found(control.cancelJob(idOf(call))) },
    { method: 'POST', pattern: `${job}/rerun`, run: (call) => found(control.rerunJob(idOf(call))) },
    {
      method: 'GET',
      pattern: `${job}/log`,
      run: (call) => {
        if (!control.job(idOf(call))) return refuse(404, 'The job does not exist.')
        return jsonAnswer(200, { lines: control.jobLog(idOf(call)) })
      },
    },
  ]
}

const jobsMax = 10_000

const jobsSchema = z.strictObject({
  count: z.number().int().min(1).max(jobsMax).default(1),
  repository: z.string().min(1).max(255).optional(),
  labels: z.array(z.string().min(1).max(255)).max(50).default(['ubuntu-latest']),
  name: z.string().min(1).max(255).optional(),
  durationMs: z.number().int().nonnegative().max(1_000_000_000).optional(),
  result: z.enum(['success', 'failure']).optional(),
  steps: z
    .array(z.strictObject({ run: z.string().min(1).max(65_536), name: z.string().min(1).max(255).optional() }))
    .min(1)
    .max(100)
    .optional(),
})

function queue(emulation: Emulation, control: Control, call: Call): Answer {
  const { count, repository, ...rest } = parsed(jobsSchema, call)
  const spec = { ...rest, repository: repositoryOf(emulation, repository) }
  const ids = control.queueJobs(Array.from({ length: count }, () => spec))
  return jsonAnswer(
    201,
    ids.map((id) => ({ id, status: control.job(id)?.status })),
  )
}

/** Returns the given repository, or the first one. */
function repositoryOf({ state }: Emulation, name: string | undefined): string {
  const [first] = state.repositories.values()
  const repository = name === undefined ? first : state.repositories.get(name.toLowerCase())
  return repository ? fullName(repository) : refuse(404, 'The repository does not exist.')
}

/** Starts the workflow of the file in the body. The query chooses its repository. */
async function start(emulation: Emulation, control: Control, call: Call): Promise<Answer> {
  const repository = repositoryOf(emulation, call.request.query['repository'])
  const workflow = await readBody(call.request)
  try {
    const run = control.runWorkflow(workflow, { repository })
    return jsonAnswer(201, { id: run.id, jobs: run.jobs() })
  } catch (error) {
    if (error instanceof ExpressionFailure || error instanceof MatrixError) return refuse(400, error.message)
    throw error
  }
}

async function readBody({ body }: Request): Promise<Workflow> {
  // JSON is YAML, too.
  const text = body.kind === 'text' ? body.text : body.kind === 'json' ? JSON.stringify(body.value) : ''
  try {
    return await parseWorkflowSource(checkSource('workflow.yml', Buffer.from(text), workflowKind))
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    throw new Refusal(jsonAnswer(400, { error: error.message, problems: error.problems }))
  }
}
