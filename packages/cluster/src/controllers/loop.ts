// The work queue of a controller: it reconciles one key after the other, each soon after it was added.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'

export interface Loop {
  /** Reconciles this key soon. A key that is added twice before its turn is reconciled once. */
  add(key: string): void
  /** Reconciles this key in `ms` milliseconds. */
  after(key: string, ms: number): void
  /** Drops the key: its object is gone, or nothing is planned for it. */
  forget(key: string): void
  stop(): void
}

/** @param reconcile brings the object of the key to its wanted state. It is called outside of any write, and never twice at the same time. */
export function startLoop(clock: Clock, reconcile: (key: string) => void): Loop {
  const due = new Set<string>()
  const timers = new Map<string, { readonly at: Instant; readonly timer: Timer }>()
  let isAwake = false
  let isStopped = false
  const drain = () => {
    isAwake = false
    for (const key of due) {
      if (isStopped) return
      due.delete(key)
      reconcile(key)
    }
  }
  const add = (key: string) => {
    due.add(key)
    if (isAwake || isStopped) return
    isAwake = true
    queueMicrotask(drain)
  }
  const after = (key: string, ms: number) => {
    const at = clock.now() + ms
    const known = timers.get(key)
    if (isStopped || (known && known.at <= at)) return
    known?.timer.cancel()
    const fire = () => {
      timers.delete(key)
      add(key)
    }
    timers.set(key, { at, timer: clock.after(ms, fire) })
  }
  const forget = (key: string) => {
    due.delete(key)
    timers.get(key)?.timer.cancel()
    timers.delete(key)
  }
  const stop = () => {
    isStopped = true
    for (const { timer } of timers.values()) timer.cancel()
    timers.clear()
  }
  return { add, after, forget, stop }
}
