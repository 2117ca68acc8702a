// The header by which Bitbucket knows us. A consumer's token is renewed before it expires (docs/reference/bitbucket.md#s2-3).
import type { Instant } from '@dayfly/kit/clock'
import { type Answer, type Request, TransportError } from '@dayfly/kit/http'
import { numberAt, textAt } from '@dayfly/kit/read-json'
import { abortable } from '@dayfly/kit/signals'
import type { BitbucketCredential } from './credential.ts'
import { badAnswer, bitbucketError, errorFromAnswer, errorFromTransport } from './errors.ts'

/** Sends one request; see `sendOnce`. */
export type Send = (request: Request) => Promise<Answer | TransportError>

type Token = { readonly header: string; readonly renewAt: Instant; readonly expiresAt: Instant }

/** The documentation states no lifetime, so the response must. */
const lifetimeSMax = 86_400

export class Authorization {
  readonly #credential: BitbucketCredential
  readonly #origin: string
  readonly #now: () => Instant
  readonly #send: Send
  #token: Token | undefined
  #renewal: Promise<Token> | undefined

  /** @param origin the server that issues tokens */
  constructor(credential: BitbucketCredential, origin: string, now: () => Instant, send: Send) {
    this.#credential = credential
    this.#origin = origin
    this.#now = now
    this.#send = send
  }

  /** Returns the header. Rejects with a `PortError` if no valid token can be had. */
  async header(signal?: AbortSignal): Promise<string> {
    const credential = this.#credential
    if (credential.kind === 'access-token') return `Bearer ${credential.token}`
    if (credential.kind === 'basic') return basic(credential.name, credential.password)
    const token = this.#token
    const now = this.#now()
    if (token && now < token.renewAt) return token.header
    try {
      return (await abortable(this.#renew(credential.key, credential.secret), signal)).header
    } catch (error) {
      // The old one is good until it expires.
      if (token && this.#token === token && this.#now() < token.expiresAt && !signal?.aborted) return token.header
      throw error
    }
  }

  /** Bitbucket refused this header. Returns whether the next one may be better. */
  forget(header: string): boolean {
    if (this.#credential.kind !== 'consumer') return false
    if (this.#token?.header === header) this.#token = undefined
    return true
  }

  /** Several callers share one renewal. */
  #renew(key: string, secret: string): Promise<Token> {
    this.#renewal ??= this.#request(key, secret)
      .then((token) => {
        this.#token = token
        return token
      })
      .finally(() => {
        this.#renewal = undefined
      })
    return this.#renewal
  }

  async #request(key: string, secret: string): Promise<Token> {
    const asked = this.#now()
    const request: Request = {
      method: 'POST',
      origin: this.#origin,
      path: '/site/oauth2/access_token',
      query: {},
      headers: { authorization: basic(key, secret), 'content-type': 'application/x-www-form-urlencoded' },
      body: { kind: 'text', text: 'grant_type=client_credentials' },
      expect: 'whole',
    }
    const answer = await this.#send(request)
    if (answer instanceof TransportError) throw errorFromTransport(request, answer)
    if (answer.status === 400) throw refusedConsumer(request, answer, asked)
    if (answer.status >= 300) throw errorFromAnswer(request, answer, this.#now())
    const value = answer.body.kind === 'json' ? answer.body.value : undefined
    const token = textAt(value, 'access_token') ?? ''
    const seconds = numberAt(value, 'expires_in') ?? 0
    if (!/^[\x21-\x7e]+$/.test(token) || !(seconds > 0)) throw badAnswer('the OAuth token is missing')
    const lifetimeMs = Math.min(seconds, lifetimeSMax) * 1_000
    return { header: `Bearer ${token}`, renewAt: asked + lifetimeMs * 0.9, expiresAt: asked + lifetimeMs }
  }
}

/** A consumer that is not private, or has no callback URL, gets 400. */
function refusedConsumer(request: Request, answer: Answer, now: Instant): Error {
  const { message } = errorFromAnswer(request, answer, now)
  return bitbucketError('unauthorized', `${message}. Make the OAuth consumer private, and give it a callback URL.`)
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}
