// A GitHub that answers each request as the test says, and otherwise in the simplest way. It produces faults that the
// emulator does not have.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer, noBody, type Request, type Transport } from '@dayfly/kit/http'
import type { HttpHandler } from '@dayfly/kit/http-server'

type Reaction = Answer | ((request: Request) => Answer | Promise<Answer>)
type Rule = { readonly method: string; readonly path: RegExp; readonly reaction: Reaction; left: number }

export type ScriptedGitHub = {
  readonly handler: HttpHandler
  /** The same as `handler`, without sockets, at `http://github.test`. */
  readonly transport: Transport
  readonly requests: Request[]
  /** Returns the requests that match, in order. */
  sent(method: string, path: RegExp): Request[]
  /** The next requests that match get these reactions, one each. */
  once(method: string, path: RegExp, ...reactions: Reaction[]): void
  always(method: string, path: RegExp, reaction: Reaction): void
}

export const tokenPath = /registration-token$/
export const registrationPath = /runner-registration$/
export const groupsPath = /runnergroups\/$/
export const setsPath = /runnerscalesets$/
export const setPath = /runnerscalesets\/\d+$/
export const sessionsPath = /\/sessions$/
export const sessionPath = /\/sessions\/[\w-]+$/
export const queuePath = /\/scalesets\/message$/
export const messagePath = /\/scalesets\/message\/\d+$/
export const jitPath = /generatejitconfig$/
export const agentsPath = /\/agents$/
export const agentPath = /\/agents\/\d+$/

export function scriptedGitHub(clock: Clock): ScriptedGitHub {
  const requests: Request[] = []
  const rules: Rule[] = []
  const answer = async (sent: Request): Promise<Answer> => {
    const request = { ...sent, query: { ...Object.fromEntries(new URLSearchParams(sent.search)), ...sent.query } }
    requests.push(request)
    const rule = rules.find(
      ({ method, path, left }) => left > 0 && method === request.method && path.test(request.path),
    )
    if (!rule) return plain(clock, request)
    rule.left--
    return typeof rule.reaction === 'function' ? rule.reaction(request) : rule.reaction
  }
  return {
    handler: answer,
    transport: answer,
    requests,
    sent: (method, path) => requests.filter((request) => request.method === method && path.test(request.path)),
    once: (method, path, ...reactions) => {
      for (const reaction of reactions) rules.push({ method, path, reaction, left: 1 })
    },
    always: (method, path, reaction) => rules.push({ method, path, reaction, left: Number.POSITIVE_INFINITY }),
  }
}

export function jwt(clock: Clock, seconds: number, kind = 'admin'): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'RS256' })}.${encode({ kind, exp: Math.floor(clock.now() / 1000) + seconds })}.c2lnbmF0dXJl`
}

export function exception(status: number, typeName: string, message = `${typeName} happened`): Answer {
  return jsonAnswer(status, { typeName: `GitHub.Actions.Runtime.WebApi.${typeName}, GitHub.Actions`, message })
}

export const noContent: Answer = { status: 204, headers: {}, body: noBody }
export const nothing: Answer = { status: 202, headers: {}, body: noBody }

/** Does not answer until the client gives up. */
export function silence({ signal }: Request): Promise<Answer> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

export function statistics(assigned: number): Readonly<Record<string, number>> {
  return { totalAvailableJobs: 0, totalAcquiredJobs: 0, totalAssignedJobs: assigned, totalRunningJobs: 0 }
}

export function jobMessage(messageType: string, jobId: string, more: object = {}): object {
  const times = { queueTime: '2026-01-01T00:00:00.1234567Z', runnerAssignTime: '0001-01-01T00:00:00Z' }
  return {
    messageType,
    jobId,
    runnerRequestId: 0,
    workflowRunId: 7,
    ownerName: 'acme',
    repositoryName: 'shop',
    ...times,
    ...more,
  }
}

export function envelope(messageId: number, jobs: readonly object[], assigned: number | null = jobs.length): Answer {
  return jsonAnswer(200, {
    messageId,
    messageType: 'RunnerScaleSetJobMessages',
    body: JSON.stringify(jobs),
    statistics: assigned === null ? null : statistics(assigned),
  })
}

export function scaleSet(id: number, name: string, more: object = {}): object {
  const labels = [{ id: 1, name, type: 'system' }]
  return { id, name, runnerGroupId: 1, labels, RunnerSetting: { disableUpdate: true }, ...more }
}

export function list(...value: readonly unknown[]): Answer {
  return jsonAnswer(200, { count: value.length, value })
}

export function session(clock: Clock, request: Request, more: object = {}): Answer {
  return jsonAnswer(200, {
    sessionId: '4fd0ffb0-d365-4dae-99ff-8dae173984f9',
    ownerName: 'dayfly',
    messageQueueUrl: `${originOf(request)}/scalesets/message?tenant=x%26y`,
    messageQueueAccessToken: jwt(clock, 3_600, 'queue'),
    statistics: statistics(0),
    ...more,
  })
}

export function originOf(request: Request): string {
  return request.origin ?? `http://${request.headers['host']}`
}

async function plain(clock: Clock, request: Request): Promise<Answer> {
  const { method, path } = request
  const fits = (wanted: string, pattern: RegExp) => method === wanted && pattern.test(path)
  if (fits('POST', tokenPath)) return jsonAnswer(201, { token: 'AABBREGISTRATION', expires_at: '2030-01-01T00:00:00Z' })
  if (fits('POST', registrationPath)) {
    return jsonAnswer(200, { url: `${originOf(request)}/tenant/123/`, token: jwt(clock, 3_600) })
  }
  if (fits('GET', groupsPath)) return list({ id: 1, name: 'Default', isDefaultGroup: true })
  if (fits('GET', setsPath) || fits('GET', agentsPath)) return list()
  if (fits('POST', setsPath)) return jsonAnswer(200, scaleSet(117, nameIn(request)))
  if (fits('POST', sessionsPath) || fits('PATCH', sessionPath)) return session(clock, request)
  if (fits('GET', queuePath)) {
    await clock.sleep(50_000, request.signal)
    return nothing
  }
  if (fits('POST', jitPath)) {
    return jsonAnswer(200, {
      runner: { id: 6858, name: nameIn(request), runnerScaleSetId: 117 },
      encodedJITConfig: 'aml0',
    })
  }
  if (method === 'DELETE') return noContent
  return jsonAnswer(404, { message: 'Not Found' })
}

function nameIn(request: Request): string {
  return request.body.kind === 'json' ? (request.body.value as { name: string }).name : ''
}
