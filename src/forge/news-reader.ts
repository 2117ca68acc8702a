// Reads a link's news for the contract and the tests: keeps what was told, acknowledges unless told not to, and waits for what should come.
import type { Link, News, NewsBatch } from './forge.ts'

export type NewsReader = {
  readonly news: News[]
  /** Acknowledge by yourself when false. */
  ackAll: boolean
  readonly batches: NewsBatch[]
  /** Resolves when the stream has ended. */
  ended: Promise<void>
  /** The first piece of news that fits, of those told already and those to come. */
  find<K extends News['kind']>(
    kind: K,
    fits?: (news: Extract<News, { kind: K }>) => boolean,
  ): Promise<Extract<News, { kind: K }>>
  /** Forgets what was told. */
  clear(): void
}

export function readNews(link: Link): NewsReader {
  const wake: (() => void)[] = []
  const news: News[] = []
  const batches: NewsBatch[] = []
  const reader: NewsReader = {
    news,
    batches,
    ackAll: true,
    ended: Promise.resolve(),
    find: async (kind, fits = () => true) => {
      for (;;) {
        const found = news.find((one) => one.kind === kind && fits(one as never))
        if (found) return found as never
        await new Promise<void>((resolve) => wake.push(resolve))
      }
    },
    clear: () => {
      news.length = 0
      batches.length = 0
    },
  }
  const read = async () => {
    for await (const batch of link.news()) {
      batches.push(batch)
      news.push(...batch.news)
      if (reader.ackAll) batch.ack()
      for (const call of wake.splice(0)) call()
    }
  }
  reader.ended = read()
  return reader
}
