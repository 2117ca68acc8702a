// Named timers on the emulator's clock, one for each lease and timeout. A timer is replaced or cleared by its name.
import type { Clock, Timer } from '@dayfly/kit/clock'

export interface Deadlines {
  /** Calls `run` in `ms` milliseconds. It replaces an earlier timer with the same name. */
  set(name: string, ms: number, run: () => void): void
  has(name: string): boolean
  clear(name: string): void
  clearAll(): void
}

/** @param then called after each deadline. */
export function createDeadlines(clock: Clock, then: () => void): Deadlines {
  const timers = new Map<string, Timer>()
  const clear = (name: string) => {
    timers.get(name)?.cancel()
    timers.delete(name)
  }
  return {
    set: (name, ms, run) => {
      clear(name)
      const timer = clock.after(ms, () => {
        timers.delete(name)
        run()
        then()
      })
      timers.set(name, timer)
    },
    has: (name) => timers.has(name),
    clear,
    clearAll: () => {
      for (const timer of timers.values()) timer.cancel()
      timers.clear()
    },
  }
}

/** Holds a request. `done` resolves on `wake` or after `ms`. It rejects with the signal's reason if the client disconnects. */
export function hold(clock: Clock, ms: number, signal: AbortSignal | undefined): { wake(): void; done: Promise<void> } {
  let wake = () => {}
  const done = new Promise<void>((resolve, reject) => {
    const leave = () => {
      timer.cancel()
      reject(signal?.reason)
    }
    wake = () => {
      timer.cancel()
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const timer = clock.after(ms, wake)
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
  })
  return { wake: () => wake(), done }
}
