// Work that must end by a deadline, or when its caller has no more use for it.
import { setMaxListeners } from 'node:events'
import type { Clock } from './clock.ts'

export type Deadline = {
  readonly clock: Pick<Clock, 'after'>
  readonly ms: number
  /** Aborts the work, too. */
  readonly until?: AbortSignal | undefined
  /** Returns the reason with which the work is aborted at the deadline. */
  readonly late: () => Error
}

/** Runs the work with a signal that is aborted at the deadline, or with `until`. Settles like the work. */
export async function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, ms, until, late } = deadline
  const own = new AbortController()
  const timer = clock.after(ms, () => own.abort(late()))
  const follow = () => own.abort(until?.reason)
  if (until?.aborted) follow()
  else if (until) {
    // Node warns of a leak from the eleventh listener on. Many calls may wait at once, and each removes its own listener.
    setMaxListeners(0, until)
    until.addEventListener('abort', follow)
  }
  try {
    return await work(own.signal)
  } finally {
    timer.cancel()
    until?.removeEventListener('abort', follow)
  }
}
