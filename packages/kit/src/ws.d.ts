// The part of the package `ws` that packages/kit/src/web-socket.ts uses. The package has no types of its own.
// Source: https://github.com/websockets/ws/blob/8.23.0/doc/ws.md
declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  export class WebSocket extends EventEmitter {
    readonly bufferedAmount: number
    readonly isPaused: boolean
    close(code?: number): void
    pause(): void
    pong(): void
    resume(): void
    /** `done` is called when the message is in the hands of the kernel, or with an error if it cannot be sent. */
    send(message: Uint8Array, done: (error?: Error) => void): void
  }

  export class WebSocketServer {
    constructor(options: {
      noServer: true
      clientTracking: boolean
      closeTimeout: number
      maxPayload: number
      perMessageDeflate: boolean
      handleProtocols: () => string
    })
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, accepted: (client: WebSocket) => void): void
  }
}
