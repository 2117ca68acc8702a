// Sends one request and waits at most a given time for the whole answer.
import type { Clock } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import { type Answer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { abortable } from '@dayfly/kit/signals'

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
