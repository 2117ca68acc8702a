// Runs one watch until its stream ends. Silence counts as a failure: a dead connection looks like a quiet one, but a healthy API server
// sends a bookmark about every minute.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, type Transport, TransportError } from '@dayfly/kit/http'
import { asJsonObject } from '@dayfly/kit/read-json'
import { linkSignals } from '@dayfly/kit/signals'
import { parseObject } from './parse.ts'
import { collectionPath } from './path.ts'
import { errorOfAnswer, errorOfBadAnswer, errorOfEvent, errorOfTransport } from './refusal.ts'
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
  /** Returns the maximum silence, in milliseconds. The watch calls it again each time that the limit seems to be reached. */
  readonly silenceMsMax: () => number
  /** Called as soon as the server has accepted the watch. */
  readonly onOpen: () => void
}

/** Yields events until the server ends the stream properly. Throws a KubernetesError (also for an ERROR event) or the signal's reason. */
export async function* watch(options: WatchOptions, until: AbortSignal): AsyncGenerator<WatchEvent> {
  const { clock, resource } = options
  const link = linkSignals(until)
  const quiet = watchSilence(clock, options.silenceMsMax, () =>
    link.abort(new TransportError('timeout', `no event or bookmark for ${options.silenceMsMax() / 1000} s`)),
  )
  try {
    until.throwIfAborted()
    const answer = await open(options, link.signal)
    if (answer.status >= 400) throw errorOfAnswer(answer, false, clock.now())
    if (answer.body.kind !== 'events')
      throw errorOfBadAnswer(`the API server answered ${answer.status} without a stream`, false)
    options.onOpen()
    for await (const line of answer.body.items) {
      quiet.heard()
      yield parseEvent(line, resource, clock)
    }
    // If this side aborted the stream, it did not end properly.
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
  const event = asJsonObject(line)
  const type = event?.['type']
  const object = event?.['object']
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    const parsed = parseObject(object, resource)
    if (parsed?.metadata.resourceVersion) return { type, object: parsed }
  } else if (type === 'BOOKMARK') {
    const metadata = asJsonObject(asJsonObject(object)?.['metadata'])
    const resourceVersion = metadata?.['resourceVersion']
    const initialEventsEnd = asJsonObject(metadata?.['annotations'])?.['k8s.io/initial-events-end'] === 'true'
    if (typeof resourceVersion === 'string' && resourceVersion !== '')
      return { type, resourceVersion, initialEventsEnd }
  } else if (type === 'ERROR') {
    throw errorOfEvent(object, clock.now())
  }
  throw errorOfBadAnswer(`the watch sent an invalid event: ${JSON.stringify(line)?.slice(0, 80)}`, false)
}

/** Calls `tooLong` after `limitMs` without a call of `heard`. It uses one timer for the whole stream, not one for each event. */
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
