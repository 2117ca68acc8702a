// Links abort signals to parents. AbortSignal.any leaks memory if a parent lives long (Node 20 to 26), so callers dispose each link themselves.
import { setMaxListeners } from 'node:events'

export type LinkedSignal = {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
  /** Detaches the signal from its parents. Call it when the work is over, successful or not. */
  dispose(): void
}

/** Creates a signal that is aborted with any of `parents`, or by its own `abort`. */
export function linkSignals(...parents: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const own = new AbortController()
  // Node warns of a leak from the eleventh listener on. Many calls may wait at once, and each removes its own listener.
  setMaxListeners(0, own.signal)
  const detach: (() => void)[] = []
  for (const parent of parents) {
    if (!parent) continue
    if (parent.aborted) {
      own.abort(parent.reason)
      break
    }
    const follow = () => own.abort(parent.reason)
    setMaxListeners(0, parent)
    parent.addEventListener('abort', follow, { once: true })
    detach.push(() => parent.removeEventListener('abort', follow))
  }
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    dispose: () => {
      for (const undo of detach.splice(0)) undo()
    },
  }
}

/** Resolves when the signal is aborted, immediately if it already is. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Settles like the promise, or rejects with the signal's reason as soon as it is aborted. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
