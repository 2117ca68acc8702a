// A WebSocket client for tests that writes its frames itself, so that it can break every rule.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Frame = {
  readonly opcode: number
  readonly payload?: Uint8Array
  /** Whether the message ends with this frame. The default is true. */
  readonly fin?: boolean
  /** The default is true. A server refuses frames that are not masked. */
  readonly masked?: boolean
  /** The three reserved bits. The default is 0. */
  readonly reserved?: number
}

/** The opcodes of RFC 6455. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

function encodeFrame({ opcode, payload = new Uint8Array(), fin = true, masked = true, reserved = 0 }: Frame) {
  const { length } = payload
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + size)
  head[0] = (fin ? 0x80 : 0) | (reserved << 4) | opcode
  head[1] = (masked ? 0x80 : 0) | (size === 0 ? length : size === 2 ? 126 : 127)
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  if (!masked) return Buffer.concat([head, payload])
  const mask = Buffer.from([1, 2, 3, 4])
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] as number))])
}

export interface RawClient {
  readonly socket: Socket
  /** Resolves with the head of the answer. */
  readonly head: Promise<string>
  send(...frames: readonly Frame[]): void
  /** The server's frames so far. */
  frames(): readonly { readonly opcode: number; readonly payload: Buffer }[]
  /** The code of the server's close, if there was one. */
  closeCode(): number | undefined
  readonly closed: Promise<unknown>
}

/** Sends the handshake, with these headers in place of the usual ones. */
export function rawClient(port: number, headers: Readonly<Record<string, string>> = {}, request = 'GET /'): RawClient {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const all = {
    host: 'x',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': 'one',
    ...headers,
  }
  const lines = Object.entries(all).filter(([, value]) => value !== '')
  socket.write(`${request} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  let bytes = Buffer.alloc(0)
  const closed = once(socket, 'close')
  const head = new Promise<string>((resolve) => {
    const look = () => bytes.includes('\r\n\r\n') && resolve(bytes.toString('latin1').split('\r\n\r\n', 1)[0] ?? '')
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      look()
    })
    void closed.then(() => resolve(bytes.toString('latin1')))
  })
  const frames = () => decodeFrames(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4))
  return {
    socket,
    head,
    send: (...sent) => void socket.write(Buffer.concat(sent.map(encodeFrame))),
    frames,
    closeCode: () => {
      const payload = frames().find(({ opcode }) => opcode === opcodes.close)?.payload
      return payload && payload.length > 1 ? payload.readUInt16BE(0) : undefined
    },
    closed,
  }
}

function decodeFrames(bytes: Buffer) {
  const frames: { opcode: number; payload: Buffer }[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] as number) & 0x7f
    const size = short === 126 ? 2 : short === 127 ? 8 : 0
    if (at + 2 + size > bytes.length) break
    const length = size === 0 ? short : size === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    const from = at + 2 + size
    if (from + length > bytes.length) break
    frames.push({ opcode: (bytes[at] as number) & 15, payload: bytes.subarray(from, from + length) })
    at = from + length
  }
  return frames
}
