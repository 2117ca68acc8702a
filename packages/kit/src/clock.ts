// Time as an argument. Code that reads the time or waits takes a Clock, so that tests control it.

/** A point in time: milliseconds since the Unix epoch. */
export type Instant = number

/** A pending call that can be cancelled. */
export type Timer = { cancel(): void }

export interface Clock {
  now(): Instant
  /** Calls `run` once, `ms` milliseconds from now. */
  after(ms: number, run: () => void): Timer
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Builds `sleep` from a clock's `after`, so that every clock waits and aborts in the same way. */
export function sleepWith(after: Clock['after']): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const timer = after(ms, () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      })
      const stop = () => {
        timer.cancel()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', stop, { once: true })
    })
}
