// A clock for tests. Its time moves only when the test calls `advance`.
import { type Clock, type Instant, sleepWith, type Timer } from './clock.ts'

export interface VirtualClock extends Clock {
  /** Moves the time forward by `ms`. Runs due timers in order and lets promises settle between them. */
  advance(ms: number): Promise<void>
  /** Returns when the next timer is due, if there is one. */
  next(): Instant | undefined
}

type Entry = { readonly at: Instant; readonly order: number; readonly run: () => void }

/** @param start the time at the beginning. The default is 2026-01-01T00:00:00Z. */
export function virtualClock(start: Instant = 1_767_225_600_000): VirtualClock {
  let now = start
  let order = 0
  const entries = new Set<Entry>()
  const first = (): Entry | undefined => {
    let found: Entry | undefined
    for (const entry of entries) {
      if (!found || entry.at < found.at || (entry.at === found.at && entry.order < found.order)) found = entry
    }
    return found
  }
  const after = (ms: number, run: () => void): Timer => {
    const entry = { at: now + Math.max(0, ms), order: order++, run }
    entries.add(entry)
    return { cancel: () => entries.delete(entry) }
  }
  const advance = async (ms: number): Promise<void> => {
    const end = now + ms
    await settle()
    for (let entry = first(); entry && entry.at <= end; entry = first()) {
      entries.delete(entry)
      now = entry.at
      entry.run()
      await settle()
    }
    now = end
    await settle()
  }
  return { now: () => now, after, sleep: sleepWith(after), advance, next: () => first()?.at }
}

/** Waits until every promise that needs neither time nor I/O has settled. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}
