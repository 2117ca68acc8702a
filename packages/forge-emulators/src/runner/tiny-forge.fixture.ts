// A minimal forge for tests of the runner. It implements the runner's protocol (packages/forge-emulators/src/github/runner-wire.md), gives each runner one
// job and records everything.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import type { JobReport, RunnerJob } from '../job.ts'

type TinyJob = {
  readonly message: RunnerJob
  readonly steps: Readonly<Record<string, unknown>>[]
  readonly lines: string[]
  report: JobReport | undefined
  cancelled: boolean
  renewals: number
}

export interface TinyForge {
  readonly origin: string
  /** Returns a JIT configuration for a runner that gets this job. Without a job, the runner waits indefinitely. */
  register(name: string, job?: RunnerJob): string
  job(jobId: string): TinyJob
  /** Cancels the job. The runner learns it from its next message. */
  cancel(jobId: string): void
  /** Sets the answer to the next request whose path has this end. */
  answer(pathEnd: string, answer: Answer): void
  readonly requests: readonly string[]
  /** Resolves after this runner has sent a request whose path has this end. */
  seen(name: string, pathEnd: string): Promise<void>
  /** Resolves after the job has sent a matching line. */
  printed(jobId: string, line: RegExp): Promise<void>
  close(): Promise<void>
}

export async function tinyForge(): Promise<TinyForge> {
  const offers = new Map<string, RunnerJob | undefined>()
  const jobs = new Map<string, TinyJob>()
  const answers: { readonly end: string; readonly answer: Answer }[] = []
  const requests: string[] = []
  const callers: string[] = []
  const watchers = new Set<() => void>()
  const until = (check: () => boolean, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!check() && !signal?.aborted) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      signal?.addEventListener('abort', look)
      look()
    })

  const message = async (request: Request, name: string): Promise<Answer> => {
    const job = offers.get(name)
    const known = job && jobs.get(job.jobId)
    if (request.query['status'] === 'Busy') {
      await until(() => known?.cancelled === true, request.signal)
      if (known) known.cancelled = false
      return messageAnswer('JobCancellation', { jobId: job?.jobId, timeout: '00:05:00' })
    }
    await until(() => offers.get(name) !== undefined, request.signal)
    const url = `${server.origin}/runner/jobs/${job?.jobId}/`
    return messageAnswer('RunnerJobRequest', {
      runner_request_id: job?.jobId,
      run_service_url: url,
      should_acknowledge: true,
    })
  }

  const jobCall = (id: string, verb: string, body: Readonly<Record<string, unknown>>): Answer => {
    const job = jobs.get(id)
    if (!job) return jsonAnswer(404, {})
    if (verb === 'acquirejob') return jsonAnswer(200, job.message)
    if (verb === 'steps') job.steps.push(body)
    if (verb === 'logs') job.lines.push(...(body['lines'] as string[]))
    if (verb === 'renewjob') job.renewals++
    if (verb === 'completejob') job.report = body as unknown as JobReport
    return jsonAnswer(200, verb === 'renewjob' ? { cancelled: job.cancelled } : {})
  }

  const server = await httpServer(async (request) => {
    const name = request.headers['authorization']?.replace('Bearer token-', '') ?? ''
    requests.push(`${request.method} ${request.path}`)
    callers.push(`${name} ${request.path}`)
    queueMicrotask(() => {
      for (const look of [...watchers]) look()
    })
    const planned = answers.findIndex(({ end }) => request.path.endsWith(end))
    const [instead] = planned < 0 ? [] : answers.splice(planned, 1)
    if (instead) return instead.answer
    const [, id = '', verb = ''] = /^\/runner\/jobs\/([^/]+)\/(\w+)$/.exec(request.path) ?? []
    if (!offers.has(name)) return jsonAnswer(404, { errorKind: 'RunnerNotFound', errorMessage: 'The runner is gone.' })
    const body = request.body.kind === 'json' ? (request.body.value as Record<string, unknown>) : {}
    if (verb) return jobCall(id, verb, body)
    if (request.path === '/runner/message') return message(request, name)
    return jsonAnswer(200, { sessionId: `session-${name}` })
  })

  return {
    origin: server.origin,
    requests,
    register: (name, job) => {
      offers.set(name, job)
      if (job)
        jobs.set(job.jobId, { message: job, steps: [], lines: [], report: undefined, cancelled: false, renewals: 0 })
      return credential(name, server.origin)
    },
    job: (jobId) => {
      const job = jobs.get(jobId)
      if (!job) throw new Error(`no job ${jobId}`)
      return job
    },
    cancel: (jobId) => {
      const job = jobs.get(jobId)
      if (job) job.cancelled = true
      for (const look of [...watchers]) look()
    },
    answer: (end, answer) => void answers.push({ end, answer }),
    seen: (name, end) => until(() => callers.some((call) => call.startsWith(`${name} `) && call.endsWith(end))),
    printed: (id, line) => until(() => jobs.get(id)?.lines.some((text) => line.test(text)) === true),
    close: () => server.close(),
  }
}

function messageAnswer(messageType: string, body: unknown): Answer {
  return jsonAnswer(200, { messageId: 1, messageType, body: JSON.stringify(body) })
}

function credential(name: string, origin: string): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
  return encode({
    '.runner': encode({ AgentId: 1, AgentName: name, ServerUrlV2: `${origin}/runner/`, WorkFolder: '_work' }),
    '.credentials': encode({ Scheme: 'OAuth', Data: { AccessToken: `token-${name}` } }),
    '.credentials_rsaparams': encode({}),
  })
}
