// Sends the runner's reports about its job to the forge: strictly in order, one request at a time. The job does not wait for them.

export interface Outbox {
  /** Queues a request. A failed request is tried once more and then dropped. */
  post(url: string, body: unknown): void
  /** The number of requests without a response. */
  readonly waiting: number
  /** Resolves when every request is answered or dropped. */
  empty(): Promise<void>
}

export function createOutbox(send: (url: string, body: unknown) => Promise<unknown>): Outbox {
  let tail: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    post: (url, body) => {
      waiting++
      tail = tail
        .then(() => send(url, body))
        .catch(() => send(url, body))
        .catch(() => {})
        .finally(() => waiting--)
    },
    get waiting() {
      return waiting
    },
    empty: async () => void (await tail),
  }
}
