// Abort signals that are let go of again. AbortSignal.any with a long-lived parent leaks (reference: Node 20 to 26), so links are disposed by hand.
import { setMaxListeners } from 'node:events'

export type LinkedSignal = {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
  /** Detaches from the parents. Call it when the work is over, whatever its outcome. */
  dispose(): void
}

/** A signal that follows each of `parents` and can be aborted by itself. */
export function linkSignals(...parents: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const own = new AbortController()
  const detach: (() => void)[] = []
  for (const parent of parents) {
    if (!parent) continue
    if (parent.aborted) {
      own.abort(parent.reason)
      break
    }
    const follow = () => own.abort(parent.reason)
    // Many links to one parent are no leak: each is let go of. Node would warn from the eleventh on.
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

/** Resolves when the signal is aborted; at once if it already is. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
