// From the operator's credential to the admin connection of the Actions service, refreshed before it expires (scale-set protocol 3).
import type { Instant } from '../../lib/clock.ts'
import { type Answer, jsonBody, noBody, type Request } from '../../lib/http.ts'
import type { ConfigUrl } from './config-url.ts'
import { badAnswer, errorFromAnswer, GitHubError } from './errors.ts'
import { tokenExpiry } from './jwt.ts'
import { abortable, type Net, type RetryPolicy, send, standardPolicy } from './retry.ts'
import { asWire, textField } from './wire.ts'

/** A personal access token, as a value that the operator gave. */
export type GitHubCredential = { readonly kind: 'token'; readonly token: string }

/** Where the Actions service answers and with which token. Both change with a refresh: nothing derived from it is kept. */
export type AdminConnection = { readonly base: URL; readonly token: string; readonly expiresAt: Instant }

export type AdminTokensOptions = {
  readonly net: Net
  readonly config: ConfigUrl
  readonly credential: GitHubCredential
  readonly userAgent: string
}

type Flight = { readonly connection: Promise<AdminConnection>; readonly stop: AbortController; waiting: number }

const refreshBeforeMs = 60_000
const tokenLengthMax = 64 * 1024

export class AdminTokens {
  readonly #options: AdminTokensOptions
  #current: AdminConnection | undefined
  #flight: Flight | undefined

  constructor(options: AdminTokensOptions) {
    this.#options = options
  }

  /** A connection good for at least a minute. However many ask at once, one refresh is made; it stops when nobody waits any more. */
  async connection(policy: RetryPolicy, signal?: AbortSignal): Promise<AdminConnection> {
    const current = this.#current
    if (current && this.#options.net.clock.now() + refreshBeforeMs <= current.expiresAt) return current
    this.#flight ??= this.#takeOff(policy)
    const flight = this.#flight
    flight.waiting++
    try {
      return await abortable(flight.connection, signal)
    } finally {
      flight.waiting--
      if (flight.waiting === 0) this.#land(flight)
    }
  }

  /** The service refused this connection's token: the next caller gets a new one. */
  refuse(connection: AdminConnection): void {
    if (this.#current === connection) this.#current = undefined
  }

  #takeOff(policy: RetryPolicy): Flight {
    const stop = new AbortController()
    const connection = this.#mint(policy, stop.signal).then((minted) => {
      this.#current = minted
      return minted
    })
    return { connection, stop, waiting: 0 }
  }

  #land(flight: Flight): void {
    flight.stop.abort(new Error('nobody waits for the token'))
    if (this.#flight === flight) this.#flight = undefined
  }

  async #mint(policy: RetryPolicy, signal: AbortSignal): Promise<AdminConnection> {
    const token = await this.#registrationToken(policy, signal)
    return this.#adminConnection(token, signal)
  }

  async #registrationToken(policy: RetryPolicy, signal: AbortSignal): Promise<string> {
    const { net, config, credential, userAgent } = this.#options
    const headers = {
      authorization: `Bearer ${credential.token}`,
      'content-type': 'application/vnd.github.v3+json',
      'user-agent': userAgent,
    }
    const path = `${config.apiPath}${config.scopePath}/actions/runners/registration-token`
    const request: Request = {
      method: 'POST',
      origin: config.apiOrigin,
      path,
      query: {},
      headers,
      body: noBody,
      expect: 'whole',
      signal,
    }
    const answer = await send(net, request, policy)
    if (answer.status !== 201) throw unreachableTarget(request, answer, net.clock.now(), config)
    const token = textField(asWire(answer.body.kind === 'json' && answer.body.value) ?? {}, 'token', tokenLengthMax)
    if (!token) throw badAnswer('the registration token is missing', answer.status)
    return token
  }

  /** A fresh registration token may not be known everywhere yet: 401 and 403 are repeated. */
  async #adminConnection(registrationToken: string, signal: AbortSignal): Promise<AdminConnection> {
    const { net, config, userAgent } = this.#options
    const headers = {
      authorization: `RemoteAuth ${registrationToken}`,
      'content-type': 'application/json',
      'user-agent': userAgent,
    }
    const body = jsonBody({ url: config.url, runner_event: 'register' })
    const path = `${config.apiPath}/actions/runner-registration`
    const request: Request = {
      method: 'POST',
      origin: config.apiOrigin,
      path,
      query: {},
      headers,
      body,
      expect: 'whole',
      signal,
    }
    const answer = await send(net, request, { ...standardPolicy, also: [401, 403] })
    if (answer.status < 200 || answer.status > 299) {
      throw errorFromAnswer(request, answer, net.clock.now(), { 401: 'credential-refused', 403: 'credential-refused' })
    }
    return readConnection(answer)
  }
}

function readConnection(answer: Answer): AdminConnection {
  const wire = asWire(answer.body.kind === 'json' && answer.body.value) ?? {}
  const url = textField(wire, 'url')
  const token = textField(wire, 'token', tokenLengthMax)
  if (!url || !URL.canParse(url) || !/^https?:/.test(url))
    throw badAnswer('the address of the Actions service is missing')
  if (!token) throw badAnswer('the token of the Actions service is missing')
  const expiresAt = tokenExpiry(token)
  if (expiresAt === undefined) throw badAnswer('the token of the Actions service does not say when it expires')
  return { base: new URL(url), token, expiresAt }
}

/** 401, 403 and 404 say alike that this credential is not allowed there; a rate limit stays one. */
function unreachableTarget(request: Request, answer: Answer, now: Instant, config: ConfigUrl): GitHubError {
  const refused = 'credential-refused'
  const error = errorFromAnswer(request, answer, now, { 401: refused, 403: refused, 404: refused })
  if (error.reason !== refused) return error
  const what = `The credential cannot register runners for ${config.url}: check that it is valid and may administer the runners of this ${config.scope}. ${error.message}`
  return new GitHubError(refused, what, { status: error.status, details: error.details, cause: error })
}
