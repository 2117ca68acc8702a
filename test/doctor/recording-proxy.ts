// A proxy between the doctor and an API server. It records every request and its status. A test can hold a request back or answer it itself.
import { type Endpoint, openEndpoint } from '@dayfly/cluster/wire/endpoint'
import { type Answer, jsonAnswer, type Request, type Transport } from '@dayfly/kit/http'
import { systemClock } from '@dayfly/kit/system'

/** The purpose of a request. `review`: an access review. `trial`: a change with dryRun=All. `event`: a new Event. */
export type Purpose = 'read' | 'review' | 'trial' | 'event' | 'change'

export type Exchange = {
  readonly request: Request
  readonly purpose: Purpose
  /** The status of the answer. Undefined until the answer arrives. */
  status: number | undefined
}

/** Handles a request. `pass` sends it to the API server. */
export type Between = (exchange: Exchange, pass: () => Promise<Answer>) => Promise<Answer>

export interface RecordingProxy {
  readonly endpoint: Endpoint
  readonly exchanges: readonly Exchange[]
  /** By default, it passes every request to the API server. */
  between: Between
  /** Holds back the n-th request of this purpose, counted from 1 and from now. */
  hold(purpose: Purpose, nth: number): Held
}

/** A request that the proxy holds back. */
interface Held {
  /** Resolves when the request has arrived. */
  readonly came: Promise<Exchange>
  /** Lets the request continue. */
  release(): void
}

export async function recordingProxy(server: Transport): Promise<RecordingProxy> {
  const exchanges: Exchange[] = []
  const endpoint = await openEndpoint(
    async (request) => {
      const exchange: Exchange = { request, purpose: purposeOf(request), status: undefined }
      exchanges.push(exchange)
      const answer = await proxy.between(exchange, () => server(request))
      exchange.status = answer.status
      const { 'transfer-encoding': _, 'content-length': __, ...headers } = answer.headers
      return { ...answer, headers }
    },
    { clock: systemClock() },
  )
  const passOn: Between = (_, pass) => pass()
  const hold = (purpose: Purpose, nth: number): Held => {
    const before = proxy.between
    let left = nth
    let release = () => {}
    const go = new Promise<void>((resolve) => {
      release = resolve
    })
    const came = new Promise<Exchange>((resolve) => {
      proxy.between = async (exchange, pass) => {
        if (exchange.purpose === purpose && --left === 0) {
          resolve(exchange)
          await go
        }
        return await before(exchange, pass)
      }
    })
    return { came, release: () => release() }
  }
  const proxy: RecordingProxy = { endpoint, exchanges, between: passOn, hold }
  return proxy
}

/** The answer of a server whose connection broke. The client cannot use it. */
export const broken: Answer = { status: 200, headers: {}, body: { kind: 'cut', text: '' } }

/** Returns the answer with which an API server refuses a request. */
export function refusal(code: number, reason: string, message: string, headers: Readonly<Record<string, string>> = {}) {
  return jsonAnswer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message }, headers)
}

/** Describes a request in the terms of a Role, for example `delete pods/name`. */
export function sayRequest({ request }: Exchange): string {
  const { verb, resource, name } = accessOf(request)
  return `${verb} ${resource}${name === '' ? '' : `/${name}`}`
}

export type RequestedAccess = { readonly verb: string; readonly resource: string; readonly name: string }

/** Returns the permission that a Role must grant for this request. `resource` looks like `jobs.batch` or `pods/log`. */
export function accessOf({ method, path }: Request): RequestedAccess {
  const parts = path.split('/').slice(1)
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '')
  const rest = parts.slice(group === '' ? 2 : 3)
  const own = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest
  const [plural = '', name = '', below] = own.map(decodeURIComponent)
  const resource = `${below === undefined ? plural : `${plural}/${below}`}${group === '' ? '' : `.${group}`}`
  return { verb: verbs[method] ?? (name === '' ? 'list' : 'get'), resource, name }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

function purposeOf({ method, path, query, body }: Request): Purpose {
  if (method === 'GET' || method === 'HEAD') return 'read'
  if (path.startsWith('/apis/authorization.k8s.io/')) return 'review'
  if (path.endsWith('/events')) return 'event'
  const options = body.kind === 'json' ? (body.value as { readonly dryRun?: readonly string[] }) : {}
  return query['dryRun'] === 'All' || options.dryRun?.includes('All') ? 'trial' : 'change'
}
