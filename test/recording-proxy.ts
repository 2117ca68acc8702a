// Between the doctor and an API server: every request is written down with its answer, and a test may hold one back or answer in the server's place.
import { type Endpoint, openEndpoint } from '../src/embedded/wire/endpoint.ts'
import { type Answer, jsonAnswer, type Request, type Transport } from '../src/lib/http.ts'
import { systemClock } from '../src/lib/system.ts'

/** `review`: what the asker may do, `trial`: a change that is only tried (dryRun=All), `event`: tells of a change. */
export type Purpose = 'read' | 'review' | 'trial' | 'event' | 'change'

export type Exchange = {
  readonly request: Request
  readonly purpose: Purpose
  /** Undefined until it has been answered. */
  status: number | undefined
}

/** What happens to a request; `pass` gives the API server's own answer. */
export type Between = (exchange: Exchange, pass: () => Promise<Answer>) => Promise<Answer>

export interface RecordingProxy {
  readonly endpoint: Endpoint
  readonly exchanges: readonly Exchange[]
  /** Passes everything on unless set. */
  between: Between
  /** The n-th request of this purpose, counted from 1 and from now. */
  hold(purpose: Purpose, nth: number): Held
}

/** A request that waits. */
export interface Held {
  /** Resolves when it has come. */
  readonly came: Promise<Exchange>
  /** Lets it go on. */
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

/** The answer of a server whose connection broke: the client gets nothing that it can use. */
export const broken: Answer = { status: 200, headers: {}, body: { kind: 'cut', text: '' } }

/** As an API server refuses. */
export function refusal(code: number, reason: string, message: string, headers: Readonly<Record<string, string>> = {}) {
  return jsonAnswer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message }, headers)
}

/** As `delete pods/name`: what was asked for, in the words of a Role. */
export function sayRequest({ request }: Exchange): string {
  const { verb, resource, name } = accessOf(request)
  return `${verb} ${resource}${name === '' ? '' : `/${name}`}`
}

export type RequestedAccess = { readonly verb: string; readonly resource: string; readonly name: string }

/** What a Role must allow for this request; `resource` as `jobs.batch` or `pods/log`. Kubernetes: request attributes, of resources alone. */
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
