// Serialises a request of the HTTP client as text, with the query and the body.
import type { Request } from './http.ts'
import type { Server } from './http-open.ts'

/** Throws an `Error` for a character that HTTP cannot send. */
export function requestText(request: Request, { host, line }: Server): string {
  const path = `${line?.prefix ?? ''}${pathOf(request)}`
  if (/[^\x21-\x7e]/.test(path)) throw new Error('the path has a character that HTTP cannot send')
  const { headers, text } = encodeBody(request)
  const connection = request.expect === 'whole' ? 'keep-alive' : 'close'
  let head = `${request.method} ${path} HTTP/1.1\r\n`
  // A request that a proxy passes on may have a host and a connection of its own.
  for (const [name, value] of Object.entries({ host, ...headers, ...line?.headers, connection })) {
    head += headerLine(name, value)
  }
  return `${head}\r\n${text}`
}

function headerLine(name: string, value: string): string {
  const line = `${name}: ${value}`
  // A line break would begin another header. The value may be a secret, so that the message does not show it.
  if (!/^[\w!#$%&'*+.^`|~-]+: [\t\x20-\x7e]*$/.test(line)) {
    throw new Error(`the header ${JSON.stringify(name)} has a character that HTTP cannot send`)
  }
  return `${line}\r\n`
}

function pathOf({ path, search, query, repeated = {} }: Request): string {
  const entries = Object.entries(query)
  if (entries.length === 0) return search ? `${path}?${search}` : path
  const pairs = entries.flatMap(([name, value]) => {
    const all = Object.hasOwn(repeated, name) ? repeated[name] : undefined
    return (all ?? [value]).map((one): [string, string] => [name, one])
  })
  const encoded = new URLSearchParams(pairs).toString()
  return `${path}?${search ? `${search}&${encoded}` : encoded}`
}

function encodeBody({ method, headers: given, body }: Request): {
  readonly headers: Record<string, string>
  readonly text: string
} {
  const { 'transfer-encoding': _, ...headers }: Record<string, string> = given
  if (body.kind === 'json') headers['content-type'] ??= 'application/json'
  const text = body.kind === 'json' ? JSON.stringify(body.value) : body.kind === 'text' ? body.text : ''
  const hasBody = body.kind === 'json' || body.kind === 'text'
  if (hasBody || (method !== 'GET' && method !== 'HEAD')) headers['content-length'] = String(Buffer.byteLength(text))
  return { headers, text }
}
