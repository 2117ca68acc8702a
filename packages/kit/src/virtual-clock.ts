// A clock whose time moves only by calls of `advance`.
import { type Clock, type Instant, sleepWith, type Timer } from './clock.ts'
import type { Stopwatch } from './stopwatch.ts'

export interface VirtualClock extends Clock {
  /** Moves the time forward by `ms`. Runs due timers in order and lets promises settle between them. */
  advance(ms: number): Promise<void>
  /** Returns when the next timer is due, if there is one. */
  next(): Instant | undefined
}

/** `run` is undefined once the timer has run or is cancelled: then it keeps nothing alive. */
type Entry = { readonly at: Instant; readonly order: number; run: (() => void) | undefined }

/** @param start the time at the beginning. The default is 2026-01-01T00:00:00Z. */
export function virtualClock(start: Instant = 1_767_225_600_000): VirtualClock {
  let now = start
  let order = 0
  let heap: Entry[] = []
  let cancelled = 0
  const first = (): Entry | undefined => {
    while (heap[0] && !heap[0].run) {
      takeFirst(heap)
      cancelled--
    }
    return heap[0]
  }
  const cancel = (entry: Entry): void => {
    if (!entry.run) return
    entry.run = undefined
    cancelled++
    // Most timers are cancelled long before they are due, so they must not pile up until then.
    if (cancelled <= heap.length / 2) return
    heap = heap.filter(({ run }) => run).sort((one, other) => (isBefore(one, other) ? -1 : 1))
    cancelled = 0
  }
  const after = (ms: number, run: () => void): Timer => {
    // Whole milliseconds, as those of the machine.
    const entry = { at: now + Math.max(0, Math.ceil(ms)), order: order++, run }
    add(heap, entry)
    return { cancel: () => cancel(entry) }
  }
  const advance = async (ms: number): Promise<void> => {
    const end = now + ms
    await settle()
    for (let entry = first(); entry && entry.at <= end; entry = first()) {
      takeFirst(heap)
      now = entry.at
      const { run } = entry
      entry.run = undefined
      run?.()
      await settle()
    }
    now = end
    await settle()
  }
  return { now: () => now, after, sleep: sleepWith(after), advance, next: () => first()?.at }
}

/** Creates a stopwatch that measures with the clock. */
export function stopwatchOf(clock: Pick<Clock, 'now'>): Stopwatch {
  return () => {
    const started = clock.now()
    return () => clock.now() - started
  }
}

/** Waits until every promise that needs neither time nor I/O has settled: Node runs all of them before its next turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

/** The heap is binary: each entry is due no later than the two below it. */
function add(heap: Entry[], entry: Entry): void {
  let index = heap.length
  for (let above = (index - 1) >> 1; index > 0; above = (index - 1) >> 1) {
    const parent = heap[above] as Entry
    if (!isBefore(entry, parent)) break
    heap[index] = parent
    index = above
  }
  heap[index] = entry
}

function takeFirst(heap: Entry[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  let index = 0
  for (let below = 1; below < heap.length; below = 2 * index + 1) {
    const right = heap[below + 1]
    if (right && isBefore(right, heap[below] as Entry)) below++
    const child = heap[below] as Entry
    if (!isBefore(child, last)) break
    heap[index] = child
    index = below
  }
  heap[index] = last
}
