// The message session of a scale set: the right to poll, and the calls that its own token allows
// (docs/reference/scale-set-protocol.md#s8).
import type { Instant } from '@dayfly/kit/clock'
import { type Answer, type Method, noBody, type Request } from '@dayfly/kit/http'
import { asJsonObject } from '@dayfly/kit/read-json'
import type { ActionsService, Reply } from '../calls/actions-api.ts'
import { badAnswer, errorFromAnswer, isGitHubError, type StatusMeaning } from '../calls/errors.ts'
import { oncePolicy, type RetryPolicy, send, standardPolicy } from '../calls/retry.ts'
import { tokenExpiry } from '../calls/server-time.ts'
import { field, opaqueField, textField, urlField } from '../calls/wire.ts'
import { type CallHow, scaleSetsPath } from '../scale-set/scale-set.ts'
import { type Envelope, readEnvelope, readStatistics, type Statistics } from './messages.ts'

export type PollAnswer =
  | Envelope
  | { readonly is: 'nothing' }
  /** A 200 without a body: a disturbance of the broker that means the same as `nothing`. */
  | { readonly is: 'empty' }

type Queue = {
  readonly url: URL
  readonly token: string
  /** When the token expires, and when to ask for a new one; undefined if the token does not say. */
  readonly expiresAt: Instant | undefined
  readonly renewAt: Instant | undefined
}

const pollPolicy: RetryPolicy = { attempts: 1, timeoutMs: 75_000 }
const renewBeforeMs = 10 * 60_000

/**
 * Rejects with `session-taken` while another listener has a session, with `scale-set-gone`, or with `bad-answer`.
 * Deletes a session that comes without a queue before it rejects.
 */
export async function createSession(
  service: ActionsService,
  scaleSetId: number,
  owner: string,
): Promise<MessageSession> {
  const reply = await service.call({
    method: 'POST',
    path: `${scaleSetsPath}/${scaleSetId}/sessions`,
    body: { ownerName: owner },
    policy: oncePolicy,
    meaning: { 404: 'scale-set-gone', 409: 'session-taken' },
  })
  const id = textField(asJsonObject(reply.value) ?? {}, 'sessionId')
  if (!id || /^[0-]+$/.test(id)) throw badAnswer('the message session has no id', reply.status)
  try {
    return new MessageSession(service, scaleSetId, id, reply)
  } catch (error) {
    await deleteSession(service, scaleSetId, id, { policy: oncePolicy }).catch(() => undefined)
    throw error
  }
}

/** Succeeds also if the session no longer exists. */
export async function deleteSession(
  service: ActionsService,
  scaleSetId: number,
  sessionId: string,
  how: CallHow,
): Promise<void> {
  try {
    const path = `${scaleSetsPath}/${scaleSetId}/sessions/${encodeURIComponent(sessionId)}`
    await service.call({ method: 'DELETE', path, ...how })
  } catch (error) {
    if (!isGitHubError(error, 'session-gone', 'scale-set-gone', 'not-found')) throw error
  }
}

export class MessageSession {
  readonly id: string
  readonly #service: ActionsService
  readonly #scaleSetId: number
  #queue: Queue
  #statistics: Statistics | undefined

  constructor(service: ActionsService, scaleSetId: number, id: string, reply: Reply) {
    this.#service = service
    this.#scaleSetId = scaleSetId
    this.id = id
    this.#queue = readQueue(reply, service.net.clock.now())
    this.#statistics = readStatistics(field(asJsonObject(reply.value) ?? {}, 'statistics'))
  }

  /** The statistics at the creation or at the last refresh. */
  get statistics(): Statistics | undefined {
    return this.#statistics
  }

  /** When the queue token expires; undefined if it does not say. */
  get expiresAt(): Instant | undefined {
    return this.#queue.expiresAt
  }

  /** When the queue token should be renewed, before GitHub refuses it. */
  get renewAt(): Instant | undefined {
    return this.#queue.renewAt
  }

  /** Gets a new queue token, possibly a new queue, and current statistics. Rejects with `session-gone` if GitHub has dropped the session. */
  async refresh(how: CallHow): Promise<void> {
    const path = `${scaleSetsPath}/${this.#scaleSetId}/sessions/${encodeURIComponent(this.id)}`
    const reply = await this.#service.call({ method: 'PATCH', path, meaning: { 404: 'session-gone' }, ...how })
    this.#queue = readQueue(reply, this.#service.net.clock.now())
    this.#statistics = readStatistics(field(asJsonObject(reply.value) ?? {}, 'statistics'))
  }

  /** Makes one long poll. Rejects with `token-refused`, `session-gone` or `scale-set-gone`, among others. */
  async poll(after: string | undefined, capacity: number, signal: AbortSignal): Promise<PollAnswer> {
    const request = this.#request('GET', this.#queue.url.pathname, signal)
    const headers = {
      ...request.headers,
      accept: 'application/json; api-version=6.0-preview',
      'x-scalesetmaxcapacity': String(capacity),
    }
    const query: Request['query'] = after === undefined ? {} : { lastMessageId: after }
    const answer = await this.#exchange({ ...request, query, headers, expect: 'bytes' }, pollPolicy, {
      404: 'session-gone',
    })
    if (answer.status === 202) return { is: 'nothing' }
    return answer.body.kind === 'none' ? { is: 'empty' } : readEnvelope(answer.body)
  }

  /** Deletes the message. Succeeds also if the message no longer exists. */
  async acknowledge(messageId: string): Promise<void> {
    await this.#withToken(undefined, async () => {
      const path = `${this.#queue.url.pathname.replace(/\/+$/, '')}/${messageId}`
      const request = this.#request('DELETE', path, undefined)
      const headers = { ...request.headers, 'content-type': 'application/json' }
      try {
        await this.#exchange({ ...request, headers }, standardPolicy, {})
      } catch (error) {
        if (!isGitHubError(error, 'not-found', 'session-gone', 'scale-set-gone')) throw error
      }
    })
  }

  /** Acquires offered jobs (older servers only). Returns the request ids that were granted. */
  async acquire(requestIds: readonly number[], signal: AbortSignal): Promise<readonly number[]> {
    const path = `${scaleSetsPath}/${this.#scaleSetId}/acquirejobs`
    const reply = await this.#withToken(signal, () =>
      this.#service.call({
        method: 'POST',
        path,
        body: requestIds,
        token: this.#queue.token,
        policy: oncePolicy,
        signal,
      }),
    )
    const granted = field(asJsonObject(reply.value) ?? {}, 'value')
    if (!Array.isArray(granted)) throw badAnswer('the list of acquired jobs is missing', reply.status)
    return granted.map(Number)
  }

  /** Makes the call, and once more with a new token if GitHub refuses the first. */
  async #withToken<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!isGitHubError(error, 'token-refused')) throw error
      await this.refresh({ signal })
      return call()
    }
  }

  /** GitHub hands out the queue's address: its path and its query are sent unchanged. */
  #request(method: Method, path: string, signal: AbortSignal | undefined): Request {
    const { url, token } = this.#queue
    const headers = { authorization: `Bearer ${token}`, 'user-agent': this.#service.userAgent() }
    const search = url.search.slice(1)
    return { method, origin: url.origin, path, search, query: {}, headers, body: noBody, expect: 'whole', signal }
  }

  async #exchange(request: Request, policy: RetryPolicy, meaning: StatusMeaning): Promise<Answer> {
    const { net } = this.#service
    const answer = await send(net, request, policy)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw errorFromAnswer(request, answer, net.clock.now(), meaning)
  }
}

/** During incidents GitHub has created sessions without a queue; polling an empty address would look like silence. */
function readQueue(reply: Reply, now: Instant): Queue {
  const wire = asJsonObject(reply.value) ?? {}
  const url = urlField(wire, 'messageQueueUrl')
  const token = opaqueField(wire, 'messageQueueAccessToken')
  if (!url) throw badAnswer('the message session has no queue', reply.status)
  if (!token) throw badAnswer('the message session has no token', reply.status)
  const expiresAt = tokenExpiry(token, reply.headers, now)
  // Ten minutes early. A token that lives less than twenty minutes is renewed at half of its life, not before every poll.
  const renewAt = expiresAt === undefined ? undefined : Math.max(expiresAt - renewBeforeMs, (now + expiresAt) / 2)
  return { url, token, expiresAt, renewAt }
}
