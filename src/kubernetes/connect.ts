// From a kubeconfig to a transport: the only place where this client meets sockets.
import type { Clock } from '../lib/clock.ts'
import type { Transport } from '../lib/http.ts'
import { httpClient } from '../lib/http-client.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { tokenSource, withToken } from './token.ts'

export type ClusterConnection = {
  readonly transport: Transport
  /** Ends every connection, also those in use. */
  close(): Promise<void>
}

/** As many as the verbs of all classes together may have under way (client.ts), with room for more than one client. */
const connections = 32

/** Connects lazily: a wrong address or a refused credential shows with the first request. */
export function connect(kubeconfig: Kubeconfig, clock: Clock): ClusterConnection {
  const { origin, pathname } = new URL(kubeconfig.server)
  const prefix = pathname === '/' ? '' : pathname
  const client = httpClient({ origin, connections, tls: kubeconfig.tls })
  const transport: Transport = (request) => client.transport({ ...request, path: `${prefix}${request.path}` })
  return { transport: withToken(transport, tokenSource(kubeconfig.token, clock)), close: client.close }
}
