// The API server's time. The cluster's stamps count by its clock. The clock of this machine may differ from it by minutes, and someone may set it.
import { type Clock, type Instant, sleepWith } from '@dayfly/kit/clock'
import type { Answer, Transport } from '@dayfly/kit/http'
import { serverTime } from '@dayfly/kit/retry-after'
import type { Stopwatch } from '@dayfly/kit/stopwatch'

export type ServerTime = {
  /** Shows this machine's time until an answer shows that the API server's differs. Its timers are those of the machine. */
  readonly clock: Clock
  /** Returns the transport to the API server, whose answers state its time. */
  observing(transport: Transport): Transport
}

/**
 * The clock stays as it is while the stated time is this close to it, in milliseconds. A Date header has whole seconds, and the API servers
 * of one cluster differ a little: steps back and forth would make new answers look older than known ones.
 */
const toleranceMs = 5_000

/** @param stopwatch measures the time since now, so that a correction of `own` changes nothing. */
export function followServerTime(own: Clock, stopwatch: Stopwatch): ServerTime {
  const began = own.now()
  const elapsedMs = stopwatch()
  let correctionMs = 0
  const now = (): Instant => Math.floor(began + elapsedMs() + correctionMs)
  const hear = (headers: Answer['headers'], askedAt: Instant) => {
    const stated = serverTime(headers, Number.NaN)
    // The server wrote the header between request and answer, up to a second after the stated time.
    const least = stated - now()
    const most = stated + 1_000 - askedAt
    if (least > toleranceMs) correctionMs += least
    else if (most < -toleranceMs) correctionMs += most
  }
  const observing: ServerTime['observing'] = (transport) => async (request) => {
    const askedAt = now()
    const corrected = correctionMs
    const answer = await transport(request)
    // Another answer may have moved the clock meanwhile.
    hear(answer.headers, askedAt + correctionMs - corrected)
    return answer
  }
  return { clock: { now, after: own.after, sleep: sleepWith(own.after) }, observing }
}
