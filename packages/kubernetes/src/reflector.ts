// Keeps a cache of one kind up to date: it lists, watches, and starts again after every failure.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock, Instant } from '@dayfly/kit/clock'
import { type Transport, TransportError } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { linkSignals } from '@dayfly/kit/signals'
import { KubernetesError } from './errors.ts'
import { readPages, selectorQuery } from './pages.ts'
import { createPosition, type Position } from './position.ts'
import { createSend } from './send.ts'
import type { KubeObject, Resource } from './types.ts'
import { type WatchEvent, type WatchOptions, watch } from './watch.ts'

/** Receives every change in order. Its methods must neither throw nor wait. */
export interface ReflectorSink<T> {
  /** Receives a complete list: an object that is missing from it does not exist. `askedAt` is the time of its first request. */
  replaced(items: readonly T[], askedAt: Instant): void
  changed(item: T): void
  removed(item: T): void
  /** Reports an event or a bookmark: the cache is up to date at this time. */
  progressed(at: Instant): void
  /** Reports a broken watch. The cache may be out of date from `since` on, until `progressed` or `replaced`. */
  stale(since: Instant, why: string, error: unknown): void
}

export type ReflectorOptions<T> = {
  readonly transport: Transport
  readonly resource: Resource
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Reduces an object to the fields that the caller uses, which saves memory. */
  readonly project: (object: KubeObject) => T
  /** Keys whose arrays and objects `project` never reads. They arrive empty, which saves half of the time to parse a pod. */
  readonly unread?: readonly string[] | undefined
  readonly sink: ReflectorSink<T>
  readonly clock: Clock
  readonly random: Random
  readonly userAgent?: string | undefined
}

export interface Reflector {
  /** Runs until the signal is aborted, and then resolves. Never rejects. */
  run(until: AbortSignal): Promise<void>
  /** Drops the open stream and requests a complete list. From now on the sink receives nothing that was requested earlier. */
  relist(): void
}

export function createReflector<T>(options: ReflectorOptions<T>): Reflector {
  let relisted = new AbortController()
  return {
    relist: () => relisted.abort(),
    run: (until) => {
      const round = () => {
        if (relisted.signal.aborted) relisted = new AbortController()
        return relisted.signal
      }
      return reflect(options, round, until)
    },
  }
}

/** Runs a reflector that nobody asks for a second list. */
export function runReflector<T>(options: ReflectorOptions<T>, until: AbortSignal): Promise<void> {
  return createReflector(options).run(until)
}

/** @param round returns the signal that ends this round with a new list; a fresh one if the last is aborted */
async function reflect<T>(options: ReflectorOptions<T>, round: () => AbortSignal, until: AbortSignal): Promise<void> {
  const state: State = { position: undefined, streaming: 'yes', aliveAt: options.clock.now(), inDoubt: false }
  let failures = 0
  while (!until.aborted) {
    const relisted = round()
    const link = linkSignals(until, relisted)
    failures = await attemptOnce(options, state, failures, link.signal)
    link.dispose()
    if (relisted.aborted) state.position = undefined
  }
}

/** Follows one stream to its end, and pauses after a failure. Returns the number of failures in a row. */
async function attemptOnce<T>(
  options: ReflectorOptions<T>,
  state: State,
  failures: number,
  until: AbortSignal,
): Promise<number> {
  const { clock, random, sink } = options
  const attempt: Attempt = {
    askedAt: clock.now(),
    openedAt: undefined,
    events: 0,
    timeoutSeconds: timeoutOf(state, random),
  }
  try {
    if (!state.position && state.streaming !== 'yes') await listInPages(options, state, until)
    await follow(options, state, attempt, until)
    if (!lastedAsRequested(attempt, clock.now()))
      throw new KubernetesError('unavailable', 'the API server ended the watch early')
    if (state.inDoubt) state.position = undefined
    return 0
  } catch (error) {
    if (until.aborted) return failures
    if (isStreamingRefused(error, state)) {
      state.streaming = 'never'
      return failures
    }
    const inRow = wasBusy(attempt) || wasStable(attempt, clock.now()) ? 1 : failures + 1
    afterFailure(error, state, attempt)
    sink.stale(state.aliveAt, error instanceof Error ? error.message : String(error), error)
    await clock.sleep(pauseMs(error, inRow, options), until).catch(() => undefined)
    return inRow
  }
}

type State = {
  /** The position from which to continue the watch. If undefined, a new list is needed. */
  position: Position | undefined
  /** Whether to request the next list as a stream. A stream needs a sixth of the memory of pages, but not every server supports it. */
  streaming: 'yes' | 'not-now' | 'never'
  /** The time of the last event, bookmark or list. */
  aliveAt: Instant
  /** True after a failure, until an event or a list shows that the cache is up to date again. */
  inDoubt: boolean
}

type Attempt = {
  readonly askedAt: Instant
  openedAt: Instant | undefined
  /** The number of events that it delivered. */
  events: number
  readonly timeoutSeconds: number
}

const backoff = { baseMs: 500, capMs: 30_000 }
/** A stream that lived this long ends a series of failures. */
const stableMsMin = 30_000
/** A stream with this many events ends a series of failures, too. A busy server ends watches that it cannot write fast enough, again and again. */
const busyEventsMin = 20
/** A healthy server sends a bookmark about every minute (https://github.com/kubernetes/kubernetes/pull/90249). */
const silenceMsMax = 170_000
/** A healthy server sends the initial events without pauses. */
const initialSilenceMsMax = 30_000
/** The maximum wait that a server may ask for. */
const retryAfterMsMax = 300_000
/** The range for the length of a watch. Like in client-go, a random length spreads the clients over the API servers. */
const watchSeconds = { low: 300, high: 600 }
/**
 * The length of the first watch after a failure. An event or a bookmark in it proves that no event was missed. A quiet server sends neither,
 * because it never repeats a bookmark. Then a new list follows, so the cache is in doubt for a few seconds only.
 */
const watchSecondsAfterFailure = 5

function timeoutOf(state: State, random: Random): number {
  return state.inDoubt && state.position
    ? watchSecondsAfterFailure
    : randomInteger(random, watchSeconds.low, watchSeconds.high)
}

/** Reads the list page by page and projects each page before the next. The sink receives the list after the last page. */
async function listInPages<T>(options: ReflectorOptions<T>, state: State, until: AbortSignal): Promise<void> {
  const { clock, project } = options
  const send = createSend(options)
  const askedAt = clock.now()
  const items: T[] = []
  let resourceVersion = ''
  for await (const page of readPages(send, options.resource, { ...options, signal: until })) {
    for (const object of page.items) items.push(project(object))
    resourceVersion = page.resourceVersion
  }
  until.throwIfAborted()
  replaceAll(options, state, { items, askedAt, resourceVersion })
}

/** Runs one watch to its end. Without a position it begins with the whole list, which the sink receives after its last event. */
async function follow<T>(
  options: ReflectorOptions<T>,
  state: State,
  attempt: Attempt,
  until: AbortSignal,
): Promise<void> {
  const { clock, project, sink } = options
  let initial = state.position ? undefined : new Map<string, T>()
  for await (const event of watch(watchOptions(options, state, attempt), until)) {
    until.throwIfAborted()
    if (initial) {
      if (event.type !== 'BOOKMARK') collect(initial, event, project)
      else if (event.initialEventsEnd) {
        const { resourceVersion } = event
        replaceAll(options, state, { items: [...initial.values()], askedAt: attempt.askedAt, resourceVersion })
        initial = undefined
      }
      continue
    }
    if (event.type === 'BOOKMARK') state.position?.bookmark(event.resourceVersion)
    else {
      if (event.type === 'DELETED') sink.removed(project(event.object))
      else sink.changed(project(event.object))
      state.position?.event(event.object.metadata.resourceVersion ?? '')
      attempt.events++
    }
    state.aliveAt = clock.now()
    state.inDoubt = false
    sink.progressed(state.aliveAt)
  }
  if (initial) throw new KubernetesError('unavailable', 'the API server ended the list early')
  state.position?.ended()
}

function watchOptions<T>(options: ReflectorOptions<T>, state: State, attempt: Attempt): WatchOptions {
  const start: Record<string, string> = state.position
    ? { resourceVersion: state.position.resourceVersion }
    : { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
  return {
    transport: options.transport,
    clock: options.clock,
    userAgent: options.userAgent,
    resource: options.resource,
    namespace: options.namespace,
    unread: options.unread,
    query: { ...selectorQuery(options), ...start, timeoutSeconds: String(attempt.timeoutSeconds) },
    silenceMsMax: () => (state.position ? silenceMsMax : initialSilenceMsMax),
    onOpen: () => {
      attempt.openedAt = options.clock.now()
    },
  }
}

function collect<T>(
  initial: Map<string, T>,
  event: Exclude<WatchEvent, { type: 'BOOKMARK' }>,
  project: (object: KubeObject) => T,
): void {
  const { namespace, name } = event.object.metadata
  const key = `${namespace ?? ''}/${name}`
  if (event.type === 'DELETED') initial.delete(key)
  else initial.set(key, project(event.object))
}

function replaceAll<T>(
  { sink, clock }: ReflectorOptions<T>,
  state: State,
  list: { readonly items: readonly T[]; readonly askedAt: Instant; readonly resourceVersion: string },
): void {
  // The answer may have shown that the clock was ahead. With a date in the future, all that is seen until then would look older than this list.
  const askedAt = Math.min(list.askedAt, clock.now())
  state.position = createPosition(list.resourceVersion)
  state.aliveAt = askedAt
  state.inDoubt = false
  if (state.streaming === 'not-now') state.streaming = 'yes'
  sink.replaced(list.items, askedAt)
}

function afterFailure(error: unknown, state: State, attempt: Attempt): void {
  state.inDoubt = true
  if (state.position === undefined) {
    if (state.streaming === 'yes' && attempt.openedAt !== undefined) state.streaming = 'not-now'
  } else if (error instanceof KubernetesError && isPositionUseless(error, attempt)) state.position = undefined
}

/**
 * Returns whether the position is useless: it is too old or refused, the stream reported a permanent error, or the stream was silent.
 * A server that was restored to an older state is silent about a position that it has not reached yet.
 */
function isPositionUseless({ kind, status, cause }: KubernetesError, { openedAt }: Attempt): boolean {
  if (['expired', 'bad-request', 'invalid', 'not-found'].includes(kind)) return true
  if (openedAt === undefined || kind === 'rate-limited') return false
  return status > 0 || (cause instanceof TransportError && cause.kind === 'timeout')
}

/** Returns whether the server cannot stream a list. Kubernetes 1.27 and later answers 422, other servers 400. */
function isStreamingRefused(error: unknown, state: State): boolean {
  if (state.position || state.streaming !== 'yes') return false
  return error instanceof KubernetesError && (error.kind === 'invalid' || error.kind === 'bad-request')
}

function lastedAsRequested(attempt: Attempt, now: Instant): boolean {
  return wasStable(attempt, now) || now - attempt.askedAt >= attempt.timeoutSeconds * 800
}

function wasBusy({ events }: Attempt): boolean {
  return events >= busyEventsMin
}

function wasStable({ openedAt }: Attempt, now: Instant): boolean {
  return openedAt !== undefined && now - openedAt >= stableMsMin
}

function pauseMs<T>(error: unknown, failures: number, { clock, random }: ReflectorOptions<T>): number {
  const waitMs = backoffMs(backoff, failures, random)
  const retryAt = error instanceof KubernetesError ? error.retryAt : undefined
  return retryAt === undefined ? waitMs : Math.min(retryAfterMsMax, Math.max(0, retryAt - clock.now())) + waitMs
}
