// Creates a transport from a kubeconfig. No other file of the client opens sockets.
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { concurrency } from './client.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { tokenSource, withToken } from './token.ts'

export type ClusterConnection = {
  readonly transport: Transport
  /** Closes every connection, even those in use. */
  close(): Promise<void>
}

/** More than all classes of requests of one client need together, so that clients can share the connection. A connection opens when it is needed. */
const connections = concurrency.read + concurrency.lease + concurrency.writesMax + 16

/** Creates the connection without opening it: only the first request fails on a wrong address or a refused credential. */
export function connect(kubeconfig: Kubeconfig, clock: Clock): ClusterConnection {
  const { origin, pathname } = new URL(kubeconfig.server)
  const prefix = pathname === '/' ? '' : pathname
  const client = httpClient({ origin, connections, tls: kubeconfig.tls })
  const transport: Transport = (request) => client.transport({ ...request, path: `${prefix}${request.path}` })
  return { transport: withToken(transport, tokenSource(kubeconfig.token, clock)), close: client.close }
}
