// The cost of each lap of a long run: its processor time for a job, and the memory at its end.

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

/** The readings at one moment. */
export type Reading = {
  readonly cpuMicroseconds: number
  readonly virtualMs: number
  readonly rssMb: number
  readonly requests: number
}

/** Measures `count` laps of the same length. `read` is called at the end of each. */
export function lapsOf(count: number, length: number, read: () => Reading, onLap: (lap: Lap) => void) {
  const laps: Lap[] = []
  let before = read()
  let jobs = 0
  const finished = (total: number): void => {
    if (total < jobs + length || laps.length === count) return
    const now = read()
    const done = total - jobs
    jobs = total
    const lap = {
      jobs,
      microseconds: (now.cpuMicroseconds - before.cpuMicroseconds) / done,
      virtualMs: now.virtualMs - before.virtualMs,
      rssMb: now.rssMb,
      requests: (now.requests - before.requests) / done,
    }
    before = now
    laps.push(lap)
    onLap(lap)
  }
  return { laps, finished }
}
