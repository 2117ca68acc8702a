// The job routes of the runner API: acquire, renew, steps, logs, complete (packages/forge-emulators/src/github/runner-wire.md).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import type { JobReport } from '../job.ts'
import { keepLines, logLinesMax } from '../server/kept-log.ts'
import type { Call, Route } from '../server/router.ts'
import { type Emulation, reportJob } from './emulation.ts'
import { completeJob, renewLease, startJob } from './jobs.ts'
import { brokerError } from './refusal.ts'
import { authorizeRunner } from './routes-runner.ts'
import { touchRunner } from './runners.ts'
import { settle } from './settle.ts'
import type { Job } from './state.ts'

export function runRoutes(emulation: Emulation): readonly Route[] {
  const job = '/runner/jobs/:job'
  return [
    { method: 'POST', pattern: `${job}/acquirejob`, run: (call) => acquire(emulation, call) },
    { method: 'POST', pattern: `${job}/renewjob`, run: (call) => renew(emulation, call) },
    { method: 'POST', pattern: `${job}/steps`, run: (call) => reportStep(emulation, call) },
    { method: 'POST', pattern: `${job}/logs`, run: (call) => keepLog(emulation, call) },
    { method: 'POST', pattern: `${job}/completejob`, run: (call) => complete(emulation, call) },
  ]
}

/** Gives the job to its runner, once. */
function acquire(emulation: Emulation, call: Call): Answer {
  const runner = authorizeRunner(emulation, call)
  const job = emulation.state.jobs.get(call.params['job'] ?? '')
  if (!job || job.jobId !== call.params['job'] || job.state === 'completed') throw gone()
  if (job.state === 'running') throw brokerError(409, '', 'The job has already been acquired.')
  if (runner.job !== job) throw gone()
  touchRunner(emulation, runner)
  startJob(emulation, job, runner)
  settle(emulation)
  return jsonAnswer(200, { ...job.spec.message, jobId: job.jobId, runId: job.runId })
}

function renew(emulation: Emulation, call: Call): Answer {
  const job = runningJob(emulation, call)
  const until = renewLease(emulation, job)
  return jsonAnswer(200, { lockedUntil: new Date(until).toISOString(), cancelled: job.cancelRequested })
}

const stepSchema = z.object({
  id: z.string().max(256),
  name: z.string().max(4096),
  status: z.enum(['started', 'finished']),
  at: z.number(),
})

function reportStep(emulation: Emulation, call: Call): Answer {
  const job = runningJob(emulation, call)
  const step = stepSchema.safeParse(call.body)
  if (!step.success) throw brokerError(400, '', 'A step report needs id, name, status and at.')
  const { id, status, at } = step.data
  if (status === 'started') {
    // A second report with the same time is a retry after a lost response. A report with another time is a second run.
    if ((job.stepsStarted.get(id) ?? at) !== at) job.runs++
    job.stepsStarted.set(id, at)
    if (job.times.firstStepAt === undefined) {
      job.times.firstStepAt = at
      reportJob(emulation, 'first-step', job)
    }
  }
  return jsonAnswer(200, {})
}

const linesSchema = z.object({ lines: z.array(z.string()).max(logLinesMax) })

/** Appends lines to the job's log, which keeps only the last ones. */
function keepLog(emulation: Emulation, call: Call): Answer {
  const { log } = runningJob(emulation, call)
  const body = linesSchema.safeParse(call.body)
  if (!body.success) throw brokerError(400, '', `A log report needs at most ${logLinesMax} lines.`)
  keepLines(log, body.data.lines)
  return jsonAnswer(200, {})
}

const conclusionSchema = z.enum(['success', 'failure', 'cancelled', 'skipped'])
const instantSchema = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined)
const noteSchema = z
  .string()
  .max(65_536)
  .nullish()
  .transform((value) => value ?? undefined)
const reportSchema = z.object({
  conclusion: conclusionSchema,
  outputs: z.record(z.string(), z.string()).default({}),
  steps: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        conclusion: conclusionSchema,
        outcome: conclusionSchema,
        startedAt: instantSchema,
        finishedAt: instantSchema,
        note: noteSchema,
      }),
    )
    .max(1_000)
    .default([]),
  note: noteSchema,
})

function complete(emulation: Emulation, call: Call): Answer {
  const job = runningJob(emulation, call)
  const body = reportSchema.safeParse(call.body)
  if (!body.success) throw brokerError(422, '', `The report is not valid: ${z.prettifyError(body.error)}`)
  const report: JobReport = body.data
  completeJob(emulation, job, report)
  settle(emulation)
  return jsonAnswer(200, {})
}

/** Returns the job of the path if the caller is its runner. */
function runningJob(emulation: Emulation, call: Call): Job {
  const runner = authorizeRunner(emulation, call)
  const { job } = runner
  if (job?.state !== 'running' || job.jobId !== call.params['job']) throw gone()
  touchRunner(emulation, runner)
  return job
}

function gone(): Error {
  return brokerError(404, '', 'The job has ended, or it belongs to another runner.')
}
