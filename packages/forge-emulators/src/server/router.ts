// Finds the route of a request. A trailing slash and double slashes are ignored, because clients send both.
import { type Answer, type Method, noBody, type Request } from '@dayfly/kit/http'

export type Call = {
  readonly request: Request
  /** The decoded values of the pattern's `:names`. */
  readonly params: Readonly<Record<string, string>>
  /** The JSON of the request's body; undefined if there is none. */
  readonly body: unknown
  /** The address that the client used, without a trailing slash. Links in responses begin with it. */
  readonly origin: string
}

export type Route = {
  readonly method: Method
  /** The path pattern, for example `/tenant/:tenant/sessions/:session`. */
  readonly pattern: string
  readonly run: (call: Call) => Answer | Promise<Answer>
}

export function emptyAnswer(status: number): Answer {
  return { status, headers: {}, body: noBody }
}

/** Returns undefined for a request without a route. */
export type Routing = (request: Request) => Promise<Answer> | undefined

export function createRouter(routes: readonly Route[], site: Site): Routing {
  const compiled = routes.map((route) => ({ ...route, parts: route.pattern.split('/').filter(Boolean) }))
  return (request) => {
    const parts = request.path.split('/').filter(Boolean)
    for (const route of compiled) {
      const params = route.method === request.method ? paramsOf(route.parts, parts) : undefined
      if (params) return runRoute(route, request, { params, origin: originOf(request, site) })
    }
    return undefined
  }
}

/** Returns the methods that the routes accept at the path, in their order. */
export function methodsAt(routes: readonly Route[], path: string): readonly Method[] {
  const parts = path.split('/').filter(Boolean)
  const matching = routes.filter(({ pattern }) => paramsOf(pattern.split('/').filter(Boolean), parts))
  return [...new Set(matching.map(({ method }) => method))]
}

/** The parts of the server's address that a request does not show. */
export type Site = { readonly scheme: () => 'http' | 'https'; readonly path: () => string }

async function runRoute(route: Route, request: Request, found: Pick<Call, 'params' | 'origin'>): Promise<Answer> {
  const { body } = request
  return route.run({ request, ...found, body: body.kind === 'json' ? body.value : undefined })
}

function originOf({ headers, origin }: Request, { scheme, path }: Site): string {
  const server = headers['host'] ? `${scheme()}://${headers['host']}` : (origin ?? 'http://127.0.0.1')
  return `${server}${path()}`
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? ''
    if (expected.startsWith(':')) params[expected.slice(1)] = decodePart(part)
    else if (expected !== part) return undefined
  }
  return params
}

/** Decodes a part of a path. Returns it unchanged if the encoding is not valid. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
