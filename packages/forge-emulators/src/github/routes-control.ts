// The control API under `/_emulator`, for tests and for users without a forge (docs/reference/scale-set-protocol.md#s19-1).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { done, found, parsed, refuse, serverRoutes } from '../server/control-routes.ts'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { installationChangeSchema } from './apps.ts'
import { knobChangeSchema, limits } from './config.ts'
import type { Control } from './control.ts'
import type { Emulation } from './emulation.ts'
import { scriptJob } from './script-job.ts'
import { dumpState } from './state-dump.ts'

export function controlRoutes(emulation: Emulation, control: Control): readonly Route[] {
  return [
    { method: 'GET', pattern: '/_emulator/state', run: () => jsonAnswer(200, dumpState(emulation)) },
    ...serverRoutes(control, emulation.clock),
    {
      method: 'PUT',
      pattern: '/_emulator/knobs',
      run: (call) => done(() => control.knobs(parsed(knobChangeSchema, call))),
    },
    {
      method: 'PUT',
      pattern: '/_emulator/installations/:id',
      run: (call) => found(control.installation(Number(call.params['id']), parsed(installationChangeSchema, call))),
    },
    { method: 'POST', pattern: '/_emulator/groups', run: (call) => addGroup(control, call) },
    { method: 'POST', pattern: '/_emulator/jobs', run: (call) => queue(control, call) },
    ...jobRoutes(control),
    ...runnerRoutes(control),
    {
      method: 'DELETE',
      pattern: '/_emulator/sessions/:id',
      run: (call) => found(control.loseSession(call.params['id'] ?? '')),
    },
    {
      method: 'DELETE',
      pattern: '/_emulator/scalesets/:id',
      run: (call) => found(control.loseScaleSet(Number(call.params['id']))),
    },
  ]
}

function jobRoutes(control: Control): readonly Route[] {
  const job = '/_emulator/jobs/:job'
  const idOf = (call: Call) => call.params['job'] ?? ''
  return [
    {
      method: 'GET',
      pattern: `${job}/log`,
      run: (call) =>
        jsonAnswer(200, { lines: control.job(idOf(call))?.log.lines ?? refuse(404, 'The job does not exist.') }),
    },
    { method: 'POST', pattern: `${job}/cancel`, run: (call) => found(control.cancel(idOf(call))) },
    {
      method: 'POST',
      pattern: `${job}/announce-completed`,
      run: (call) => found(control.announceCompleted(idOf(call))),
    },
  ]
}

const finishSchema = z.strictObject({ result: z.enum(['succeeded', 'failed', 'canceled']).default('succeeded') })

const onlineSchema = z.strictObject({ version: z.string().max(64).optional() })

function runnerRoutes({ stub }: Control): readonly Route[] {
  const runner = '/_emulator/runners/:name'
  const nameOf = (call: Call) => call.params['name'] ?? ''
  return [
    {
      method: 'POST',
      pattern: `${runner}/online`,
      run: (call) => {
        const outcome = stub.online(nameOf(call), parsed(onlineSchema, call).version)
        if (outcome === 'connected-before') refuse(409, 'This runner has already connected.')
        return found(outcome === 'online')
      },
    },
    { method: 'GET', pattern: `${runner}/job`, run: (call) => stubJob(stub, call) },
    { method: 'POST', pattern: `${runner}/start`, run: (call) => found(stub.start(nameOf(call)) === 'started') },
    {
      method: 'POST',
      pattern: `${runner}/finish`,
      run: (call) => {
        const { result } = parsed(finishSchema, call)
        const conclusion = ({ succeeded: 'success', failed: 'failure', canceled: 'cancelled' } as const)[result]
        const report = { conclusion, outputs: {}, steps: [], note: undefined }
        return found(stub.finish(nameOf(call), report) === 'finished')
      },
    },
    { method: 'POST', pattern: `${runner}/vanish`, run: (call) => found(stub.vanish(nameOf(call)) === 'vanished') },
  ]
}

async function stubJob(stub: Control['stub'], call: Call): Promise<Answer> {
  const job = await stub.job(call.params['name'] ?? '', call.request.signal)
  if (job === 'absent') return refuse(404, 'The runner does not exist.')
  if (!job) return emptyAnswer(202)
  return jsonAnswer(200, { jobId: job.jobId, durationMs: job.spec.durationMs, exitCode: job.spec.exitCode })
}

const text = z.string().min(1).max(1_024)
const jobsSchema = z.strictObject({
  count: z.number().int().min(1).max(limits.jobsPerRequest).default(1),
  labels: z.array(text).min(1).max(100),
  steps: z
    .array(z.strictObject({ run: z.string().min(1).max(65_536), name: text.optional() }))
    .min(1)
    .max(100)
    .default([{ run: 'echo "Hello from Dayfly"' }]),
  scope: z
    .string()
    .regex(/^(org|repo|enterprise):./)
    .optional(),
  owner: text.optional(),
  repo: text.optional(),
  workflowRef: text.optional(),
  runId: z.number().int().positive().optional(),
  displayName: text.optional(),
  durationMs: z.number().nonnegative().optional(),
  exitCode: z.number().int().optional(),
})

function queue(control: Control, call: Call): Answer {
  const { count, steps, repo, workflowRef, displayName, ...rest } = parsed(jobsSchema, call)
  const spec = { ...rest, repository: repo, workflow: workflowRef }
  const specs = Array.from({ length: count }, (_, index) => {
    const name = displayName ?? (count === 1 ? 'job' : `job ${index + 1}`)
    return { ...spec, name, message: scriptJob(name, steps) }
  })
  const queued = control.queueJobs(specs)
  return jsonAnswer(
    201,
    queued.map(({ id, runId }) => ({ runId, jobId: id })),
  )
}

const groupSchema = z.strictObject({ scope: z.string().regex(/^(org|repo|enterprise):./), name: text })

function addGroup(control: Control, call: Call): Answer {
  const { scope, name } = parsed(groupSchema, call)
  return jsonAnswer(201, { id: control.group(scope, name) })
}
