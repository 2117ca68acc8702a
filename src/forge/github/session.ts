// The message session of a scale set: the right to poll, and the calls that its own token allows (scale-set protocol 8 to 10).
import type { Instant } from '../../lib/clock.ts'
import { type Answer, type Method, noBody, type Request } from '../../lib/http.ts'
import { type ActionsService, type Reply, replyOf } from './actions-api.ts'
import { badAnswer, errorFromAnswer, isGitHubError, type StatusMeaning } from './errors.ts'
import { tokenExpiry } from './jwt.ts'
import { readStatistics, type Statistics } from './messages.ts'
import { oncePolicy, type RetryPolicy, send, standardPolicy } from './retry.ts'
import { type CallHow, scaleSetsPath } from './scale-set.ts'
import { asWire, field, textField } from './wire.ts'

export type PollAnswer =
  | { readonly is: 'message'; readonly value: unknown }
  | { readonly is: 'nothing' }
  /** 200 without a body: a hiccup of the broker, the same as nothing. */
  | { readonly is: 'empty' }

type Queue = {
  readonly url: URL
  readonly token: string
  /** When to ask for a new token; undefined where the token does not say when it expires. */
  readonly renewAt: Instant | undefined
}

const pollPolicy: RetryPolicy = { attempts: 1, timeoutMs: 75_000 }
const renewBeforeMs = 10 * 60_000
const tokenLengthMax = 64 * 1024

/** Rejects with `session-taken` while another listener is there, `scale-set-gone`, or `bad-answer`; a session without a queue is given back first. */
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
  const id = textField(asWire(reply.value) ?? {}, 'sessionId')
  if (!id || /^[0-]+$/.test(id)) throw badAnswer('the message session has no id', reply.status)
  try {
    return new MessageSession(service, scaleSetId, id, reply)
  } catch (error) {
    await deleteSession(service, scaleSetId, id, { policy: oncePolicy }).catch(() => undefined)
    throw error
  }
}

/** Giving back a session that has gone is success. */
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
    this.#statistics = readStatistics(field(asWire(reply.value) ?? {}, 'statistics'))
  }

  /** As of the creation or the last refresh. */
  get statistics(): Statistics | undefined {
    return this.#statistics
  }

  /** Whether the queue token should be renewed before it is refused. */
  isRenewalDue(now: Instant): boolean {
    return this.#queue.renewAt !== undefined && this.#queue.renewAt <= now
  }

  /** A new queue token, perhaps a new queue, and fresh statistics. Rejects with `session-gone` when the service has dropped the session. */
  async refresh(how: CallHow): Promise<void> {
    const path = `${scaleSetsPath}/${this.#scaleSetId}/sessions/${encodeURIComponent(this.id)}`
    const reply = await this.#service.call({ method: 'PATCH', path, meaning: { 404: 'session-gone' }, ...how })
    this.#queue = readQueue(reply, this.#service.net.clock.now())
    this.#statistics = readStatistics(field(asWire(reply.value) ?? {}, 'statistics'))
  }

  /** One long poll. Rejects with `session-gone`, `scale-set-gone`, or `token-refused` when also a new token was refused. */
  async poll(after: number, capacity: number, signal: AbortSignal): Promise<PollAnswer> {
    const answer = await this.#withToken(signal, async () => {
      const request = this.#request('GET', this.#queue.url.pathname, signal)
      const query = after === 0 ? request.query : { ...request.query, lastMessageId: String(after) }
      const headers = {
        ...request.headers,
        accept: 'application/json; api-version=6.0-preview',
        'x-scalesetmaxcapacity': String(capacity),
      }
      return this.#exchange({ ...request, query, headers, expect: 'bytes' }, pollPolicy, { 404: 'session-gone' })
    })
    if (answer.status === 202) return { is: 'nothing' }
    if (answer.body.kind === 'none') return { is: 'empty' }
    return { is: 'message', value: replyOf(answer).value }
  }

  /** Deletes the message; one that has gone is success. */
  async acknowledge(messageId: number): Promise<void> {
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

  /** Asks for offered jobs (older servers); answers with those that were granted. */
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
    const granted = field(asWire(reply.value) ?? {}, 'value')
    if (!Array.isArray(granted)) throw badAnswer('the list of acquired jobs is missing', reply.status)
    return granted.map(Number)
  }

  async remove(how: CallHow): Promise<void> {
    await deleteSession(this.#service, this.#scaleSetId, this.id, how)
  }

  /** Runs the call, and once more with a new token if the first was refused. */
  async #withToken<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!isGitHubError(error, 'token-refused')) throw error
      await this.refresh({ signal })
      return call()
    }
  }

  /** The queue's address is opaque: its path and query are kept. */
  #request(method: Method, path: string, signal: AbortSignal | undefined): Request {
    const { url, token } = this.#queue
    const headers = { authorization: `Bearer ${token}`, 'user-agent': this.#service.userAgent() }
    const query = Object.fromEntries(url.searchParams)
    return { method, origin: url.origin, path, query, headers, body: noBody, expect: 'whole', signal }
  }

  async #exchange(request: Request, policy: RetryPolicy, meaning: StatusMeaning): Promise<Answer> {
    const { net } = this.#service
    const answer = await send(net, request, policy)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw errorFromAnswer(request, answer, net.clock.now(), meaning)
  }
}

/** During incidents a session came without a queue: polling an empty address would look like silence. */
function readQueue(reply: Reply, now: Instant): Queue {
  const wire = asWire(reply.value) ?? {}
  const url = textField(wire, 'messageQueueUrl')
  const token = textField(wire, 'messageQueueAccessToken', tokenLengthMax)
  if (!url || !URL.canParse(url) || !/^https?:/.test(url))
    throw badAnswer('the message session has no queue', reply.status)
  if (!token) throw badAnswer('the message session has no token', reply.status)
  const expiresAt = tokenExpiry(token)
  // Ten minutes early; where tokens live shorter than twenty, at half of their life, so that we do not ask before every poll.
  const renewAt = expiresAt === undefined ? undefined : Math.max(expiresAt - renewBeforeMs, (now + expiresAt) / 2)
  return { url: new URL(url), token, renewAt }
}
