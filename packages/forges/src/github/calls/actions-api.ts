// Calls the Actions service by its conventions for paths, tokens, versions and errors
// (docs/reference/scale-set-protocol.md#s4).
import { type Answer, jsonBody, type Method, noBody, type Request } from '@dayfly/kit/http'
import type { AdminConnection, AdminTokens } from '../credentials/tokens.ts'
import { errorFromAnswer, type StatusMeaning } from './errors.ts'
import { type Net, type RetryPolicy, send, standardPolicy } from './retry.ts'

export type ServiceCall = {
  readonly method: Method
  /** The path below the service's base address. Begins with a slash, is percent-encoded, may have a query. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** Sent instead of the admin token. */
  readonly token?: string
  readonly policy?: RetryPolicy
  readonly meaning?: StatusMeaning
}

/** A response with status 2xx. `value` is undefined if the body is not JSON. */
export type Reply = Pick<Answer, 'status' | 'headers'> & { readonly value: unknown }

export interface ActionsService {
  readonly net: Net
  userAgent(): string
  /** Rejects with a `GitHubError` for any status but 2xx. */
  call(call: ServiceCall): Promise<Reply>
}

/** Calls `userAgent` for each request: it names the scale set as soon as there is one. */
export function actionsService(net: Net, tokens: AdminTokens, userAgent: () => string): ActionsService {
  const call = async (call: ServiceCall): Promise<Reply> => {
    const policy = call.policy ?? standardPolicy
    for (let round = 1; ; round++) {
      const connection = await tokens.connection(policy, call.signal)
      const request = requestTo(connection, call, userAgent())
      const answer = await send(net, request, policy)
      if (answer.status >= 200 && answer.status < 300) return asReply(answer)
      const refused = answer.status === 401 && call.token === undefined
      if (!refused || round > 1) throw errorFromAnswer(request, answer, net.clock.now(), call.meaning)
      tokens.refuse(connection)
    }
  }
  return { net, userAgent, call }
}

function asReply({ status, headers, body }: Answer): Reply {
  return { status, headers, value: body.kind === 'json' ? body.value : undefined }
}

function requestTo(connection: AdminConnection, call: ServiceCall, userAgent: string): Request {
  const { base } = connection
  const [path = '', search = ''] = call.path.split('?', 2)
  return {
    method: call.method,
    origin: base.origin,
    path: `${base.pathname.replace(/\/+$/, '')}${path}`,
    query: {
      'api-version': '6.0-preview',
      ...Object.fromEntries(base.searchParams),
      ...Object.fromEntries(new URLSearchParams(search)),
      ...call.query,
    },
    headers: {
      authorization: `Bearer ${call.token ?? connection.token}`,
      'content-type': 'application/json',
      'user-agent': userAgent,
    },
    body: call.body === undefined ? noBody : jsonBody(call.body),
    expect: 'whole',
    signal: call.signal,
  }
}
