// The API server on a socket of this machine: TLS, one user with a token, and the kubeconfig that leads there.
import { httpServer } from '../../lib/http-server.ts'
import { randomName } from '../../lib/ids.ts'
import { type ApiHandlerOptions, createApiHandler } from './api-server.ts'
import { bearerAuthentication } from './authentication.ts'
import { selfSignedCertificate } from './certificate.ts'
import { kubeconfigText } from './kubeconfig.ts'

export type EndpointOptions = Omit<ApiHandlerOptions, 'authenticate'> & {
  /** 0, as when not given, takes a free one. */
  readonly port?: number
  /** Told of errors of the server itself; its client gets a 500. */
  readonly onError?: (error: unknown) => void
}

export interface Endpoint {
  /** `https://127.0.0.1:PORT` */
  readonly origin: string
  /** The text of a kubeconfig; holds the token. */
  kubeconfig(user: string): string
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/** Rejects when the port is taken. Each user who asks for a kubeconfig gets a token of their own. */
export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const certificate = selfSignedCertificate(options.clock.now())
  const users = new Map<string, string>()
  const handler = createApiHandler({ ...options, authenticate: bearerAuthentication(users) })
  const { port = 0, onError = () => {} } = options
  const server = await httpServer(handler, { port, tls: certificate, onError })
  return {
    origin: server.origin,
    kubeconfig: (user) => {
      const token = randomName(options.random, 40)
      users.set(token, user)
      return kubeconfigText({ server: server.origin, ca: certificate.cert, user, token })
    },
    close: server.close,
  }
}
