// Reads the body of an answer: whole, within the room of its server, or as a stream that holds the server back.
import { TransportError } from './http.ts'
import type { BodyReader, Exchange } from './http-connection.ts'
import { JoinedBytes } from './joined-bytes.ts'
import { channel } from './queue.ts'

/** The maximum silence within a whole answer. */
const bodyTimeoutMs = 60_000
/** The client pauses the socket when this many chunks of a stream wait. A chunk has at most 64 KB. */
const chunksMax = 32

/** The room for the answers of one server that are not complete yet. */
export type Room = { readonly bytesMax: number; bytes: number }

/** Each server has its own, so that none takes that of another. */
export function rooms(bytesMax: number): (origin: string) => Room {
  const byOrigin = new Map<string, Room>()
  return (origin) => {
    const room = byOrigin.get(origin) ?? { bytesMax, bytes: 0 }
    byOrigin.set(origin, room)
    return room
  }
}

/** Collects a whole answer. It fails if the answers that one server has not completed are together too large. */
export function wholeBody(
  exchange: Exchange,
  room: Room,
  { done, failed }: { done(bytes: Buffer): void; failed(error: Error): void },
): BodyReader {
  const bytes = new JoinedBytes()
  return {
    silenceMsMax: bodyTimeoutMs,
    data: (chunk) => {
      bytes.add(chunk)
      room.bytes += chunk.length
      if (room.bytes <= room.bytesMax) return
      const what = bytes.size > room.bytesMax ? 'its answer is' : 'its answers are together'
      exchange.cancel(new TransportError('lost', `${what} larger than ${Math.floor(room.bytesMax / 2 ** 20)} MiB`))
    },
    end: () => {
      room.bytes -= bytes.size
      done(bytes.take())
    },
    fail: (error) => {
      room.bytes -= bytes.size
      failed(error)
    },
  }
}

/** Yields the chunks as the socket delivers them. */
export function streamBody(exchange: Exchange): { readonly reader: BodyReader; chunks(): AsyncGenerator<Buffer> } {
  const waiting = channel<Buffer>(() => exchange.cancel(new Error('the reader has stopped')))
  let isPaused = false
  const reader: BodyReader = {
    silenceMsMax: 0,
    data: (chunk) => {
      waiting.push(chunk)
      if (isPaused || waiting.size < chunksMax) return
      isPaused = true
      exchange.pause()
    },
    end: waiting.close,
    fail: waiting.fail,
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of waiting) {
      yield chunk
      if (!isPaused || waiting.size > 0) continue
      isPaused = false
      exchange.resume()
    }
  }
  return { reader, chunks }
}
