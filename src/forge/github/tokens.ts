// Turns the operator's credential into the admin connection of the Actions service, and refreshes it before it expires
// (docs/reference/scale-set-protocol.md#s3).
import type { Clock, Instant } from '../../lib/clock.ts'
import { type Answer, type Body, jsonBody, noBody, type Request, type Transport } from '../../lib/http.ts'
import type { Random } from '../../lib/random.ts'
import type { ConfigUrl } from './config-url.ts'
import { badAnswer, errorFromAnswer, GitHubError } from './errors.ts'
import { abortable, type Net, type RetryPolicy, send, standardPolicy } from './retry.ts'
import { tokenExpiry } from './server-time.ts'
import { asWire, opaqueField, urlField } from './wire.ts'

/** A personal access token that the operator provides. */
export type GitHubCredential = { readonly kind: 'token'; readonly token: string }

/** Everything that the client needs to reach one account. */
export type GitHubAccess = {
  /** The URL of an organization, a repository or an enterprise, for example `https://github.com/acme`. */
  readonly url: string
  readonly credential: GitHubCredential
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** Product and version in ASCII, for example `dayfly/1.2.0`. */
  readonly userAgent: string
}

/** The address of the Actions service and its token. Both change with a refresh, so keep nothing that is derived from them. */
export type AdminConnection = { readonly base: URL; readonly token: string; readonly expiresAt: Instant }

export type AdminTokensOptions = {
  readonly net: Net
  readonly config: ConfigUrl
  readonly credential: GitHubCredential
  readonly userAgent: string
}

/** One refresh, and how many callers wait for it. */
type Refresh = { readonly connection: Promise<AdminConnection>; readonly stop: AbortController; waiting: number }

const refreshBeforeMs = 60_000

export class AdminTokens {
  readonly #options: AdminTokensOptions
  #current: AdminConnection | undefined
  #refresh: Refresh | undefined

  constructor(options: AdminTokensOptions) {
    this.#options = options
  }

  /** Returns a connection that is valid for at least a minute. Concurrent callers share one refresh, which stops when no caller waits any more. */
  async connection(policy: RetryPolicy, signal?: AbortSignal): Promise<AdminConnection> {
    const current = this.#current
    if (current && this.#options.net.clock.now() + refreshBeforeMs <= current.expiresAt) return current
    this.#refresh ??= this.#startRefresh(policy)
    const refresh = this.#refresh
    refresh.waiting++
    try {
      return await abortable(refresh.connection, signal)
    } finally {
      refresh.waiting--
      if (refresh.waiting === 0) this.#endRefresh(refresh)
    }
  }

  /** GitHub refused this connection's token: the next caller gets a new one. */
  refuse(connection: AdminConnection): void {
    if (this.#current === connection) this.#current = undefined
  }

  #startRefresh(policy: RetryPolicy): Refresh {
    const stop = new AbortController()
    const connection = this.#connect(policy, stop.signal).then((connected) => {
      this.#current = connected
      return connected
    })
    return { connection, stop, waiting: 0 }
  }

  #endRefresh(refresh: Refresh): void {
    refresh.stop.abort(new Error('no caller waits for the token'))
    if (this.#refresh === refresh) this.#refresh = undefined
  }

  async #connect(policy: RetryPolicy, signal: AbortSignal): Promise<AdminConnection> {
    const token = await this.#registrationToken(policy, signal)
    return this.#adminConnection(token, signal)
  }

  async #registrationToken(policy: RetryPolicy, signal: AbortSignal): Promise<string> {
    const { net, config, credential } = this.#options
    const headers = {
      authorization: `Bearer ${credential.token}`,
      'content-type': 'application/vnd.github.v3+json',
    }
    const request = this.#post(`${config.scopePath}/actions/runners/registration-token`, headers, noBody, signal)
    const answer = await send(net, request, policy)
    if (answer.status !== 201) throw registrationRefused(request, answer, net.clock.now(), config)
    const token = opaqueField(asWire(answer.body.kind === 'json' && answer.body.value) ?? {}, 'token')
    if (!token) throw badAnswer('the registration token is missing', answer.status)
    return token
  }

  /** Repeats 401 and 403: GitHub may not know a fresh registration token everywhere yet. */
  async #adminConnection(registrationToken: string, signal: AbortSignal): Promise<AdminConnection> {
    const { net, config } = this.#options
    const headers = { authorization: `RemoteAuth ${registrationToken}`, 'content-type': 'application/json' }
    const body = jsonBody({ url: config.url, runner_event: 'register' })
    const request = this.#post('/actions/runner-registration', headers, body, signal)
    const answer = await send(net, request, { ...standardPolicy, also: [401, 403] })
    const now = net.clock.now()
    if (answer.status < 200 || answer.status > 299) {
      throw errorFromAnswer(request, answer, now, { 401: 'credential-refused', 403: 'credential-refused' })
    }
    return readConnection(answer, now)
  }

  #post(path: string, headers: Request['headers'], body: Body, signal: AbortSignal): Request {
    const { config, userAgent } = this.#options
    return {
      method: 'POST',
      origin: config.apiOrigin,
      path: `${config.apiPath}${path}`,
      query: {},
      headers: { ...headers, 'user-agent': userAgent },
      body,
      expect: 'whole',
      signal,
    }
  }
}

function readConnection(answer: Answer, now: Instant): AdminConnection {
  const wire = asWire(answer.body.kind === 'json' && answer.body.value) ?? {}
  const base = urlField(wire, 'url')
  const token = opaqueField(wire, 'token')
  if (!base) throw badAnswer('the address of the Actions service is missing')
  if (!token) throw badAnswer('the token of the Actions service is missing')
  const expiresAt = tokenExpiry(token, answer.headers, now)
  if (expiresAt === undefined) throw badAnswer('the token of the Actions service does not say when it expires')
  return { base, token, expiresAt }
}

/** 401, 403 and 404 all mean that this credential has no access; a rate limit stays a rate limit. */
function registrationRefused(request: Request, answer: Answer, now: Instant, config: ConfigUrl): GitHubError {
  const refused = 'credential-refused'
  const error = errorFromAnswer(request, answer, now, { 401: refused, 403: refused, 404: refused })
  if (error.reason !== refused) return error
  const { status, retryAt, details } = error
  const message =
    `The credential cannot register runners for ${config.url}. ` +
    `Check that it is valid and may administer the runners of this ${config.scope}. ${error.message}`
  return new GitHubError(refused, message, { status, retryAt, details, cause: error })
}
