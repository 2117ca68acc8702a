// The one journal of typed events. The log, Kubernetes Events, screens and checkers read it; there is no other way to log.
import type { Clock } from '@dayfly/kit/clock'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'

export type JournalReader = (entry: Entry) => void

export interface Journal {
  write(event: JournalEvent): void
  /** Calls `reader` for every event from now on. Returns a function that ends that. */
  subscribe(reader: JournalReader): () => void
}

export function createJournal(clock: Clock): Journal {
  const readers = new Set<JournalReader>()
  return {
    write: (event) => {
      const entry = { at: clock.now(), event }
      for (const reader of readers) reader(entry)
    },
    subscribe: (reader) => {
      readers.add(reader)
      return () => readers.delete(reader)
    },
  }
}
