// The API server on a socket of this machine, over TLS: kubectl and everything on client-go send no token over plain HTTP.
import type { Clock } from '../../lib/clock.ts'
import type { Request } from '../../lib/http.ts'
import { type HttpHandler, type HttpServer, httpServer } from '../../lib/http-server.ts'
import { selfSignedCertificate } from './certificate.ts'

export type EndpointOptions = {
  readonly clock: Clock
  /** 0, as when not given, takes a free one. */
  readonly port?: number | undefined
  /** Told of errors of the server itself; its client gets a 500. */
  readonly onError?: ((error: unknown, request: Request) => void) | undefined
}

export type Endpoint = HttpServer & {
  /** PEM: the certificate that clients are to trust, made for this endpoint alone. */
  readonly ca: string
}

/** Listens on 127.0.0.1. Rejects when the port is taken. */
export async function openEndpoint(handler: HttpHandler, options: EndpointOptions): Promise<Endpoint> {
  const { clock, port = 0, onError = () => {} } = options
  const certificate = selfSignedCertificate(clock.now())
  const server = await httpServer(handler, { port, onError, tls: certificate })
  return { ...server, ca: certificate.cert }
}
