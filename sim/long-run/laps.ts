// The cost of each lap of a long run: its processor time for a job and for a request, and the memory at its end.

export type Lap = {
  /** The number of jobs at the end of the lap. */
  readonly jobs: number
  /** Processor time for one job of the lap, in microseconds. */
  readonly microseconds: number
  readonly virtualMs: number
  readonly rssMb: number
  /** Requests that the controller sent for one job of the lap. */
  readonly requests: number
}

/** The amounts that a run has used up to one moment. */
export type Reading = {
  readonly jobs: number
  readonly cpuMicroseconds: number
  readonly virtualMs: number
  readonly requests: number
}

export const nothingUsed: Reading = { jobs: 0, cpuMicroseconds: 0, virtualMs: 0, requests: 0 }

export function lapBetween(before: Reading, now: Reading, rssMb: number): Lap {
  const jobs = now.jobs - before.jobs
  return {
    jobs: now.jobs,
    microseconds: (now.cpuMicroseconds - before.cpuMicroseconds) / jobs,
    virtualMs: now.virtualMs - before.virtualMs,
    rssMb,
    requests: (now.requests - before.requests) / jobs,
  }
}

/**
 * Returns how much more a request of the last lap cost than one of the second; undefined for fewer than three laps. In the
 * first lap the code warms up. A request is compared, since disasters give the jobs of one lap more requests than those of another.
 */
export function growthOf(laps: readonly Lap[]): number | undefined {
  const [, second, third] = laps
  const last = laps.at(-1)
  return second && third && last ? costOf(last) / costOf(second) : undefined
}

/** Processor time for one request of the lap, in microseconds. */
export function costOf({ microseconds, requests }: Lap): number {
  return microseconds / requests
}
