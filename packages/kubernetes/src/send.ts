// Sends one call to the API server. Retries it if that is safe: after a 429, for a read, or if it was never sent.
// It never repeats a write without an answer: only the caller can find out whether the server carried it out.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import { type Answer, type Body, type Method, noBody, type Transport, TransportError } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { KubernetesError } from './errors.ts'
import { errorOfAnswer, errorOfTransport } from './refusal.ts'

export type Call = {
  readonly method: Method
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly contentType?: string
  /** The default is JSON. */
  readonly accept?: string | undefined
  readonly unread?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  /** Throws if the call may not be sent any more. It runs right before each attempt. */
  readonly allowed?: (() => void) | undefined
  /** The call goes before others that wait for their turn. */
  readonly first?: boolean
}

/** Resolves with an answer below 400. Rejects with a KubernetesError or the signal's reason. */
export type Send = (call: Call, turn?: Turn) => Promise<Answer>

/** Runs an attempt when it is its turn. The attempt reports with `refused` that the server asked for fewer calls. Waits between attempts take no turn. */
export type Turn = <T>(attempt: (refused: () => void) => Promise<T>) => Promise<T>

export type Connection = {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly userAgent?: string | undefined
}

/** The API server ends its own requests after 60 s. After that, the connection is dead. */
const attemptMsMax = 65_000
const attemptsMax = { rateLimited: 10, unavailable: 5 }
const backoff = { baseMs: 250, capMs: 10_000 }
/** A call waits this long at most. For a longer wait it rejects, because the caller may have other work. */
const waitMsMax = 30_000

export function createSend(connection: Connection): Send {
  return async (call, turn) => {
    const once = async (refused?: () => void) => {
      const outcome = await attemptOnce(connection, call)
      if ('error' in outcome && isOverloaded(outcome.error)) refused?.()
      return outcome
    }
    for (let attempt = 1; ; attempt++) {
      const outcome = await (turn ? turn(once) : once())
      if ('answer' in outcome) return outcome.answer
      const waitMs = waitBeforeNext(outcome.error, call, attempt, connection)
      if (waitMs === undefined) throw outcome.error
      await connection.clock.sleep(waitMs, call.signal)
    }
  }
}

/** Returns the headers of every request. */
export function standardHeaders(userAgent: string | undefined): Record<string, string> {
  return { accept: 'application/json', 'user-agent': userAgent ?? 'dayfly' }
}

type Outcome = { readonly answer: Answer } | { readonly error: KubernetesError }

async function attemptOnce(connection: Connection, call: Call): Promise<Outcome> {
  const { transport, clock, userAgent } = connection
  const headers = standardHeaders(userAgent)
  if (call.accept !== undefined) headers['accept'] = call.accept
  let body: Body = noBody
  if (call.body !== undefined) {
    headers['content-type'] = call.contentType ?? 'application/json'
    body = { kind: 'json', value: call.body }
  }
  call.signal?.throwIfAborted()
  call.allowed?.()
  const { method, path, query = {}, unread, signal: until } = call
  const late = () => new TransportError('timeout', `${method} ${path}: no answer within ${attemptMsMax / 1000} s`)
  const write = method !== 'GET'
  try {
    const answer = await withDeadline({ clock, ms: attemptMsMax, until, late }, (signal) =>
      transport({ method, path, query, headers, body, expect: 'whole', unread, signal }),
    )
    return answer.status < 400 ? { answer } : { error: errorOfAnswer(answer, write, clock.now()) }
  } catch (error) {
    if (error instanceof TransportError) return { error: errorOfTransport(error, write) }
    throw error
  }
}

/** Returns the milliseconds to wait before the next attempt, or undefined if there is none. */
function waitBeforeNext(
  error: KubernetesError,
  call: Call,
  attempt: number,
  { clock, random }: Connection,
): number | undefined {
  const refused = error.kind === 'rate-limited'
  if (!refused && !mayRepeat(error, call)) return undefined
  if (attempt >= (refused ? attemptsMax.rateLimited : attemptsMax.unavailable)) return undefined
  const waitMs = backoffMs(backoff, attempt, random)
  if (error.retryAt === undefined) return waitMs
  const askedMs = Math.max(0, error.retryAt - clock.now())
  // The added back-off has jitter, so that clients refused at the same time do not return at the same time.
  return askedMs > waitMsMax ? undefined : askedMs + waitMs
}

/** 503 and 504 also come from a load balancer in front of API servers that cannot keep up. */
function isOverloaded({ kind, status }: KubernetesError): boolean {
  return kind === 'rate-limited' || status === 503 || status === 504
}

function mayRepeat(error: KubernetesError, call: Call): boolean {
  if (error.kind !== 'unavailable') return false
  const kind = error.cause instanceof TransportError ? error.cause.kind : undefined
  if (kind === 'certificate') return false
  return call.method === 'GET' || kind === 'connect'
}
