// Creates a transport from a kubeconfig. No other file of the client opens sockets.
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
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

/** A refused kubeconfig is read again this often at most, because its credential plugin may run each time. */
const readAgainMs = 10_000

/** Creates the connection without opening it: only the first request fails on a wrong address or a refused credential. */
export function connect(kubeconfig: Kubeconfig, clock: Clock): ClusterConnection {
  const { origin, pathname } = new URL(kubeconfig.server)
  const prefix = pathname === '/' ? '' : pathname
  const client = httpClient({ origin, connections, tls: kubeconfig.tls })
  const transport: Transport = (request) => client.transport({ ...request, path: `${prefix}${request.path}` })
  return { transport: withToken(transport, tokenSource(kubeconfig.token, clock)), close: client.close }
}

/**
 * Creates a connection that outlives the rotation of an inline token, a client certificate or a certificate authority. When the server
 * refuses the credential, or its certificate is not trusted, the kubeconfig is read again. If it has changed, the request is sent again.
 */
export function renewingConnection(
  first: Kubeconfig,
  clock: Clock,
  read: () => Promise<Kubeconfig>,
): ClusterConnection {
  const opened: ClusterConnection[] = []
  const open = (kubeconfig: Kubeconfig) => {
    const connection = connect(kubeconfig, clock)
    // An older connection stays open, because its requests may still get their answers.
    opened.push(connection)
    return { kubeconfig, connection }
  }
  let current = open(first)
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const readOnce = async () => {
    if (clock.now() - readAt < readAgainMs) return
    readAt = clock.now()
    // A file that is being written cannot be read. The refusal is returned, and the next one reads again.
    const kubeconfig = await read().catch(() => current.kubeconfig)
    if (!isDeepStrictEqual(identityOf(kubeconfig), identityOf(current.kubeconfig))) current = open(kubeconfig)
  }
  const transport: Transport = async (request) => {
    const used = current
    const outcome = await attempt(used.connection.transport, request)
    if (!outcome.isRefused) return outcome.result()
    reading ??= readOnce().finally(() => {
      reading = undefined
    })
    await reading
    return current === used ? outcome.result() : current.connection.transport(request)
  }
  const close = async () => {
    await Promise.all(opened.map((connection) => connection.close()))
  }
  return { transport, close }
}

/** A refused request was not carried out, so that it may be sent again. */
async function attempt(transport: Transport, request: Request): Promise<{ isRefused: boolean; result(): Answer }> {
  try {
    const answer = await transport(request)
    return { isRefused: answer.status === 401, result: () => answer }
  } catch (error) {
    const isRefused = error instanceof TransportError && error.kind === 'certificate'
    if (!isRefused) throw error
    return {
      isRefused,
      result: () => {
        throw error
      },
    }
  }
}

/** Everything that decides which server the connection trusts and what it sends, except for what a token source renews by itself. */
function identityOf({ server, tls, token }: Kubeconfig) {
  return { server, tls, token: token.kind === 'plugin' ? token.first.token : token }
}
