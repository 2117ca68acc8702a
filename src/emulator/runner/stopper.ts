// Why a job is to end early, and who is told. A stronger reason may follow a weaker one.

/** `cancelled` and `timeout` let steps with `always()` or `cancelled()` run; `shutdown` (this program is to end) and `lost` (the forge has given the job up) do not. */
export type StopReason = 'cancelled' | 'timeout' | 'shutdown' | 'lost'

export interface Stopper {
  readonly reason: StopReason | undefined
  /** Whether nothing further may run. */
  readonly final: boolean
  /** Ignored when an equal or stronger reason has been given. */
  stop(reason: StopReason): void
  /** Called for each new reason from now on. Returns how to stop listening. */
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
