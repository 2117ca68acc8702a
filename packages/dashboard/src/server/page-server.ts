// The server of the page: requests to answers. It only reads.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import type { Touched } from '../history/touched.ts'
import type { RunnerDetail } from '../model/details.ts'
import type { Life } from '../model/life.ts'
import type { Entities, EntityKind } from '../model/page-state.ts'
import type { Head } from '../model/set-now.ts'
import { type WindowName, windowMs } from '../model/trends.ts'
import { Board, type Frame, firstVersion } from './board.ts'
import { headSentence, totalsOf } from './head.ts'
import { masked } from './mask.ts'
import type { Scope } from './scope.ts'
import { bytesAnswer, secured } from './security.ts'
import type { Asset, Gate, PastSource, PresentSource, WaitingNow } from './source.ts'
import { changesOf, event } from './stream.ts'

export type PageOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly present: PresentSource
  readonly past: PastSource
  readonly gate: Gate
  /** Returns a file of the page by its path without the first slash. */
  readonly asset: (path: string) => Asset | undefined
  readonly version: string
}

/** How often the entities are compared with the sources while a viewer looks, in milliseconds. */
const refreshMs = 500
/** No viewer looks after so long without a request, in milliseconds. */
const idleMs = 15_000
/** How often they are compared while no viewer looks. */
const idleRefreshMs = 10_000
/** At most so many viewers follow the changes or logs at once. */
const viewersMax = 200
const queryLengthMax = 500

export class PageServer {
  readonly #options: PageOptions
  readonly #board: Board
  readonly #frames = new Map<string, { readonly at: Instant; readonly version: number; readonly frame: Frame }>()
  #timer: Timer | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #viewers = 0

  constructor(options: PageOptions) {
    this.#options = options
    this.#board = new Board(firstVersion(options.random))
    this.#turn()
  }

  /** Answers a request. It never rejects. */
  readonly handle = async (request: Request): Promise<Answer> => secured(await this.#answer(request))

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  async #answer(request: Request): Promise<Answer> {
    const { method, path } = request
    if (method !== 'GET' && method !== 'HEAD') return textAnswer(405, 'This page only reads.\n', { allow: 'GET' })
    if (!path.startsWith('/api/')) return this.#file(request)
    const admission = await this.#options.gate(request)
    if (admission.is === 'refused') {
      const { status, sentence, next } = admission
      return refusal(status, sentence, next)
    }
    this.#keepFresh()
    return this.#api(path.slice('/api/'.length), request, admission.scope)
  }

  #file({ path, headers }: Request): Answer {
    const name = path === '/' ? 'index.html' : path.slice(1)
    const asset = this.#options.asset(name)
    if (!asset) return textAnswer(404, 'There is no such page.\n')
    return bytesAnswer(asset, headers['accept-encoding'] ?? '')
  }

  async #api(name: string, request: Request, scope: Scope): Promise<Answer> {
    const { query, signal } = request
    const { past, clock } = this.#options
    switch (name) {
      case 'snapshot':
        return jsonAnswer(200, this.#board.snapshot(scope, this.#frame(scope, clock.now()), clock.now()))
      case 'changes':
        return this.#changes(scope, query['after'] ?? request.headers['last-event-id'], signal)
      case 'runner':
        return this.#runner(scope, query['id'] ?? '', signal)
      case 'log':
        return this.#log(scope, query['id'] ?? '', signal)
      case 'trends':
      case 'costs': {
        const window = windowOf(query['window'])
        return window === undefined
          ? wrong('The window must be 1h, 24h or 7d.')
          : jsonAnswer(200, name === 'trends' ? past.trends(window, scope) : past.costs(window, scope))
      }
      case 'find':
        return jsonAnswer(200, past.find((query['q'] ?? '').slice(0, queryLengthMax), scope, this.#waiting(scope)))
      default:
        return textAnswer(404, 'There is no such data.\n')
    }
  }

  #changes(scope: Scope, after: string | undefined, signal: AbortSignal | undefined): Answer {
    const version = after !== undefined && /^\d{1,16}$/.test(after) ? Number(after) : undefined
    return this.#stream(signal, (until) =>
      changesOf(
        {
          board: this.#board,
          clock: this.#options.clock,
          scope,
          frame: (now) => {
            this.#askedAt = now
            return this.#frame(scope, now)
          },
          signal: until,
        },
        version,
      ),
    )
  }

  async #runner(scope: Scope, id: string, signal: AbortSignal | undefined): Promise<Answer> {
    const life = this.#life(scope, id)
    if (!life) return noRunner()
    const facts = await this.#options.present.runner(life, signal)
    const { sentences, problem, containers, events, unknown, hasLog } = facts
    const timeline = this.#options.past.timeline(life, facts)
    const detail: RunnerDetail = { life, sentences, problem, timeline, containers, events, unknown, hasLog }
    return jsonAnswer(200, detail)
  }

  #log(scope: Scope, id: string, signal: AbortSignal | undefined): Answer {
    const life = this.#life(scope, id)
    if (!life) return noRunner()
    return this.#stream(signal, (until) => logOf(this.#options.present, life, until))
  }

  #life(scope: Scope, id: string): Life | undefined {
    return scope.sees(id) ? this.#options.past.life(id) : undefined
  }

  #stream(signal: AbortSignal | undefined, open: (until: AbortSignal) => AsyncIterable<string>): Answer {
    if (this.#viewers >= viewersMax) {
      return refusal(503, `${viewersMax} viewers are connected already.`, 'Close another page, and try again.')
    }
    const until = signal ?? new AbortController().signal
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
    return { status: 200, headers, body: { kind: 'bytes', chunks: this.#counted(open(until)) } }
  }

  async *#counted(items: AsyncIterable<string>): AsyncGenerator<string> {
    this.#viewers++
    try {
      yield* items
    } finally {
      this.#viewers--
    }
  }

  /** The head counts what the board shows, and by the second. Each viewer of one scope shares it. */
  #frame(scope: Scope, now: Instant): Frame {
    const known = this.#frames.get(scope.key)
    const { version } = this.#board
    if (known?.version === version && now - known.at < 1_000 && now >= known.at) return known.frame
    const marks = this.#options.past.marks().filter(({ set }) => set === null || scope.sees(set))
    const frame = { head: this.#head(scope, now), marks }
    if (this.#frames.size > viewersMax) this.#frames.clear()
    this.#frames.set(scope.key, { at: now, version, frame })
    return frame
  }

  #head(scope: Scope, now: Instant): Head {
    const { present, past, version } = this.#options
    const sets = [...this.#board.get('sets').values()].filter(({ id }) => scope.sees(id))
    const totals = totalsOf(sets, now)
    const since = past.since() ?? now
    return { ...headSentence(sets, now), totals, health: present.health(scope), since, limits: present.limits, version }
  }

  #waiting(scope: Scope): WaitingNow {
    const sets = this.#board.get('sets')
    const unserved = [...sets.values()].flatMap(({ id, unserved: of }) => (scope.sees(id) ? (of?.jobs ?? []) : []))
    return { whyOf: (set) => sets.get(set)?.why ?? null, unserved }
  }

  /** Compares the board with the sources: often while a viewer looks, and rarely else, so that the first viewer waits for nothing. */
  #keepFresh(): void {
    const { clock } = this.#options
    const wasIdle = clock.now() - this.#askedAt > idleMs
    this.#askedAt = clock.now()
    if (wasIdle) this.#turn()
  }

  #turn(): void {
    const { clock } = this.#options
    this.#timer?.cancel()
    this.#refresh()
    const isIdle = clock.now() - this.#askedAt > idleMs
    this.#timer = clock.after(isIdle ? idleRefreshMs : refreshMs, () => this.#turn())
  }

  #refresh(): void {
    const { present, past } = this.#options
    this.#replace('sets', present.sets())
    this.#followPast(past.touched())
  }

  #followPast({ ids, all }: Touched): void {
    const { past } = this.#options
    if (all) {
      this.#replace('lives', past.lives())
      this.#replace('jobs', past.jobs())
      this.#replace('failures', past.failures())
    }
    for (const id of ids.lives) this.#show('lives', id, past.life(id))
    for (const id of ids.jobs) this.#show('jobs', id, past.job(id))
    for (const id of ids.failures) this.#show('failures', id, past.failure(id))
  }

  #show<Kind extends EntityKind>(kind: Kind, id: string, entity: Entities[Kind] | undefined): void {
    if (entity) this.#board.put(kind, entity)
    else this.#board.remove(kind, id)
  }

  #replace<Kind extends EntityKind>(kind: Kind, entities: Iterable<Entities[Kind]>): void {
    const ids = new Set<string>()
    for (const entity of entities) {
      this.#board.put(kind, entity)
      ids.add(entity.id)
    }
    for (const id of [...this.#board.get(kind).keys()]) if (!ids.has(id)) this.#board.remove(kind, id)
  }
}

async function* logOf(present: PresentSource, life: Life, signal: AbortSignal): AsyncGenerator<string> {
  try {
    const lines = present.log(life, signal)
    if (!lines) {
      yield event('end', 'The runner has no log now: its container does not run.')
      return
    }
    for await (const line of lines) yield event('line', masked(line))
    yield event('end', 'The container of the runner has ended.')
  } catch (error) {
    if (!signal.aborted) yield event('end', `The log cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function windowOf(text: string | undefined): WindowName | undefined {
  const name = text ?? '1h'
  return Object.hasOwn(windowMs, name) ? (name as WindowName) : undefined
}

function wrong(sentence: string): Answer {
  return refusal(400, sentence, 'Correct the address.')
}

function noRunner(): Answer {
  return refusal(
    404,
    'No such runner is known.',
    'It may be older than the history of this page. The forge knows its job.',
  )
}

/** A Service sends the next connection to another process: a standby must not keep this one. */
const refusalHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  503: { connection: 'close' },
}

function refusal(status: number, sentence: string, next: string): Answer {
  return jsonAnswer(status, { error: { sentence, next } }, refusalHeaders[status])
}
