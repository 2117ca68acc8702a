// Counts and times the requests of a transport.
import { type Request, type Transport, TransportError } from '@dayfly/kit/http'
import type { Stopwatch } from '@dayfly/kit/stopwatch'
import type { Counter, Histogram } from 'prom-client'

export type RequestCounts<Label extends string> = {
  readonly requests: Counter
  readonly seconds: Histogram
  /** The labels of a request, from a closed list. */
  readonly labelsOf: (request: Request) => Readonly<Record<Label, string>>
  /** The labels that the histogram has. */
  readonly timed: readonly Label[]
  readonly stopwatch: Stopwatch
}

/** Returns the same transport, counted. A request that the caller gave up is not counted: it has no answer and no error. */
export function countRequests<Label extends string>(transport: Transport, counts: RequestCounts<Label>): Transport {
  const { requests, seconds, labelsOf, timed, stopwatch } = counts
  return async (request) => {
    const labels = labelsOf(request)
    const elapsedMs = stopwatch()
    const count = (code: string) => {
      requests.inc({ ...labels, code })
      seconds.observe(Object.fromEntries(timed.map((label) => [label, labels[label]])), elapsedMs() / 1_000)
    }
    try {
      const answer = await transport(request)
      count(String(answer.status))
      return answer
    } catch (error) {
      if (error instanceof TransportError) count('error')
      throw error
    }
  }
}
