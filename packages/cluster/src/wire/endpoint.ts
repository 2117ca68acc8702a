// Serves the API on a local TLS socket. kubectl and other client-go programs send no token over plain HTTP.
import { type Certificate, selfSignedCertificate } from '@dayfly/kit/certificate'
import type { Clock } from '@dayfly/kit/clock'
import { jsonAnswer, type Request } from '@dayfly/kit/http'
import { type HttpHandler, type HttpServer, type HttpServerOptions, httpServer } from '@dayfly/kit/http-server'
import { webSocketUpgrade } from '@dayfly/kit/web-socket'
import { tooLarge as tooLargeError } from '../api/errors.ts'

/** Kubernetes' limit of a body, and its answer to a larger one. */
const bytesMax = 3 * 1024 * 1024
const { status } = tooLargeError(`limit is ${bytesMax}`)
const tooLarge = jsonAnswer(status.code, status)

type EndpointOptions = {
  readonly clock: Clock
  /** The default is a new certificate for this endpoint alone. */
  readonly certificate?: Certificate
  /** The default, 0, uses a free port. */
  readonly port?: number | undefined
  /** The default is one minute for a request, and for a client that does not read its answer. */
  readonly limitsMs?: HttpServerOptions['limitsMs']
  /** Receives internal errors of the server. The client gets a 500. */
  readonly onError?: ((error: unknown, request: Request) => void) | undefined
}

export type Endpoint = HttpServer & {
  /** The PEM certificate that clients must trust. */
  readonly ca: string
}

/** Listens on 127.0.0.1. Rejects if the port is taken. */
export async function openEndpoint(handler: HttpHandler, options: EndpointOptions): Promise<Endpoint> {
  const { clock, port = 0, onError = () => {}, limitsMs } = options
  const limits = limitsMs === undefined ? {} : { limitsMs }
  const { certificate = selfSignedCertificate(clock.now()) } = options
  const bounds = { bytesMax, tooLarge, ...limits }
  const server = await httpServer(handler, { port, onError, tls: certificate, upgrade: webSocketUpgrade, ...bounds })
  return { ...server, ca: certificate.cert }
}
