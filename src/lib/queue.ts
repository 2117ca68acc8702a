// Two small queues: a channel between a producer that pushes and a consumer that iterates, and a limit on concurrent work.

export interface Channel<T> extends AsyncIterable<T> {
  /** Adds an item; ignored after `close`. */
  push(item: T): void
  /** Ends the iteration once what was pushed has been consumed. */
  close(): void
  /** Ends the iteration by this error once what was pushed has been consumed. */
  fail(error: unknown): void
  /** How many items wait. */
  readonly size: number
}

/** One producer, one consumer, unbounded: whoever pushes from outside bounds it by `size`. `onReturn` runs when the consumer stops early. */
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

/** At most `most` pieces of work run at once; the others wait in order. */
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
