// A GitHub App as the credential: its own token, its installation, and the installation's token, which lives one hour
// (docs/reference/scale-set-protocol.md#s3-2).
import type { Instant } from '@dayfly/kit/clock'
import type { Answer, Method } from '@dayfly/kit/http'
import { asJsonObject } from '@dayfly/kit/read-json'
import type { Budget } from '../calls/budget.ts'
import { badAnswer, errorFromAnswer, GitHubError } from '../calls/errors.ts'
import { callRest, type RestAnswer, type RestApi } from '../calls/rest.ts'
import type { SharedLimits } from '../calls/shared-limits.ts'
import { instantField, integerField, opaqueField } from '../calls/wire.ts'
import { appJwt } from './app-jwt.ts'
import type { AppKey } from './credential.ts'
import type { Source, SourceHow } from './source.ts'

type InstallationToken = { readonly text: string; readonly expiresAt: Instant }

/** A token is renewed this long before it expires, so that it never expires on the way, in milliseconds. */
const renewBeforeMs = 5 * 60_000

export class AppSource implements Source {
  readonly title: string
  readonly budget: Budget
  readonly api: RestApi
  readonly #app: AppKey
  /** GitHub counts the calls that the App makes as itself apart from those of an installation. */
  readonly #ownBudget: Budget
  #found: string | undefined
  #token: InstallationToken | undefined

  constructor(api: RestApi, app: AppKey, limits: SharedLimits) {
    this.#app = app
    this.api = api
    this.title = `The App ${app.appId} (github_app_id${app.suffix})`
    this.budget = limits.budget(api.config, `${app.appId} ${app.installationId ?? api.config.scopePath}`)
    this.#ownBudget = limits.budget(api.config, app.appId)
  }

  async bearer(how: SourceHow): Promise<string> {
    const now = this.api.net.clock.now()
    if (this.#token === undefined || this.#token.expiresAt - renewBeforeMs <= now) this.#token = await this.#create(how)
    return this.#token.text
  }

  forget(bearer: string): boolean {
    if (this.#token?.text !== bearer) return false
    this.#token = undefined
    return true
  }

  advice({ status }: Answer): string {
    const { scope } = this.api.config
    const permission =
      scope === 'repository'
        ? 'the repository permission "Administration" (read and write)'
        : 'the organization permission "Self-hosted runners" (read and write)'
    const reach = status === 404 ? ` Its installation must include this ${scope}.` : ''
    return `It needs ${permission}; the owner of the installation must accept a new permission.${reach}`
  }

  async #create(how: SourceHow): Promise<InstallationToken> {
    const { installationId } = this.#app
    const id = installationId ?? this.#found ?? (await this.#find(how))
    const path = `/app/installations/${id}/access_tokens`
    const { request, answer } = await this.#callAsApp('POST', path, how)
    if (answer.status === 404) this.#found = undefined
    if (answer.status !== 201) throw this.#refused({ request, answer }, installationAdvice(answer, this.#app))
    const wire = asJsonObject(answer.body.kind === 'json' && answer.body.value) ?? {}
    const text = opaqueField(wire, 'token')
    const stated = instantField(wire, 'expires_at')
    if (!text || !/^[\x21-\x7e]+$/.test(text)) throw badAnswer('the installation token is missing', answer.status)
    if (stated === undefined) throw badAnswer('the installation token does not say when it expires', answer.status)
    return { text, expiresAt: this.api.serverClock.here(stated) }
  }

  async #find(how: SourceHow): Promise<string> {
    const { scope, scopePath } = this.api.config
    const { request, answer } = await this.#callAsApp('GET', `${scopePath}/installation`, how)
    const id =
      answer.status === 200 && answer.body.kind === 'json'
        ? integerField(asJsonObject(answer.body.value) ?? {}, 'id')
        : undefined
    if (answer.status === 200 && !id) throw badAnswer('the installation has no id', answer.status)
    if (!id) {
      const missing = `It is not installed at this ${scope}, or the ${scope} does not exist: install it there.`
      throw this.#refused(
        { request, answer },
        answer.status === 404 && !isUnknownApp(answer) ? missing : identityAdvice(answer, this.#app),
      )
    }
    this.#found = String(id)
    return this.#found
  }

  /** A refused token may come from a wrong clock of this machine: then a second one follows, by GitHub's time. */
  async #callAsApp(method: Method, path: string, how: SourceHow): Promise<RestAnswer> {
    const { net, serverClock } = this.api
    const { appId, privateKey } = this.#app
    const send = () => {
      const jwt = appJwt(appId, privateKey, serverClock.at(net.clock.now()))
      const contentType = 'application/vnd.github+json'
      const call = { method, path, authorization: `Bearer ${jwt}`, contentType, ...how }
      return callRest(this.api, call, this.#ownBudget)
    }
    const first = await send()
    return first.answer.status === 401 && first.clockChanged ? send() : first
  }

  #refused({ request, answer }: Pick<RestAnswer, 'request' | 'answer'>, advice: string): GitHubError {
    const refused = 'credential-refused'
    const meaning = { 401: refused, 403: refused, 404: refused, 422: refused } as const
    const error = errorFromAnswer(request, answer, this.api.net.clock.now(), meaning)
    if (error.reason !== refused) return error
    const message = `${this.title} cannot register runners for ${this.api.config.url}. ${advice} ${error.message}`
    const { status, retryAt, details } = error
    return new GitHubError(refused, message, { status, retryAt, details, cause: error })
  }
}

function installationAdvice(answer: Answer, app: AppKey): string {
  const { status } = answer
  if (isUnknownApp(answer)) return identityAdvice(answer, app)
  if (status === 404) {
    return app.installationId === undefined
      ? 'It is no longer installed: install it again.'
      : `It has no installation with this id: correct github_app_installation_id${app.suffix}, or remove that key.`
  }
  if (status === 403) return 'Its installation is suspended, or may not be used: lift the suspension at GitHub.'
  return identityAdvice(answer, app)
}

function identityAdvice(answer: Answer, { suffix }: AppKey): string {
  if (isUnknownApp(answer)) return `GitHub knows no App with this id: correct github_app_id${suffix}.`
  if (answer.status !== 401) return `Check the App's settings at GitHub.`
  return `GitHub does not accept its signature: check that github_app_private_key${suffix} belongs to the App in github_app_id${suffix}.`
}

/** GitHub answers 404 for an unknown App as for an unknown installation. Only the text differs. */
function isUnknownApp({ status, body }: Answer): boolean {
  return status === 404 && body.kind === 'json' && /integration not found/i.test(JSON.stringify(body.value))
}
