// The ordered log of requests and their status. Secrets are replaced when the log is read.
import type { Instant } from '@dayfly/kit/clock'
import type { Request } from '@dayfly/kit/http'

export type LoggedRequest = {
  /** The number of the request, from 1. */
  readonly n: number
  readonly at: Instant
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** The request's JSON, unless the forge keeps it out of the log. */
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

/** Hides the secrets of a forge from its log. */
export type Redaction = {
  /** Returns the text without the forge's secrets. */
  readonly text: (text: string) => string
  /** Returns the header `authorization` without its secret. */
  readonly authorization: (header: string) => string
  /** Whether the bodies of this path stay out of the log. */
  readonly hidesBody: (path: string) => boolean
}

const loggedRequestsMax = 5_000
const shownHeaders = ['authorization', 'accept', 'content-type', 'user-agent', 'x-scalesetmaxcapacity']

export function createRequestLog(redaction: Redaction): RequestLog {
  type Entry = { -readonly [Name in keyof LoggedRequest]: LoggedRequest[Name] }
  let entries: Entry[] = []
  let last = 0
  return {
    begin: ({ method, path, query, headers, body }, at) => {
      const shown: Record<string, string> = {}
      for (const name of shownHeaders) if (headers[name] !== undefined) shown[name] = headers[name]
      const value = body.kind === 'json' && !redaction.hidesBody(path) ? body.value : undefined
      const entry: Entry = { n: ++last, at, method, path, query, headers: shown, body: value, status: undefined }
      entries.push(entry)
      if (entries.length > 2 * loggedRequestsMax) entries = entries.slice(-loggedRequestsMax)
      return (status) => {
        entry.status = status
      }
    },
    since: (n) => entries.filter((entry) => entry.n > n).map((entry) => redacted(entry, redaction)),
    clear: () => {
      entries = []
    },
  }
}

function redacted(entry: LoggedRequest, redaction: Redaction): LoggedRequest {
  const { authorization, ...headers } = entry.headers
  const body = entry.body === undefined ? undefined : JSON.parse(redaction.text(JSON.stringify(entry.body)))
  const shown = authorization === undefined ? {} : { authorization: redaction.authorization(authorization) }
  return { ...entry, headers: { ...shown, ...headers }, body }
}
