// Calls GitHub's REST API with an operator's credential, within its budget (docs/reference/scale-set-protocol.md#s16-6).
import type { Instant } from '@dayfly/kit/clock'
import { type Answer, type Body, type Method, noBody, type Request } from '@dayfly/kit/http'
import { serverTime } from '@dayfly/kit/retry-after'
import type { ConfigUrl } from '../config-url.ts'
import type { Budget } from './budget.ts'
import { GitHubError } from './errors.ts'
import { type Net, type RetryPolicy, send } from './retry.ts'

export type RestApi = {
  readonly net: Net
  readonly config: ConfigUrl
  readonly userAgent: string
  readonly serverClock: ServerClock
}

export type RestCall = {
  readonly method: Method
  /** Below the API's own path, for example `/orgs/acme`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly authorization: string
  readonly contentType: string
  readonly body?: Body
  readonly policy: RetryPolicy
  readonly signal: AbortSignal | undefined
}

export type RestAnswer = {
  readonly request: Request
  readonly answer: Answer
  /** The response showed that this machine's clock differs from GitHub's in another way than we assumed. */
  readonly clockChanged: boolean
}

/** GitHub's time: this machine's clock may be wrong by hours, and GitHub refuses tokens from the future. */
export class ServerClock {
  #offsetMs = 0

  at(now: Instant): Instant {
    return now + this.#offsetMs
  }

  /** This machine's time for a time that GitHub states. */
  here(stated: Instant): Instant {
    return stated - this.#offsetMs
  }

  /** Reads the time of a response. Returns whether our notion of GitHub's time has changed. */
  read({ headers }: Answer, now: Instant): boolean {
    if (headers['date'] === undefined) return false
    const offsetMs = serverTime(headers, now) - now
    if (Math.abs(offsetMs - this.#offsetMs) < toleranceMs) return false
    this.#offsetMs = Math.abs(offsetMs) < toleranceMs ? 0 : offsetMs
    return true
  }
}

/** Differences below this come from the seconds of the header and from the network, in milliseconds. */
const toleranceMs = 30_000
/** A longer wait for the budget is an error with its time, in milliseconds. */
const patienceMs = 30_000

/** Returns the response with any status. Rejects with `rate-limited` if the budget's points are spent for longer. */
export async function callRest(
  { net, config, userAgent, serverClock }: RestApi,
  { method, path, query = {}, authorization, contentType, body = noBody, policy, signal }: RestCall,
  budget: Budget,
): Promise<RestAnswer> {
  await takePoints(net, budget, method === 'GET' ? 1 : 5, signal)
  const request: Request = {
    method,
    origin: config.apiOrigin,
    path: `${config.apiPath}${path}`,
    query,
    headers: { authorization, 'content-type': contentType, 'user-agent': userAgent },
    body,
    expect: 'whole',
    signal,
  }
  const answer = await send(net, request, policy)
  return { request, answer, clockChanged: serverClock.read(answer, net.clock.now()) }
}

async function takePoints({ clock }: Net, budget: Budget, points: number, signal: AbortSignal | undefined) {
  const start = clock.now()
  for (;;) {
    const now = clock.now()
    const retryAt = budget.take(points, now)
    if (retryAt === undefined) return
    if (retryAt - start > patienceMs) {
      const sentence = "Dayfly has used this credential as often as GitHub's limit of one minute allows."
      throw new GitHubError('rate-limited', sentence, { retryAt })
    }
    await clock.sleep(retryAt - now, signal)
  }
}
