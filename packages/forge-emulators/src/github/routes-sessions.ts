// The routes of message sessions and of offered jobs (docs/reference/scale-set-protocol.md#s8, docs/reference/scale-set-protocol.md#s10).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { authorizeQueue, findScaleSet, sessionMissing } from './authorize.ts'
import type { Emulation } from './emulation.ts'
import { assignJob } from './jobs.ts'
import { jobMessage } from './messages.ts'
import { exception } from './refusal.ts'
import { endSession, openSession, queueToken } from './sessions.ts'
import { settle } from './settle.ts'
import type { Session } from './state.ts'
import { statisticsOf } from './statistics.ts'
import { scaleSetView } from './views.ts'

export function sessionRoutes(emulation: Emulation): readonly Route[] {
  const set = '/tenant/:tenant/_apis/runtime/runnerscalesets/:set'
  return [
    { method: 'POST', pattern: `${set}/sessions`, run: (call) => postSession(emulation, call) },
    { method: 'PATCH', pattern: `${set}/sessions/:session`, run: (call) => refreshSession(emulation, call) },
    { method: 'DELETE', pattern: `${set}/sessions/:session`, run: (call) => deleteSession(emulation, call) },
    { method: 'GET', pattern: `${set}/acquirablejobs`, run: (call) => listAcquirable(emulation, call) },
    { method: 'POST', pattern: `${set}/acquirejobs`, run: (call) => acquireJobs(emulation, call) },
  ]
}

const sessionSchema = z.object({ ownerName: z.string().max(1024).default('') })

function postSession(emulation: Emulation, call: Call): Answer {
  const set = findScaleSet(emulation, call)
  const body = sessionSchema.safeParse(call.body)
  if (!body.success) throw exception('ArgumentException', 'The owner of the session is not valid.')
  const session = openSession(emulation, set, body.data.ownerName)
  if (!session) {
    const message = `The actions runner scaleset ${set.name} already has an active session.`
    throw exception('RunnerScaleSetSessionConflictException', message)
  }
  settle(emulation)
  return jsonAnswer(200, sessionView(emulation, session, call))
}

function refreshSession(emulation: Emulation, call: Call): Answer {
  const session = findSession(emulation, call)
  if (!session) throw sessionMissing()
  session.serial++
  return jsonAnswer(200, sessionView(emulation, session, call))
}

function deleteSession(emulation: Emulation, call: Call): Answer {
  const session = findSession(emulation, call)
  if (!session) {
    const message = `The session identifier ${call.params['session']} is not valid.`
    throw exception('RunnerScaleSetSessionExpiredException', message)
  }
  endSession(emulation, session)
  return emptyAnswer(204)
}

function findSession(emulation: Emulation, call: Call): Session | undefined {
  const set = findScaleSet(emulation, call)
  const { session } = set
  return session?.id === call.params['session'] ? session : undefined
}

function sessionView(emulation: Emulation, session: Session, call: Call): object {
  const { set } = session
  const legacy = `/tenant/${set.scope.key}/_apis/runtime/runnerscalesets/${set.id}/sessions/${session.id}/messages`
  return {
    sessionId: session.id,
    ownerName: session.owner,
    runnerScaleSet: scaleSetView(emulation, set, call.origin),
    messageQueueUrl:
      emulation.knobs.mode === 'hosted'
        ? `${call.origin}/scalesets/message`
        : `${call.origin}${legacy}?tenant=${set.scope.key}`,
    messageQueueAccessToken: queueToken(emulation, session),
    statistics: statisticsOf(set),
  }
}

function listAcquirable(emulation: Emulation, call: Call): Answer {
  const set = findScaleSet(emulation, call)
  const value = [...set.offered].map((job) => jobMessage(emulation, 'JobAvailable', job))
  if (value.length === 0) return emptyAnswer(204)
  return jsonAnswer(200, { count: value.length, value })
}

const requestIdsSchema = z.array(z.number().int()).max(1_000)

/** Assigns the requested jobs that are still offered. The response lists them. */
function acquireJobs(emulation: Emulation, call: Call): Answer {
  const { set } = authorizeQueue(emulation, call)
  const ids = requestIdsSchema.safeParse(call.body)
  if (!ids.success || String(set.id) !== call.params['set'])
    throw exception('ArgumentException', 'The ids of the jobs are not valid.')
  const wanted = new Set(ids.data)
  const granted = [...set.offered].filter((job) => wanted.has(job.requestId))
  for (const job of granted) assignJob(emulation, job, set)
  settle(emulation)
  return jsonAnswer(200, { count: granted.length, value: granted.map((job) => job.requestId) })
}
