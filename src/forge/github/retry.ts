// Sends one request, and again while that can help (scale-set protocol 12). The last answer is kept, never swallowed.
import { backoffMs } from '../../lib/backoff.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Answer, parseBody, type Request, type Transport, TransportError } from '../../lib/http.ts'
import type { Random } from '../../lib/random.ts'
import { linkSignals } from '../../lib/signals.ts'
import { errorFromTransport, retryInstant } from './errors.ts'

export type Net = { readonly transport: Transport; readonly clock: Clock; readonly random: Random }

export type RetryPolicy = {
  readonly attempts: number
  /** How long one attempt may take, body included, in milliseconds. */
  readonly timeoutMs: number
  /** Statuses worth repeating besides 429 and 5xx. */
  readonly also?: readonly number[]
  /** Statuses to hand back at once. */
  readonly except?: readonly number[]
}

export const standardPolicy: RetryPolicy = { attempts: 5, timeoutMs: 30_000 }
/** For calls whose caller tries again by itself: enough for a blip, short enough to be told of an outage. */
export const briefPolicy: RetryPolicy = { attempts: 3, timeoutMs: 30_000 }
/** For loops that repeat by themselves and tell of each failure. */
export const oncePolicy: RetryPolicy = { attempts: 1, timeoutMs: 30_000 }

/** No attempt starts later than this after the first, so that a failure is told while it is news. */
const patienceMs = 30_000
const answerBytesMax = 32 * 1024 * 1024

/** Resolves with the last answer, whatever its status. Rejects with a `GitHubError` when there is none, or with the signal's reason. */
export async function send(net: Net, request: Request, policy: RetryPolicy): Promise<Answer> {
  const start = net.clock.now()
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(net, request, policy.timeoutMs)
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

/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function tryOnce(net: Net, request: Request, timeoutMs: number): Promise<Answer | TransportError> {
  const link = linkSignals(request.signal)
  const expire = () => link.abort(new TransportError('timeout', `no answer within ${timeoutMs / 1000} s`))
  const timer = net.clock.after(timeoutMs, expire)
  try {
    return await abortable(net.transport({ ...request, signal: link.signal }).then(readWhole), link.signal)
  } catch (error) {
    if (error instanceof TransportError) return error
    throw error
  } finally {
    timer.cancel()
    link.dispose()
  }
}

/** A long poll is asked for as bytes, which gives it a connection of its own; its answer is small. */
async function readWhole(answer: Answer): Promise<Answer> {
  if (answer.body.kind !== 'bytes') return answer
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer.body.chunks) {
    const bytes = Buffer.from(chunk as string)
    size += bytes.length
    if (size > answerBytesMax) throw new TransportError('lost', `the answer is larger than ${answerBytesMax} bytes`)
    chunks.push(bytes)
  }
  return { ...answer, body: parseBody(Buffer.concat(chunks), answer.headers['content-type'] ?? '') }
}

function isWorthRepeating(outcome: Answer | TransportError, policy: RetryPolicy): boolean {
  if (outcome instanceof TransportError) return outcome.kind !== 'certificate'
  const { status } = outcome
  if (policy.except?.includes(status)) return false
  return status === 429 || (status >= 500 && status !== 501) || (policy.also?.includes(status) ?? false)
}

function waitBefore(net: Net, outcome: Answer | TransportError, attempt: number): number {
  const backoff = backoffMs({ baseMs: 1000, capMs: 30_000 }, attempt, net.random)
  if (outcome instanceof TransportError || (outcome.status !== 429 && outcome.status !== 503)) return backoff
  const now = net.clock.now()
  const asked = retryInstant(outcome, now)
  return asked === undefined ? backoff : asked - now + 250 * net.random()
}
