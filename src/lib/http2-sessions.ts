// The HTTP/2 connections of a client: one for as many streams as the server allows, and the next one beyond that.
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { isIP } from 'node:net'
import { connect as connectSecure, type SecureContext, type TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { connectTimeoutMs, keepAliveProbeMs, lateError } from './http-exchange.ts'
import { abortable } from './signals.ts'

export type SessionsOptions = {
  readonly context: () => SecureContext
  readonly tls: { readonly servername?: string; readonly rejectUnauthorized?: boolean }
}

/** The beginning of a stream. */
export type Opening = {
  /** The https server. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
}

export interface Sessions {
  /**
   * Begins a stream and calls `begun` with it at once, so that no event of it is missed.
   * Resolves with what `begun` returns, or with undefined if the server speaks HTTP/1.1 only. Rejects if no connection opens, and with the signal's reason.
   */
  begin<T>(opening: Opening, begun: (stream: Stream) => T): Promise<T | undefined>
  /** Ends the streams under way, and closes every connection. */
  close(): void
}

export type Stream = {
  readonly http2: ClientHttp2Stream
  /** The caller gave the stream up. If no other answer has begun since, the connection may be dead: no other stream begins on it. */
  givenUp(): void
}

type Session = {
  readonly http2: ClientHttp2Session
  /** Number of streams under way. */
  streams: number
  /** Number of answers that have begun. */
  answers: number
}

/** The window of one stream, in bytes: so much may wait for its reader. */
const streamWindow = 256 * 1024
/** The window of a connection, in bytes: the readers of 32 streams may pause and hold no other stream back. */
const sessionWindow = 32 * streamWindow
/** The maximum number of concurrent streams if a server sets none. */
const streamsMax = 100
/** The memory that one connection may use, in megabytes. Node's own limit of 10 would refuse the streams of a burst. */
const sessionMegabytes = 256

export function createSessions({ context, tls }: SessionsOptions): Sessions {
  const opened = new Map<string, Session[]>()
  const opening = new Map<string, Promise<void>>()
  const withoutHttp2 = new Set<string>()
  const sockets = new Set<TLSSocket>()
  const connect = async (origin: string): Promise<void> => {
    const socket = dial(origin, context(), tls)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    await once(socket, 'secureConnect')
    if (socket.alpnProtocol === 'h2') await openSession(origin, socket, opened)
    else {
      withoutHttp2.add(origin)
      socket.destroy()
    }
  }
  const connectOnce = (origin: string): Promise<void> => {
    const known = opening.get(origin)
    if (known) return known
    const next = connect(origin).finally(() => opening.delete(origin))
    opening.set(origin, next)
    return next
  }
  return {
    begin: async ({ origin, headers, signal }, begun) => {
      for (;;) {
        signal?.throwIfAborted()
        if (withoutHttp2.has(origin)) return undefined
        const free = opened.get(origin)?.find(hasPlace)
        if (free) return begun(beginStream(free, headers))
        await abortable(connectOnce(origin), signal)
      }
    },
    close: () => {
      for (const { http2 } of [...opened.values()].flat()) http2.destroy(new Error('the client was closed'))
      for (const socket of sockets) socket.destroy(new Error('the client was closed'))
    },
  }
}

function dial(origin: string, secureContext: SecureContext, tls: SessionsOptions['tls']): TLSSocket {
  const { hostname, port } = urlToHttpOptions(new URL(origin))
  const host = String(hostname)
  const name = isIP(host) ? {} : { servername: host }
  const socket = connectSecure({
    host,
    port: Number(port || 443),
    ...name,
    ...tls,
    secureContext,
    ALPNProtocols: ['h2', 'http/1.1'],
  })
  socket.setKeepAlive(true, keepAliveProbeMs)
  return socket.setTimeout(connectTimeoutMs, () => socket.destroy(lateError(true)))
}

async function openSession(origin: string, socket: TLSSocket, opened: Map<string, Session[]>): Promise<void> {
  const http2 = connectHttp2(origin, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindow },
    maxSessionMemory: sessionMegabytes,
  })
  // The first frame of a server says how many streams it allows.
  await once(http2, 'remoteSettings')
  socket.setTimeout(0)
  http2.setLocalWindowSize(sessionWindow)
  const session: Session = { http2, streams: 0, answers: 0 }
  const others = (opened.get(origin) ?? []).filter(({ http2: other }) => !other.closed)
  opened.set(origin, [...others, session])
  // Its streams report the error.
  http2.on('error', () => {})
}

function hasPlace({ http2, streams }: Session): boolean {
  if (http2.closed || http2.destroyed) return false
  return streams < Math.min(http2.remoteSettings.maxConcurrentStreams ?? streamsMax, streamsMax)
}

function beginStream(session: Session, headers: Readonly<Record<string, string>>): Stream {
  const http2 = session.http2.request(headers, { endStream: false })
  let answers = session.answers
  session.streams++
  http2
    .once('close', () => session.streams--)
    .once('response', () => {
      answers = ++session.answers
    })
  return {
    http2,
    givenUp: () => {
      if (session.answers === answers) session.http2.close()
    },
  }
}
