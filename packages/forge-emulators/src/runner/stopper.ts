// Ends a job early and notifies its listeners. A stronger reason may replace a weaker one.

/**
 * Why the job ends early. After `cancelled` and `timeout`, steps with `always()` or `cancelled()` still run.
 * After `shutdown` (this program must end) and `lost` (the forge has given up the job) no step runs.
 */
export type StopReason = 'cancelled' | 'timeout' | 'shutdown' | 'lost'

export interface Stopper {
  readonly reason: StopReason | undefined
  /** Whether no further step may run. */
  readonly final: boolean
  /** Sets the reason. Has no effect after an equal or stronger reason. */
  stop(reason: StopReason): void
  /** Calls the listener for each new reason. Returns a function that unsubscribes it. */
  onStop(listener: () => void): () => void
}

export function createStopper(): Stopper {
  const listeners = new Set<() => void>()
  let reason: StopReason | undefined
  return {
    get reason() {
      return reason
    },
    get final() {
      return isFinal(reason)
    },
    stop: (next) => {
      if (reason !== undefined && (isFinal(reason) || !isFinal(next))) return
      reason = next
      for (const listener of [...listeners]) listener()
    },
    onStop: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function isFinal(reason: StopReason | undefined): boolean {
  return reason === 'shutdown' || reason === 'lost'
}
