// The ordered log of requests and their status. Tokens are replaced by their kind when the log is read.
import type { Instant } from '../../lib/clock.ts'
import type { Request } from '../../lib/http.ts'
import { limits } from './config.ts'
import type { Tokens } from './tokens.ts'

export type LoggedRequest = {
  /** The number of the request, from 1. */
  readonly n: number
  readonly at: Instant
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** The request's JSON; not logged for the runner API. */
  readonly body: unknown
  /** The status of the response; undefined while the request is held, `broken` if no complete response was sent. */
  readonly status: number | 'broken' | undefined
}

export interface RequestLog {
  /** Logs a request. Returns a function that records its outcome. */
  begin(request: Request, at: Instant): (status: number | 'broken') => void
  /** Returns the requests after number `n`, oldest first. Only the last requests are kept. */
  since(n: number): readonly LoggedRequest[]
  clear(): void
}

const shownHeaders = ['authorization', 'accept', 'content-type', 'user-agent', 'x-scalesetmaxcapacity']

export function createRequestLog(tokens: Tokens): RequestLog {
  type Entry = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] }
  let entries: Entry[] = []
  let last = 0
  return {
    begin: ({ method, path, query, headers, body }, at) => {
      const kept = Object.entries(headers).filter(([name]) => shownHeaders.includes(name))
      const value = body.kind === 'json' && !path.startsWith('/runner/') ? body.value : undefined
      const shown = Object.fromEntries(kept)
      const entry: Entry = { n: ++last, at, method, path, query, headers: shown, body: value, status: undefined }
      entries.push(entry)
      if (entries.length > 2 * limits.loggedRequests) entries = entries.slice(-limits.loggedRequests)
      return (status) => {
        entry.status = status
      }
    },
    since: (n) => entries.filter((entry) => entry.n > n).map((entry) => redacted(entry, tokens)),
    clear: () => {
      entries = []
    },
  }
}

function redacted(entry: LoggedRequest, tokens: Tokens): LoggedRequest {
  const { authorization, ...headers } = entry.headers
  const known = authorization === undefined ? undefined : tokens.redact(authorization)
  const body = entry.body === undefined ? undefined : JSON.parse(tokens.redact(JSON.stringify(entry.body)))
  // A token that the emulator did not issue is a personal access token.
  const shown = known === undefined ? {} : { authorization: known.replace(/ (?!\[).*/, ' [pat]') }
  return { ...entry, headers: { ...shown, ...headers }, body }
}
