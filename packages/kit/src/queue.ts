// Two small queues: a channel from a producer that pushes to a consumer that iterates, and a limit on concurrent work.

export interface Channel<T> extends AsyncIterable<T> {
  /** Adds an item; ignored after `close`. */
  push(item: T): void
  /** Ends the iteration after the last pushed item. */
  close(): void
  /** Ends the iteration with this error after the last pushed item. */
  fail(error: unknown): void
  /** The number of items that wait. */
  readonly size: number
}

/** Creates a channel for one producer and one consumer. It has no bound: the producer must watch `size`. `onReturn` runs when the iteration ends. */
export function channel<T>(onReturn?: () => void): Channel<T> {
  const items: T[] = []
  let ended: { readonly error?: unknown } | undefined
  let waiting: (() => void) | undefined
  const wake = () => {
    waiting?.()
    waiting = undefined
  }
  async function* iterate(): AsyncGenerator<T> {
    try {
      for (;;) {
        while (items.length > 0) yield items.shift() as T
        if (ended) {
          if ('error' in ended) throw ended.error
          return
        }
        await new Promise<void>((resolve) => {
          waiting = resolve
        })
      }
    } finally {
      ended ??= {}
      onReturn?.()
    }
  }
  return {
    push: (item) => {
      if (ended) return
      items.push(item)
      wake()
    },
    close: () => {
      ended ??= {}
      wake()
    },
    fail: (error) => {
      ended ??= { error }
      wake()
    },
    get size() {
      return items.length
    },
    [Symbol.asyncIterator]: iterate,
  }
}

export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `most` pieces of work at once. The others wait in order. */
export function limit(most: number): Limit {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
