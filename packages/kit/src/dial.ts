// Opens the connections of a client that has a proxy or private certificate authorities: direct, through a tunnel (CONNECT) for https,
// or to the proxy itself for http (https://www.rfc-editor.org/rfc/rfc9110#name-connect).
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecure, type SecureContext, type TLSSocket } from 'node:tls'
import { TransportError } from './http.ts'
import type { ProxyChoice, ProxyServer } from './proxy.ts'
import { serverName } from './server-name.ts'

/** The address of a connection, as an agent of Node.js gives it. */
export type DialTarget = ConnectionOptions & { readonly host?: string; readonly port?: number | string }
export type Dialed = (error: Error | null, socket?: Socket) => void

export interface Dial {
  /** Opens the connection for http requests. Returns the socket, or calls `done` later. */
  plain(target: DialTarget, done: Dialed): Socket | undefined
  /** The same for https requests. */
  secure(target: DialTarget, done: Dialed): Socket | undefined
  /** How a request to this server differs: through a proxy, plain http names the whole address and carries the proxy's credential. */
  line(origin: string): { readonly prefix: string; readonly headers: Readonly<Record<string, string>> } | undefined
  /** Ends the tunnels that are being opened. */
  close(): void
}

export type DialOptions = { readonly proxy?: ProxyChoice | undefined; readonly trust?: SecureContext | undefined }

/** How long a step of opening a tunnel may take, in milliseconds. */
const stepMsMax = 10_000
/** How long a tunnel is silent before the operating system probes it: sooner than firewalls and proxies forget it, in milliseconds. */
const probeMs = 15_000

export function createDial({ proxy = () => undefined, trust }: DialOptions): Dial {
  const opening = new Set<ClientRequest | TLSSocket>()
  const secureContext = trust ? { secureContext: trust } : {}
  const track = <T extends ClientRequest | TLSSocket>(step: T): T => {
    opening.add(step)
    step.once('close', () => opening.delete(step))
    return step
  }
  return {
    plain: (target) => {
      const server = proxy(urlOf('http', target))
      if (!server) return connectPlain(addressOf(target))
      const { host, port } = server
      return server.secure
        ? connectSecure({ host, port, ...serverName(host), ...secureContext })
        : connectPlain({ host, port })
    },
    secure: (target, done) => {
      const server = proxy(urlOf('https', target))
      const options = { ...target, ...addressOf(target), ...secureContext }
      if (!server) return connectSecure(options)
      const tunnel = { server, host: options.host, port: options.port, secureContext, track }
      openTunnel(tunnel, (error, socket) => {
        if (!socket) return done(error)
        const { host } = options
        const inner = connectSecure({ socket, host, ...serverName(target.servername || host), ...secureContext })
        finish(track(inner), 'secureConnect', done)
      })
      return undefined
    },
    line: (origin) => {
      const url = new URL(origin)
      const server = url.protocol === 'http:' ? proxy(url) : undefined
      return server && { prefix: url.origin, headers: credentialFor(server) }
    },
    close: () => {
      for (const step of opening) step.destroy(new Error('the client was closed'))
    },
  }
}

type Tunnel = {
  readonly server: ProxyServer
  readonly host: string
  readonly port: number
  readonly secureContext: { readonly secureContext?: SecureContext }
  readonly track: <T extends ClientRequest | TLSSocket>(step: T) => T
}

/** Asks the proxy for a connection to the server. */
function openTunnel({ server, host, port, secureContext, track }: Tunnel, done: Dialed): void {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const options = {
    method: 'CONNECT',
    host: server.host,
    port: server.port,
    path: authority,
    headers: { host: authority, ...credentialFor(server) },
    agent: false,
  }
  const asking = track(
    server.secure ? httpsRequest({ ...options, ...serverName(server.host), ...secureContext }) : httpRequest(options),
  )
  asking.setTimeout(stepMsMax, () => asking.destroy(timeoutOf(server)))
  asking.once('error', (error) => done(unreachable(server, error)))
  asking.once('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
    const refused = refusalOf(server, authority, answer)
    if (refused) {
      socket.destroy()
      return done(refused)
    }
    if (head.length > 0) socket.unshift(head)
    done(null, socket)
  })
  asking.end()
}

/** Hands the socket over when it is ready, or its error. */
function finish(socket: TLSSocket, event: 'secureConnect', done: Dialed): void {
  const fail = (error: Error) => done(error)
  const expire = () => socket.destroy(Object.assign(new Error('no TLS answer in time'), { code: 'ETIMEDOUT' }))
  socket.setTimeout(stepMsMax, expire)
  socket.once('error', fail)
  socket.once(event, () => {
    socket.off('error', fail).off('timeout', expire).setTimeout(0)
    socket.setKeepAlive(true, probeMs)
    done(null, socket)
  })
}

/** Returns the error of a proxy that does not open the tunnel. Its server may be down for a moment; its own refusal lasts. */
function refusalOf(server: ProxyServer, authority: string, { statusCode = 0, statusMessage = '' }: IncomingMessage) {
  if (statusCode >= 200 && statusCode < 300) return undefined
  if (statusCode === 407) return proxyAsksForCredential(server)
  const said = `${statusCode} ${statusMessage}`.trim().slice(0, 200)
  if (statusCode >= 500)
    return new TransportError('connect', `the proxy ${server.name} cannot reach ${authority}: ${said}`)
  return new TransportError('proxy', `the proxy ${server.name} refuses a connection to ${authority}: ${said}`)
}

export function proxyAsksForCredential({ name, authorization }: ProxyServer): TransportError {
  const why = authorization === undefined ? 'none is configured' : 'it refuses the configured one'
  return new TransportError('proxy', `the proxy ${name} asks for a user name and password (407), and ${why}`)
}

function unreachable({ name }: ProxyServer, error: NodeJS.ErrnoException): Error {
  const { code, syscall, message } = error
  return Object.assign(new Error(`the proxy ${name} cannot be used: ${message || code}`, { cause: error }), {
    code,
    syscall,
  })
}

/** No byte has reached the forge, so the failure counts as a connection that could not be opened. */
function timeoutOf({ name }: ProxyServer): Error {
  return new TransportError('connect', `the proxy ${name} did not answer within ${stepMsMax / 1000} s`)
}

function credentialFor({ authorization }: ProxyServer): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization }
}

function addressOf({ host = 'localhost', port }: DialTarget): { readonly host: string; readonly port: number } {
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

function urlOf(scheme: string, target: DialTarget): URL {
  const { host, port } = addressOf(target)
  return new URL(`${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
}
