// Sends one call to Bitbucket's API within the user's budget. It never repeats a call whose answer was lost.
import { type Answer, jsonBody, type Method, noBody, type Request, TransportError } from '@dayfly/kit/http'
import type { ForgeOperation } from '@dayfly/runner-set/forge/forge'
import type { PortError } from '@dayfly/runner-set/model/port-error'
import { type ClientPorts, sendReported } from '../send-once.ts'
import { Authorization } from './authorization.ts'
import type { CallBudget, CallKind } from './call-budget.ts'
import type { BitbucketCredential } from './credential.ts'
import { bitbucketError, errorFromAnswer, errorFromTransport } from './errors.ts'
import type { Place } from './place.ts'

export type ApiOptions = ClientPorts & {
  readonly place: Place
  readonly credential: BitbucketCredential
  readonly budget: CallBudget
}

export type ApiCall = {
  readonly operation: ForgeOperation
  readonly kind: CallKind
  readonly method: Method
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** A query that Bitbucket handed out, without the question mark. */
  readonly search?: string | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** How long one request may take, body included, in milliseconds. */
const timeoutMs = 15_000

export class BitbucketApi {
  readonly #options: ApiOptions
  readonly #authorization: Authorization

  constructor(options: ApiOptions) {
    this.#options = options
    const { credential, place, clock } = options
    const send = (request: Request) => this.#send('create-token', request)
    this.#authorization = new Authorization(credential, place.tokenOrigin, () => clock.now(), send)
  }

  /** Returns the JSON of a response with 2xx. Rejects with a `PortError`, or with the signal's reason. */
  async call(call: ApiCall): Promise<unknown> {
    const header = await this.#authorization.header(call.signal)
    const first = await this.#attempt(call, header)
    // A refused call was not carried out, so a new token may try again.
    if (first.status !== 401 || !this.#authorization.forget(header)) return this.#read(call, header, first)
    const next = await this.#authorization.header(call.signal)
    return this.#read(call, next, await this.#attempt(call, next))
  }

  async #attempt(call: ApiCall, header: string): Promise<Answer> {
    const { budget, clock } = this.#options
    const limit = budget.take(call.kind, clock.now())
    if (limit) throw spent(limit.until, limit.reason === 'asked')
    const request = this.#requestOf(call, header)
    const answer = await this.#send(call.operation, request)
    if (answer instanceof TransportError) throw errorFromTransport(request, answer)
    return answer
  }

  #read(call: ApiCall, header: string, answer: Answer): unknown {
    const { budget, clock } = this.#options
    if (answer.status >= 300) {
      const error: PortError = errorFromAnswer(this.#requestOf(call, header), answer, clock.now())
      if (error.kind === 'rate-limited' && error.retryAt !== undefined) budget.hold(error.retryAt)
      throw error
    }
    return answer.body.kind === 'json' ? answer.body.value : undefined
  }

  #requestOf({ method, path, query = {}, search, body, signal }: ApiCall, authorization: string): Request {
    const { place, userAgent } = this.#options
    return {
      method,
      origin: place.apiOrigin,
      path,
      query,
      search,
      headers: { authorization, accept: 'application/json', 'user-agent': userAgent },
      body: body === undefined ? noBody : jsonBody(body),
      expect: 'whole',
      signal,
    }
  }

  #send(operation: ForgeOperation, request: Request): Promise<Answer | TransportError> {
    const { clock, budget, place, onExchange } = this.#options
    return sendReported(this.#options, request, timeoutMs, (code, ms) => {
      const shown = { account: place.url, remaining: budget.remaining(clock.now()) }
      onExchange?.({ operation, code, ms, budget: shown })
    })
  }
}

function spent(until: number, asked: boolean): PortError {
  const why = asked ? 'Bitbucket asked us to wait' : 'The calls of this credential in 60 minutes are used up'
  return bitbucketError('rate-limited', `${why}. The next call is allowed later.`, until)
}
