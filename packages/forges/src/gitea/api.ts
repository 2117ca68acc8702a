// Sends one call to Gitea's REST API or to the API of its runners. It never repeats a call whose answer was lost.
import { type Answer, jsonBody, type Method, noBody, type Request, TransportError } from '@dayfly/kit/http'
import type { ForgeOperation } from '@dayfly/runner-set/forge/forge'
import { type ClientPorts, sendReported } from '../send-once.ts'
import { badAnswer, errorFromAnswer, errorFromTransport, giteaError } from './errors.ts'

export type ApiOptions = ClientPorts & {
  readonly origin: string
  /** An access token of a user. */
  readonly token: string
}

export type ApiCall = {
  readonly operation: ForgeOperation
  readonly method: Method
  /** Below `/api/v1`. */
  readonly path: string
  /** A query without the question mark: a parameter may be there twice. */
  readonly search?: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** How long one request may take, body included, in milliseconds. */
const timeoutMs = 15_000
const runnerService = '/api/actions/runner.v1.RunnerService'

export class GiteaApi {
  readonly #options: ApiOptions
  /** How far the server's clock is ahead of ours, in milliseconds. */
  #aheadMs = 0

  constructor(options: ApiOptions) {
    this.#options = options
  }

  /** Converts a time of the server's clock to ours. Its answers tell the time in seconds. */
  fromServer(at: number): number {
    return at - this.#aheadMs
  }

  /** Returns the response with 2xx. Rejects with a `PortError`, or with the signal's reason. @param root the path of the server's own address */
  async rest(root: string, { operation, method, path, search, body, signal }: ApiCall): Promise<Answer> {
    const request = {
      ...this.#requestOf(method, `${root}/api/v1${path}`, body, signal),
      ...(search === undefined ? {} : { search }),
    }
    const authorization = `token ${this.#options.token}`
    return this.#send(operation, { ...request, headers: { ...request.headers, authorization } })
  }

  /** Calls the API of the runners, which asks for no token of a user. A failure of it is HTTP 500 with a sentence (docs/reference/gitea.md#s4-1). */
  async register(root: string, message: unknown, signal: AbortSignal): Promise<Answer> {
    return this.#send('register', this.#requestOf('POST', `${root}${runnerService}/Register`, message, signal))
  }

  #requestOf(method: Method, path: string, body: unknown, signal: AbortSignal | undefined): Request {
    return {
      method,
      origin: this.#options.origin,
      path,
      query: {},
      headers: { accept: 'application/json', 'user-agent': this.#options.userAgent },
      body: body === undefined ? noBody : jsonBody(body),
      expect: 'whole',
      signal,
    }
  }

  async #send(operation: ForgeOperation, request: Request): Promise<Answer> {
    const { clock, onExchange } = this.#options
    const answer = await sendReported(this.#options, request, timeoutMs, (code, ms) =>
      onExchange?.({ operation, code, ms, budget: undefined }),
    )
    if (answer instanceof TransportError) throw errorFromTransport(request, answer)
    this.#learnTime(answer)
    if (answer.status >= 300 && answer.status < 400) throw moved(request, answer)
    if (answer.status >= 400) throw errorFromAnswer(request, answer, clock.now())
    return answer
  }

  #learnTime({ headers }: Answer): void {
    const at = Date.parse(headers['date'] ?? '')
    const ahead = at - this.#options.clock.now()
    // The header has whole seconds, so a smaller difference says nothing.
    if (!Number.isNaN(ahead)) this.#aheadMs = Math.abs(ahead) > 2_000 ? ahead : 0
  }
}

/** A client that follows could turn a POST into a GET (docs/reference/gitea.md#s9, case 48). */
function moved({ method, path }: Request, { status, headers }: Answer): Error {
  const to = headers['location'] ?? 'another address'
  const sentence = `${method} ${path}: ${status}, it is at ${to.slice(0, 200)} now.`
  return giteaError('bad-config', `${sentence} Create the set again with the new URL.`)
}

/** Returns the JSON of an answer. Throws for the page of a proxy. */
export function jsonOf({ body }: Answer, what: string): unknown {
  if (body.kind === 'json') return body.value
  throw badAnswer(`${what} is no JSON, so something else answers at this address`)
}
