// Sends one request and waits at most a given time for the whole answer.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { abortable, linkSignals } from '@dayfly/kit/signals'

/** Returns the answer with any status, or the error of a request without one. Rejects only with the reason of the request's signal. */
export async function sendOnce(
  transport: Transport,
  clock: Clock,
  request: Request,
  timeoutMs: number,
): Promise<Answer | TransportError> {
  const link = linkSignals(request.signal)
  const expire = () => link.abort(new TransportError('timeout', `no response within ${timeoutMs / 1000} s`))
  const timer = clock.after(timeoutMs, expire)
  try {
    return await abortable(transport({ ...request, signal: link.signal }), link.signal)
  } catch (error) {
    if (error instanceof TransportError) return error
    throw error
  } finally {
    timer.cancel()
    link.dispose()
  }
}
