// What the runner tells the forge about its job: strictly in order, one request at a time, without making the job wait.

export interface Outbox {
  /** Sends after everything before it; a failed request is tried once more and then given up. */
  post(url: string, body: unknown): void
  /** Requests that are not answered yet. */
  readonly waiting: number
  /** Settles when everything is sent or given up. */
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
