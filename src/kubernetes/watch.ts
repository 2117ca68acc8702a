// One watch: events until the stream ends. It throws what ends it otherwise, and counts silence as an end: a connection that
// nobody answers any more looks just like a quiet one, but a living API server sends a bookmark about every minute.
import type { Clock } from '../lib/clock.ts'
import { type Answer, type Transport, TransportError } from '../lib/http.ts'
import { linkSignals } from '../lib/signals.ts'
import { asRecord, parseObject } from './parse.ts'
import { collectionPath } from './path.ts'
import { errorOfAnswer, errorOfEvent, errorOfNonsense, errorOfTransport } from './refusal.ts'
import { standardHeaders } from './send.ts'
import type { KubeObject, Resource } from './types.ts'

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }

export type WatchOptions = {
  readonly transport: Transport
  readonly clock: Clock
  readonly userAgent: string | undefined
  readonly resource: Resource
  readonly namespace: string | undefined
  readonly query: Readonly<Record<string, string>>
  readonly unread: readonly string[] | undefined
  /** The stream is given up after this long without a line, in milliseconds; asked again whenever the time seems to be over. */
  readonly silenceMsMax: () => number
  /** Told as soon as the server has accepted the watch. */
  readonly onOpen: () => void
}

/** Ends when the server ends the stream in good order; throws a KubernetesError (also for an ERROR event), or the signal's reason. */
export async function* watch(options: WatchOptions, until: AbortSignal): AsyncGenerator<WatchEvent> {
  const { clock, resource } = options
  const link = linkSignals(until)
  const quiet = watchSilence(clock, options.silenceMsMax, () =>
    link.abort(new TransportError('timeout', `no sign of life for ${options.silenceMsMax() / 1000} s`)),
  )
  try {
    until.throwIfAborted()
    const answer = await open(options, link.signal)
    if (answer.status >= 400) throw errorOfAnswer(answer, false, clock.now())
    if (answer.body.kind !== 'events')
      throw errorOfNonsense(`the API server answered ${answer.status} without a stream`, false)
    options.onOpen()
    for await (const line of answer.body.items) {
      quiet.heard()
      yield parseEvent(line, resource, clock)
    }
    // A stream that ended because it was cut from our side did not end in good order.
    link.signal.throwIfAborted()
  } catch (error) {
    throw error instanceof TransportError ? errorOfTransport(error, false) : error
  } finally {
    quiet.stop()
    link.abort()
    link.dispose()
  }
}

function open(options: WatchOptions, signal: AbortSignal): Promise<Answer> {
  return options.transport({
    method: 'GET',
    path: collectionPath(options.resource, options.namespace),
    query: { watch: 'true', allowWatchBookmarks: 'true', ...options.query },
    headers: standardHeaders(options.userAgent),
    body: { kind: 'none' },
    expect: 'events',
    unread: options.unread,
    signal,
  })
}

function parseEvent(line: unknown, resource: Resource, clock: Clock): WatchEvent {
  const event = asRecord(line)
  const type = event?.['type']
  const object = event?.['object']
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    const parsed = parseObject(object, resource)
    if (parsed?.metadata.resourceVersion) return { type, object: parsed }
  } else if (type === 'BOOKMARK') {
    const metadata = asRecord(asRecord(object)?.['metadata'])
    const resourceVersion = metadata?.['resourceVersion']
    const initialEventsEnd = asRecord(metadata?.['annotations'])?.['k8s.io/initial-events-end'] === 'true'
    if (typeof resourceVersion === 'string' && resourceVersion !== '')
      return { type, resourceVersion, initialEventsEnd }
  } else if (type === 'ERROR') {
    throw errorOfEvent(object, clock.now())
  }
  throw errorOfNonsense(`the watch sent what is no event: ${JSON.stringify(line)?.slice(0, 80)}`, false)
}

/** Calls `tooLong` after `limitMs` without `heard`. One timer for the whole stream, not one an event. */
function watchSilence(clock: Clock, limitMs: () => number, tooLong: () => void) {
  let heardAt = clock.now()
  const check = () => {
    const leftMs = heardAt + limitMs() - clock.now()
    if (leftMs <= 0) tooLong()
    else timer = clock.after(leftMs, check)
  }
  let timer = clock.after(limitMs(), check)
  return {
    heard: () => {
      heardAt = clock.now()
    },
    stop: () => timer.cancel(),
  }
}
