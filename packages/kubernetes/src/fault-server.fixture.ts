// A small API server for tests of the client and its reflector. It serves one kind as plain values and produces faults on request.
// It supports history, pages, streaming lists, bookmarks and timeouts. `objects` holds the current objects. Its time is the given clock.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer, type Request, TransportError } from '@dayfly/kit/http'
import { type Channel, channel } from '@dayfly/kit/queue'

export type Fault =
  /** The server sends this answer immediately and ignores the request. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** The server carries out the request, and the answer is lost. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'refused' }
  /** The server never answers. */
  | { readonly kind: 'hang' }
  /** The stream ends in this way after `afterLines` lines. */
  | {
      readonly kind: 'break'
      readonly afterLines: number
      readonly by: 'reset' | 'end' | 'silence' | 'expired' | 'error' | 'limited'
    }
  /** Every bookmark comes twice, between much older ones, or before the event that it should follow. */
  | { readonly kind: 'bookmarks'; readonly how: 'twice' | 'old' | 'early' }

type Stored = {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion: string }
  readonly [field: string]: unknown
}
type Line = { readonly type: string; readonly object: unknown }

export interface FaultServer {
  readonly objects: Map<string, Stored>
  readonly requests: { readonly at: number; readonly request: Request; readonly kind: 'list' | 'watch' }[]
  put(name: string, fields?: object): void
  remove(name: string): void
  /** Drops the history. The server answers older watches and pages with 410. */
  compact(): void
  /** Chooses the fault for a request, if any. */
  faults: (kind: 'list' | 'watch', request: Request) => Fault | undefined
  streamingOffered: boolean
  /** Whether to repeat an unchanged bookmark. Real servers skip it. */
  bookmarksRepeated: boolean
  readonly handle: (request: Request) => Promise<Answer>
}

const bookmarkMs = 60_000

export function faultServer(clock: Clock): FaultServer {
  let revision = 100
  let compactedBelow = 0
  const history: { readonly revision: number; readonly line: Line }[] = []
  const listeners = new Set<(line: Line) => void>()
  const snapshots = new Map<string, { readonly revision: number; readonly items: readonly Stored[] }>()
  const commit = (type: string, object: Stored) => {
    const line = { type, object }
    history.push({ revision, line })
    for (const listener of [...listeners]) listener(line)
  }
  const stamped = (name: string, fields: object): Stored => ({
    ...fields,
    metadata: { name, namespace: 'ci', resourceVersion: String(++revision) },
  })
  const expired = () =>
    statusAnswer(410, 'Expired', 'The provided continue parameter is too old to display a consistent list result.')

  const list = ({ query }: Request): Answer => {
    const [token = '', from = '0'] = (query['continue'] ?? '').split(':')
    if (token !== '' && Number(token) < compactedBelow) return expired()
    const key = token === '' ? String(revision) : token
    const snapshot = snapshots.get(key) ?? { revision, items: [...server.objects.values()] }
    snapshots.set(key, snapshot)
    const end = Number(from) + Number(query['limit'] ?? snapshot.items.length)
    const next = end < snapshot.items.length ? `${key}:${end}` : ''
    return jsonAnswer(200, {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(snapshot.revision), continue: next },
      items: snapshot.items.slice(Number(from), end),
    })
  }

  const watch = (request: Request, fault: Fault | undefined): Answer => {
    const { query } = request
    const initial = query['sendInitialEvents'] === 'true'
    if (initial && !server.streamingOffered) return statusAnswer(422, 'Invalid', 'sendInitialEvents is forbidden')
    const from = Number(query['resourceVersion'] ?? 0)
    if (!initial && from < compactedBelow) return expired()
    const stop = () => {
      listeners.delete(send)
      for (const timer of timers.splice(0)) timer.cancel()
    }
    const lines = channel<Line>(stop)
    const send = withFault(lines, fault, stop)
    let marked = initial ? 0 : from
    const bookmark = (annotations?: object) => {
      if (revision === marked && !server.bookmarksRepeated) return
      marked = revision
      send({
        type: 'BOOKMARK',
        object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(revision), annotations } },
      })
    }
    const tick = () => {
      bookmark()
      timers[0] = clock.after(bookmarkMs, tick)
    }
    const timeoutMs = Number(query['timeoutSeconds'] ?? 1800) * 1000
    const timers = [
      clock.after(bookmarkMs, tick),
      clock.after(Math.max(0, timeoutMs - 2000), () => bookmark()),
      clock.after(timeoutMs, () => {
        stop()
        lines.close()
      }),
    ]
    request.signal?.addEventListener('abort', () => {
      stop()
      lines.fail(request.signal?.reason)
    })
    if (initial) {
      for (const object of server.objects.values()) send({ type: 'ADDED', object })
      bookmark({ 'k8s.io/initial-events-end': 'true' })
    } else {
      for (const event of history) if (event.revision > from) send(event.line)
    }
    listeners.add(send)
    return { status: 200, headers: {}, body: { kind: 'events', items: lines } }
  }

  const server: FaultServer = {
    objects: new Map(),
    requests: [],
    put: (name, fields = {}) => {
      const type = server.objects.has(name) ? 'MODIFIED' : 'ADDED'
      const object = stamped(name, fields)
      server.objects.set(name, object)
      commit(type, object)
    },
    remove: (name) => {
      if (!server.objects.delete(name)) return
      commit('DELETED', stamped(name, {}))
    },
    compact: () => {
      compactedBelow = ++revision
      history.length = 0
      snapshots.clear()
    },
    faults: () => undefined,
    streamingOffered: true,
    bookmarksRepeated: true,
    handle: async (request) => {
      request.signal?.throwIfAborted()
      const kind = request.query['watch'] === 'true' ? 'watch' : 'list'
      server.requests.push({ at: clock.now(), request, kind })
      const fault = server.faults(kind, request)
      if (fault?.kind === 'answer') return fault.answer
      if (fault?.kind === 'refused') throw new TransportError('connect', 'connection refused')
      if (fault?.kind === 'lost') throw new TransportError('lost', 'connection reset')
      if (fault?.kind === 'hang') return hang(request)
      return kind === 'watch' ? watch(request, fault) : list(request)
    },
  }
  return server
}

export function statusAnswer(
  code: number,
  reason: string,
  message: string,
  more: { readonly details?: object; readonly headers?: Readonly<Record<string, string>> } = {},
): Answer {
  return jsonAnswer(code, statusObject(code, reason, message, more.details), more.headers)
}

function statusObject(code: number, reason: string, message: string, details?: object): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code }
}

function hang(request: Request): Promise<Answer> {
  return new Promise((_, reject) => {
    request.signal?.addEventListener('abort', () => reject(request.signal?.reason))
  })
}

/** Returns the function that passes the server's lines to the client, with the fault. */
function withFault(lines: Channel<Line>, fault: Fault | undefined, stop: () => void): (line: Line) => void {
  if (fault?.kind === 'break') return breaking(lines, fault, stop)
  if (fault?.kind === 'bookmarks') return misplacing(lines, fault.how)
  return lines.push
}

function breaking(lines: Channel<Line>, fault: Fault & { kind: 'break' }, stop: () => void): (line: Line) => void {
  let left = fault.afterLines
  const end = () => {
    stop()
    if (fault.by === 'silence') return
    if (fault.by === 'reset') lines.fail(new TransportError('lost', 'connection reset'))
    const error = breakErrors[fault.by]
    if (error) lines.push({ type: 'ERROR', object: error })
    lines.close()
  }
  if (left === 0) queueMicrotask(end)
  return (line) => {
    if (left === 0) return
    lines.push(line)
    if (--left === 0) end()
  }
}

const breakErrors: Readonly<Record<string, object>> = {
  expired: statusObject(410, 'Expired', 'too old resource version'),
  error: statusObject(500, 'InternalError', 'broken'),
  limited: statusObject(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 3 }),
}

function misplacing(lines: Channel<Line>, how: 'twice' | 'old' | 'early'): (line: Line) => void {
  return (line) => {
    const mark = line.type === 'BOOKMARK'
    const early = how === 'early' && !mark ? [bookmarkOf((line.object as Stored).metadata.resourceVersion)] : []
    const around = how === 'old' && mark ? [bookmarkOf('1')] : []
    const again = how === 'twice' && mark ? [line] : []
    for (const item of [...early, ...around, line, ...again, ...around]) lines.push(item)
  }
}

function bookmarkOf(resourceVersion: string): Line {
  return { type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion } } }
}
