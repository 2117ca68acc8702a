// The session routes of the runner API: session, messages, acknowledgement (packages/forge-emulators/src/github/runner-wire.md, docs/reference/scale-set-protocol.md#s15-5).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { uuid } from '@dayfly/kit/ids'
import * as z from 'zod'
import { hold } from '../server/deadlines.ts'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { brokerError } from './refusal.ts'
import { requireRegistrable, requireWorking } from './runner-versions.ts'
import { disconnectRunner, touchRunner } from './runners.ts'
import { settle } from './settle.ts'
import type { Job, Runner } from './state.ts'

export function runnerRoutes(emulation: Emulation): readonly Route[] {
  return [
    { method: 'POST', pattern: '/runner/session', run: (call) => connect(emulation, call) },
    { method: 'DELETE', pattern: '/runner/session', run: (call) => disconnect(emulation, call) },
    { method: 'GET', pattern: '/runner/message', run: (call) => pollMessage(emulation, call) },
    { method: 'POST', pattern: '/runner/acknowledge', run: (call) => acknowledgeJob(emulation, call) },
  ]
}

/** Returns the runner that sent the request. */
export function authorizeRunner(emulation: Emulation, call: Call): Runner {
  const id = runnerId(emulation, call)
  const runner = emulation.state.runners.get(id)
  if (!runner) throw brokerError(404, 'RunnerNotFound', 'The runner registration was not found.')
  return runner
}

const connectSchema = z.object({
  ownerName: z.string().max(256).default(''),
  agent: z
    .object({ version: z.string().max(64).default(''), osDescription: z.string().max(256).default('') })
    .prefault({}),
})

/** Connects a runner. A credential connects only once: a second process with the same credential is an error. */
function connect(emulation: Emulation, call: Call): Answer {
  const runner = authorizeRunner(emulation, call)
  const body = connectSchema.safeParse(call.body)
  if (!body.success) throw brokerError(400, '', 'The session needs ownerName and agent.')
  if (runner.connected) throw brokerError(409, '', `The runner ${runner.name} has already had a session.`)
  const { ownerName, agent } = body.data
  requireRegistrable(emulation, agent.version)
  runner.session = uuid(emulation.random)
  runner.version = agent.version
  touchRunner(emulation, runner)
  settle(emulation)
  return jsonAnswer(200, {
    sessionId: runner.session,
    ownerName,
    agent: { id: runner.id, name: runner.name, ...agent, ephemeral: true, status: 'online' },
  })
}

function disconnect(emulation: Emulation, call: Call): Answer {
  const runner = emulation.state.runners.get(runnerId(emulation, call))
  if (runner) {
    runner.session = undefined
    disconnectRunner(emulation, runner)
    settle(emulation)
  }
  return emptyAnswer(204)
}

/** Holds the poll until there is a message, the registration is gone, or the time is up. */
async function pollMessage(emulation: Emulation, call: Call): Promise<Answer> {
  const runner = requireSession(emulation, call)
  requireWorking(emulation, runner)
  runner.listening = true
  touchRunner(emulation, runner)
  settle(emulation)
  let message = messageFor(runner, call)
  if (!message) {
    const held = hold(emulation.clock, emulation.knobs.longPollMs, call.request.signal)
    runner.wake = held.wake
    try {
      await held.done
    } finally {
      if (runner.wake === held.wake) runner.wake = undefined
      runner.listening = runner.wake !== undefined
    }
    requireSession(emulation, call)
    touchRunner(emulation, runner)
    message = messageFor(runner, call)
  }
  return message ? jsonAnswer(200, message) : emptyAnswer(202)
}

function messageFor(runner: Runner, call: Call): object | undefined {
  const { job } = runner
  if (job?.state === 'assigned' && !runner.acknowledged) {
    const body = { runner_request_id: job.jobId, run_service_url: runServiceUrl(job, call), should_acknowledge: true }
    return { messageId: job.requestId, messageType: 'RunnerJobRequest', body: JSON.stringify(body) }
  }
  if (job?.state === 'running' && job.cancelRequested && !runner.cancelSent) {
    runner.cancelSent = true
    const body = { jobId: job.jobId, timeout: '00:05:00' }
    return { messageId: job.requestId, messageType: 'JobCancellation', body: JSON.stringify(body) }
  }
  return undefined
}

function runServiceUrl(job: Job, call: Call): string {
  return `${call.origin}/runner/jobs/${job.jobId}/`
}

const acknowledgeSchema = z.object({ runnerRequestId: z.string() })

function acknowledgeJob(emulation: Emulation, call: Call): Answer {
  const runner = requireSession(emulation, call)
  const body = acknowledgeSchema.safeParse(call.body)
  if (!body.success || runner.job?.jobId !== body.data.runnerRequestId) {
    throw brokerError(404, 'AcknowledgeJobNotFound', 'The job was withdrawn.')
  }
  runner.acknowledged = true
  return jsonAnswer(200, {})
}

function requireSession(emulation: Emulation, call: Call): Runner {
  const runner = authorizeRunner(emulation, call)
  if (runner.session !== undefined && runner.session === call.request.query['sessionId']) return runner
  throw brokerError(404, 'RunnerSessionInvalid', 'The session is not valid.')
}

function runnerId(emulation: Emulation, call: Call): number {
  const token = /^Bearer (\S+)$/i.exec(call.request.headers['authorization'] ?? '')?.[1] ?? ''
  const claims = emulation.tokens.read(token, emulation.clock.now())
  if (claims?.kind !== 'runner') throw brokerError(401, '', 'The token is expired or not a runner token.')
  return claims.runner ?? 0
}
