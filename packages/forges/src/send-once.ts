// Sends one request, waits at most a given time for the whole answer, and reports the exchange.
import type { Clock } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import { type Answer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { abortable } from '@dayfly/kit/signals'
import type { ForgeExchange } from '@dayfly/runner-set/forge/forge'

/** How a client reaches its forge. */
export type ClientPorts = {
  readonly transport: Transport
  readonly clock: Clock
  /** Product and version in ASCII, for example `dayfly/1.2.0`. */
  readonly userAgent: string
  /** Receives each request and its result, for metrics. */
  readonly onExchange?: ((exchange: ForgeExchange) => void) | undefined
}

/** Returns the answer with any status, or the error of a request without one. Rejects only with the reason of the request's signal. */
export async function sendOnce(
  transport: Transport,
  clock: Clock,
  request: Request,
  timeoutMs: number,
): Promise<Answer | TransportError> {
  const late = () => new TransportError('timeout', `no response within ${timeoutMs / 1000} s`)
  try {
    return await withDeadline({ clock, ms: timeoutMs, until: request.signal, late }, (signal) =>
      abortable(transport({ ...request, signal }), signal),
    )
  } catch (error) {
    if (error instanceof TransportError) return error
    throw error
  }
}

/** Sends a request as `sendOnce` does. @param report gets its result and its time in milliseconds, also if it was aborted */
export async function sendReported(
  { transport, clock }: Pick<ClientPorts, 'transport' | 'clock'>,
  request: Request,
  timeoutMs: number,
  report: (code: ForgeExchange['code'], ms: number) => void,
): Promise<Answer | TransportError> {
  const start = clock.now()
  try {
    const answer = await sendOnce(transport, clock, request, timeoutMs)
    report(answer instanceof TransportError ? answer.kind : answer.status, clock.now() - start)
    return answer
  } catch (error) {
    report('aborted', clock.now() - start)
    throw error
  }
}
