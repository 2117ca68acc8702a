// Serves WebSockets as streams of messages. The package `ws` does the handshake, the frames and their checks.
import { type WebSocket, WebSocketServer } from 'ws'
import type { MessageStream } from './http.ts'
import type { Upgrade } from './http-server.ts'
import { channel } from './queue.ts'
import { aborted } from './signals.ts'

/** The largest message of a client, in bytes. A larger one ends the connection with code 1009. */
export const messageBytesMax = 1024 * 1024
/** The messages that may wait for their consumer. The server then reads no more from the connection. */
const waitingMax = 4

/**
 * The time without traffic after which the server sends a pong, in milliseconds. A connection that is not read shows only to a writer
 * that its client is gone. Clients accept a pong that they did not ask for (https://www.rfc-editor.org/rfc/rfc6455#section-5.5.3).
 */
const silenceMs = 2_000

/** How long a client may take to answer the close, in milliseconds. Then the server cuts the connection. */
const closeMs = 5_000

/** Accepts the WebSocket and serves it. A client without a correct handshake gets a 400, and nothing is served. */
export const webSocketUpgrade: Upgrade = async ({ incoming, socket, head }, { protocol, serve }) => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    closeTimeout: closeMs,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    handleProtocols: () => protocol,
  })
  const accepted = new Promise<Served | undefined>((resolve) => {
    socket.once('close', () => resolve(undefined))
    server.handleUpgrade(incoming, socket, head, (client) => {
      socket.setTimeout(silenceMs)
      socket.on('timeout', () => {
        if (client.bufferedAmount === 0) client.pong()
      })
      resolve(messageStream(client))
    })
  })
  const served = await accepted
  if (!served) return
  try {
    await serve(served.stream)
    served.finish(1000)
  } catch (error) {
    served.finish(1011)
    throw error
  }
}

type Served = {
  readonly stream: MessageStream
  /** Closes the connection and drops further messages. */
  finish(code: 1000 | 1011): void
}

function messageStream(client: WebSocket): Served {
  const gone = new AbortController()
  const waiting = channel<Uint8Array>()
  let isOver = false
  const leave = () => {
    waiting.close()
    gone.abort(new Error('the client went away'))
  }
  client.on('message', (message: Buffer) => {
    if (isOver) return
    waiting.push(message)
    if (waiting.size >= waitingMax) client.pause()
  })
  // A client that breaks the protocol may keep the connection open for some seconds more.
  client.on('error', leave)
  client.on('close', leave)
  async function* messages(): AsyncGenerator<Uint8Array> {
    for await (const message of waiting) {
      if (client.isPaused && waiting.size < waitingMax) client.resume()
      yield message
    }
  }
  const send = (message: Uint8Array) =>
    new Promise<void>((resolve) => {
      // A refused message must not let a producer go on at once, or the event that the client is gone would never come.
      client.send(message, (error) => (error && !gone.signal.aborted ? aborted(gone.signal).then(resolve) : resolve()))
    })
  const finish = (code: 1000 | 1011) => {
    isOver = true
    waiting.close()
    client.close(code)
    // The client's answer to the close comes after what it has sent before.
    client.resume()
  }
  return { stream: { messages: messages(), send, gone: gone.signal }, finish }
}
