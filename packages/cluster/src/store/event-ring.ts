// The recent changes of one kind, in a ring buffer. A watch can start at any revision that the ring still covers.
import type { StoredObject } from './object.ts'

/** One committed change. */
export type StoreEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: StoredObject
  /** The object before the change, for selectors. Undefined for ADDED. */
  readonly before: StoredObject | undefined
  /** The revision of the change. The whole store shares one counter. */
  readonly revision: number
}

export interface EventRing {
  push(event: StoreEvent): void
  /** Returns whether every change after this revision is still available. */
  reaches(revision: number): boolean
  /** Returns the first change after this revision. */
  next(revision: number): StoreEvent | undefined
  /** Yields the changes after this revision, newest first. */
  newest(revision: number): Iterable<StoreEvent>
}

/**
 * @param capacity the number of changes that are kept.
 * @param oldest the revision before which no change is known.
 */
export function createEventRing(capacity: number, oldest = 0): EventRing {
  const events: StoreEvent[] = []
  let floor = oldest
  let first = 0
  const at = (index: number): StoreEvent | undefined => events[(first + index) % capacity]

  const push = (event: StoreEvent): void => {
    if (events.length < capacity) {
      events.push(event)
      return
    }
    floor = events[first]?.revision ?? floor
    events[first] = event
    first = (first + 1) % capacity
  }

  const next = (revision: number): StoreEvent | undefined => {
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((at(middle)?.revision ?? 0) > revision) high = middle
      else low = middle + 1
    }
    return low < events.length ? at(low) : undefined
  }

  function* newest(revision: number): Iterable<StoreEvent> {
    for (let index = events.length - 1; index >= 0; index--) {
      const event = at(index)
      if (event === undefined || event.revision <= revision) return
      yield event
    }
  }

  return { push, reaches: (revision) => revision >= floor, next, newest }
}
