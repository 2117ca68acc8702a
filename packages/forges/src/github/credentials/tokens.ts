// Turns the operator's credential into the admin connection of the Actions service, and refreshes it before it expires
// (docs/reference/scale-set-protocol.md#s3).
import type { Clock, Instant } from '@dayfly/kit/clock'
import { type Answer, jsonBody, type Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { asJsonObject } from '@dayfly/kit/read-json'
import { abortable } from '@dayfly/kit/signals'
import type { ForgeLimit } from '@dayfly/runner-set/forge/forge'
import { badAnswer, errorFromAnswer, GitHubError } from '../calls/errors.ts'
import { callRest, type RestAnswer, type RestCall } from '../calls/rest.ts'
import { type RetryPolicy, standardPolicy } from '../calls/retry.ts'
import { tokenExpiry } from '../calls/server-time.ts'
import { SharedLimits } from '../calls/shared-limits.ts'
import { opaqueField, urlField } from '../calls/wire.ts'
import type { GitHubCredential } from './credential.ts'
import { openSources, type SourcesOptions } from './open-sources.ts'
import type { Source, SourceHow } from './source.ts'
import type { Sources } from './sources.ts'

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

export type AdminTokensOptions = Omit<SourcesOptions, 'limits'> & {
  /** Shared with other accounts; absent: the account has its own. */
  readonly limits?: SharedLimits
}

type SourceCall = Pick<RestCall, 'method' | 'path' | 'query' | 'body'>

/** One refresh, and how many callers wait for it. */
type Refresh = { readonly connection: Promise<AdminConnection>; readonly stop: AbortController; waiting: number }

const refreshBeforeMs = 60_000

export class AdminTokens {
  readonly #options: AdminTokensOptions
  readonly #sources: Sources
  #current: AdminConnection | undefined
  #refresh: Refresh | undefined

  /** Throws a `PortError` of kind `bad-config` for a credential that cannot work with this URL. */
  constructor(options: AdminTokensOptions) {
    this.#options = options
    this.#sources = openSources({ limits: new SharedLimits(), ...options })
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

  /** Returns why no connection can be had now, if only a limit is the reason. */
  limit(): ForgeLimit | undefined {
    const now = this.#options.net.clock.now()
    const isConnected = this.#current !== undefined && now + refreshBeforeMs <= this.#current.expiresAt
    return isConnected ? undefined : this.#sources.limit(now)
  }

  /** Reads a path below the account's own. See `call`. */
  async read(path: string, how: SourceHow): Promise<RestAnswer> {
    return this.call({ method: 'GET', path: `${this.#options.config.scopePath}${path}` }, how)
  }

  /** Calls the REST API with the best credential. Returns the response with any status. */
  async call(call: SourceCall, how: SourceHow): Promise<RestAnswer> {
    const now = this.#options.net.clock.now()
    const source = this.#sources.best(new Set(), now)
    if (!source) throw this.#sources.exhausted(undefined, now)
    const bearer = await source.bearer(how)
    const reply = await this.#ask(source, bearer, { ...call, ...how })
    if (reply.answer.status === 401) source.forget(bearer)
    return reply
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

  /** Tries the best source, then the next one, until one works. */
  async #connect(policy: RetryPolicy, signal: AbortSignal): Promise<AdminConnection> {
    const { net } = this.#options
    const sources = this.#sources
    const tried = new Set<Source>()
    let last: GitHubError | undefined
    for (;;) {
      const source = sources.best(tried, net.clock.now())
      if (!source) throw sources.exhausted(last, net.clock.now())
      try {
        const connection = await this.#connectWith(source, { policy, signal })
        sources.readmit(source)
        return connection
      } catch (error) {
        if (!(error instanceof GitHubError) || !sources.leaveOut(source, error, net.clock.now())) throw error
        tried.add(source)
        last = error
      }
    }
  }

  async #connectWith(source: Source, how: SourceHow): Promise<AdminConnection> {
    // With other sources at hand, a limit is no reason to wait.
    const policy = this.#sources.isSingle ? how.policy : { ...how.policy, except: [429] }
    const token = await this.#registrationToken(source, { ...how, policy })
    return this.#adminConnection(source, token, how.signal)
  }

  /** An installation token may have been revoked before its time: asks for one more. */
  async #registrationToken(source: Source, how: SourceHow): Promise<string> {
    for (let round = 1; ; round++) {
      const bearer = await source.bearer(how)
      const path = `${this.#options.config.scopePath}/actions/runners/registration-token`
      const reply = await this.#ask(source, bearer, { method: 'POST', path, ...how })
      const { answer } = reply
      if (answer.status === 401 && round === 1 && source.forget(bearer)) continue
      if (answer.status !== 201) throw this.#registrationRefused(reply, source)
      const token = opaqueField(asJsonObject(answer.body.kind === 'json' && answer.body.value) ?? {}, 'token')
      if (!token) throw badAnswer('the registration token is missing', answer.status)
      return token
    }
  }

  async #ask(source: Source, bearer: string, call: SourceCall & SourceHow): Promise<RestAnswer> {
    const { net } = this.#options
    const sent = {
      ...call,
      authorization: `Bearer ${bearer}`,
      contentType: 'application/vnd.github.v3+json',
    }
    const reply = await callRest(source.api, sent, source.budget)
    source.budget.read(reply.answer, net.clock.now())
    return reply
  }

  /** Repeats 401 and 403: GitHub may not know a fresh registration token everywhere yet. */
  async #adminConnection(source: Source, registrationToken: string, signal: AbortSignal): Promise<AdminConnection> {
    const { config, net } = this.#options
    const call = {
      method: 'POST',
      path: '/actions/runner-registration',
      authorization: `RemoteAuth ${registrationToken}`,
      contentType: 'application/json',
      body: jsonBody({ url: config.url, runner_event: 'register' }),
      policy: { ...standardPolicy, also: [401, 403] },
      signal,
    } as const
    const { request, answer } = await callRest(source.api, call, source.budget)
    const now = net.clock.now()
    if (answer.status < 200 || answer.status > 299) {
      throw errorFromAnswer(request, answer, now, { 401: 'credential-refused', 403: 'credential-refused' })
    }
    return readConnection(answer, now)
  }

  /** 401, 403 and 404 all mean that this credential has no access; a rate limit stays a rate limit. */
  #registrationRefused({ request, answer }: RestAnswer, source: Source): GitHubError {
    const { config, net } = this.#options
    const refused = 'credential-refused'
    const error = errorFromAnswer(request, answer, net.clock.now(), { 401: refused, 403: refused, 404: refused })
    if (error.reason !== refused) return error
    const { status, retryAt, details } = error
    const message = `${source.title} cannot register runners for ${config.url}. ${source.advice(answer)} ${error.message}`
    return new GitHubError(refused, message, { status, retryAt, details, cause: error })
  }
}

function readConnection(answer: Answer, now: Instant): AdminConnection {
  const wire = asJsonObject(answer.body.kind === 'json' && answer.body.value) ?? {}
  const base = urlField(wire, 'url')
  const token = opaqueField(wire, 'token')
  if (!base) throw badAnswer('the address of the Actions service is missing')
  if (!token) throw badAnswer('the token of the Actions service is missing')
  const expiresAt = tokenExpiry(token, answer.headers, now)
  if (expiresAt === undefined) throw badAnswer('the token of the Actions service does not say when it expires')
  return { base, token, expiresAt }
}
