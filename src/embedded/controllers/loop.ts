// How every controller of the cluster works: keys of what may need attention, looked at one after the other, soon after they were named.
import type { Clock, Instant, Timer } from '../../lib/clock.ts'

export interface Loop {
  /** Look at this soon; named twice it is looked at once. */
  add(key: string): void
  /** Look at this again later, in milliseconds. */
  after(key: string, ms: number): void
  stop(): void
}

/** @param reconcile brings what the key names to where it should be; it is called outside of any write, never twice at the same time. */
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
  const stop = () => {
    isStopped = true
    for (const { timer } of timers.values()) timer.cancel()
    timers.clear()
  }
  return { add, after, stop }
}
