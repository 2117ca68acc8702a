// Calls Gitea's runner service by JSON, which its RPC accepts for every method.
import type { Connection, Reply } from '../connection.ts'

export type RpcAnswer =
  | { readonly is: 'answered'; readonly value: Reply['value'] }
  /** The registration is gone: the server deleted the runner, also because its task ended. */
  | { readonly is: 'unregistered'; readonly why: string }
  /** The server did not do what was asked. */
  | { readonly is: 'failed'; readonly why: string }
  /** The server may have done what was asked. */
  | { readonly is: 'lost'; readonly why: string }

export type Method = 'Declare' | 'FetchTask' | 'UpdateTask' | 'UpdateLog'

/** Calls one method. Never rejects. */
export type Rpc = (method: Method, message: object, options?: RpcOptions) => Promise<RpcAnswer>

type RpcOptions = { readonly timeoutMs?: number; readonly signal?: AbortSignal }

/** The path of the service, below the address of Gitea. */
const servicePath = 'api/actions/runner.v1.RunnerService/'

export function createRpc(connection: Connection): Rpc {
  return async (method, message, options) => {
    try {
      return judge(await connection.call('POST', `${servicePath}${method}`, { ...options, body: message }))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const isUnsent = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
      return { is: isUnsent ? 'failed' : 'lost', why }
    }
  }
}

/** The server writes its status only into the sentence: a refusal has the same status as an error of its database. */
function judge({ status, value }: Reply): RpcAnswer {
  if (status === 200) return { is: 'answered', value }
  const { code, message } = value
  const why = typeof message === 'string' ? message : `status ${status}`
  if (/Unauthenticated|unregistered runner/.test(why)) return { is: 'unregistered', why }
  // A proxy has no code of the service, and may have given up waiting for the server.
  return { is: typeof code === 'string' ? 'failed' : 'lost', why }
}
