// Serves the API on a local TLS socket. kubectl and other client-go programs send no token over plain HTTP.
import type { Clock } from '../../lib/clock.ts'
import type { Request } from '../../lib/http.ts'
import { type HttpHandler, type HttpServer, httpServer } from '../../lib/http-server.ts'
import { type Certificate, selfSignedCertificate } from './certificate.ts'

type EndpointOptions = {
  readonly clock: Clock
  /** The default is a new certificate for this endpoint alone. */
  readonly certificate?: Certificate
  /** The default, 0, uses a free port. */
  readonly port?: number | undefined
  /** Receives internal errors of the server. The client gets a 500. */
  readonly onError?: ((error: unknown, request: Request) => void) | undefined
}

export type Endpoint = HttpServer & {
  /** The PEM certificate that clients must trust. */
  readonly ca: string
}

/** Listens on 127.0.0.1. Rejects if the port is taken. */
export async function openEndpoint(handler: HttpHandler, options: EndpointOptions): Promise<Endpoint> {
  const { clock, port = 0, onError = () => {} } = options
  const { certificate = selfSignedCertificate(clock.now()) } = options
  const server = await httpServer(handler, { port, onError, tls: certificate })
  return { ...server, ca: certificate.cert }
}
