// Sends one request, repeats it while that can help, and follows redirects within the same host
// (docs/reference/scale-set-protocol.md#s12).
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, noBody, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { JoinedBytes } from '@dayfly/kit/joined-bytes'
import type { Random } from '@dayfly/kit/random'
import { sendOnce } from '../../send-once.ts'
import { errorFromTransport, redirectTarget } from './errors.ts'
import { retryInstant } from './server-time.ts'

export type Net = { readonly transport: Transport; readonly clock: Clock; readonly random: Random }

export type RetryPolicy = {
  readonly attempts: number
  /** How long one attempt may take, body included, in milliseconds. */
  readonly timeoutMs: number
  /** Statuses to repeat besides 429 and 5xx. */
  readonly also?: readonly number[]
  /** Statuses to return at once. */
  readonly except?: readonly number[]
}

export const standardPolicy: RetryPolicy = { attempts: 5, timeoutMs: 30_000 }
/** Three attempts: enough for a short interruption, few enough to report an outage soon. */
export const briefPolicy: RetryPolicy = { attempts: 3, timeoutMs: 30_000 }
/** One attempt: the loop that makes the call repeats it and reports each failure. */
export const oncePolicy: RetryPolicy = { attempts: 1, timeoutMs: 30_000 }

/** No attempt starts later than this after the first, in milliseconds, so that a failure is reported while it is recent. */
const patienceMs = 30_000
const answerBytesMax = 32 * 1024 * 1024
const redirectsMax = 5

/**
 * Returns the last response, with any status. The response to a request that expects bytes is text, not parsed.
 * Rejects with a `GitHubError` if there is no response, or with the signal's reason.
 */
export async function send(net: Net, request: Request, policy: RetryPolicy): Promise<Answer> {
  let current = request
  for (let redirects = 0; ; redirects++) {
    const answer = await sendRepeatedly(net, current, policy)
    const next = redirects < redirectsMax ? redirected(current, answer) : undefined
    if (!next) return answer
    current = next
  }
}

async function sendRepeatedly(net: Net, request: Request, policy: RetryPolicy): Promise<Answer> {
  const start = net.clock.now()
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendAttempt(net, request, policy.timeoutMs)
    const waitMs = waitBefore(net, outcome, attempt)
    const late = net.clock.now() - start + waitMs > patienceMs
    if (attempt < policy.attempts && !late && isWorthRepeating(outcome, policy)) {
      await net.clock.sleep(waitMs, request.signal)
    } else if (outcome instanceof TransportError) {
      throw errorFromTransport(request, outcome)
    } else {
      return outcome
    }
  }
}

/**
 * Returns the request that follows the redirect; undefined if the response is no redirect or if following would change
 * the method. The credential goes to no other host and over no connection that is less safe.
 */
function redirected(request: Request, answer: Answer): Request | undefined {
  const { status } = answer
  const keepsMethod = status === 307 || status === 308
  const moved = (status === 301 || status === 302) && request.method === 'GET'
  const target = keepsMethod || moved ? redirectTarget(request, answer) : undefined
  if (!target || !request.origin) return undefined
  const { host, protocol } = new URL(request.origin)
  if (target.host !== host || (protocol === 'https:' && target.protocol !== 'https:')) return undefined
  return { ...request, origin: target.origin, path: target.pathname, search: target.search.slice(1), query: {} }
}

async function sendAttempt(net: Net, request: Request, timeoutMs: number): Promise<Answer | TransportError> {
  const whole: Transport = (sent) => net.transport(sent).then(readWhole)
  return sendOnce(whole, net.clock, request, timeoutMs)
}

/** Reads the stream of a long poll, which is requested as bytes only to get its own connection. Its text stays unparsed. */
async function readWhole(answer: Answer): Promise<Answer> {
  if (answer.body.kind !== 'bytes') return answer
  const bytes = new JoinedBytes()
  for await (const chunk of answer.body.chunks) {
    bytes.add(Buffer.from(chunk as string))
    if (bytes.size > answerBytesMax)
      throw new TransportError('lost', `the response is larger than ${answerBytesMax} bytes`)
  }
  const text = bytes
    .take()
    .toString('utf8')
    .replace(/^\uFEFF/, '')
  return { ...answer, body: text === '' ? noBody : { kind: 'text', text } }
}

function isWorthRepeating(outcome: Answer | TransportError, policy: RetryPolicy): boolean {
  if (outcome instanceof TransportError) return outcome.kind !== 'certificate' && outcome.kind !== 'proxy'
  const { status } = outcome
  if (policy.except?.includes(status)) return false
  return status === 429 || (status >= 500 && status !== 501) || (policy.also?.includes(status) ?? false)
}

function waitBefore(net: Net, outcome: Answer | TransportError, attempt: number): number {
  const backoff = backoffMs({ baseMs: 1000, capMs: 30_000 }, attempt, net.random)
  if (outcome instanceof TransportError || (outcome.status !== 429 && outcome.status !== 503)) return backoff
  const now = net.clock.now()
  const asked = retryInstant(outcome.headers, now)
  return asked === undefined ? backoff : asked - now + 250 * net.random()
}
