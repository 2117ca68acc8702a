// Follows the server: one snapshot, then changes. It reconnects by itself with the last version.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Changes, Snapshot } from '../model/page-state.ts'
import type { Ask } from './browser.ts'
import { readEvents } from './event-stream.ts'

/** After this silence, the page no longer shows its values as current. */
export const silenceMaxMs = 30_000
/** After this silence, the connection is given up and opened again. */
const giveUpMs = 45_000
const retriesMs = [500, 1_000, 2_000, 5_000, 10_000]

export type Problem =
  | { readonly is: 'unauthorized' }
  | { readonly is: 'unreachable'; readonly detail: string; readonly retryAt: Instant }

/** The receiver of what the server sends. */
export type Sink = {
  version(): number | null
  snapshot(snapshot: Snapshot): void
  changes(changes: Changes): void
  /** The server's time. */
  beat(at: Instant): void
  /** Something arrived. */
  heard(): void
  problem(problem: Problem): void
}

export type Deps = { readonly ask: Ask; readonly clock: Clock }

/** The server wants a token, or another one. */
export class Unauthorized extends Error {}

/** Reads one answer. The error has the server's own sentence. */
export async function askJson<Value>(ask: Ask, path: string, signal?: AbortSignal): Promise<Value> {
  const response = await checked(await ask(path, signal))
  return (await response.json()) as Value
}

export async function checked(response: Response): Promise<Response> {
  if (response.status === 401) throw new Unauthorized('The server wants a token.')
  if (response.ok) return response
  const text = (await response.text().catch(() => '')).trim()
  throw new Error(text === '' ? `The server answered with status ${response.status}.` : sentenceOf(text).slice(0, 400))
}

/** The server's own errors have a sentence and a next step. A proxy between answers in words of its own. */
function sentenceOf(text: string): string {
  try {
    const { sentence, next } = (
      JSON.parse(text) as { readonly error: { readonly sentence: string; readonly next: string } }
    ).error
    return `${sentence} ${next}`
  } catch {
    return text
  }
}

/** Follows until the signal is aborted, or until the server wants a token: then the caller starts again with one. */
export async function follow({ ask, clock }: Deps, sink: Sink, signal: AbortSignal): Promise<void> {
  let failures = 0
  const heard = () => {
    failures = 0
    sink.heard()
  }
  while (!signal.aborted) {
    try {
      if (sink.version() === null) {
        sink.snapshot(await askJson<Snapshot>(ask, 'api/snapshot', signal))
        heard()
      }
      await readChanges({ ask, clock }, { ...sink, heard }, signal)
      failures++
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Unauthorized) return sink.problem({ is: 'unauthorized' })
      failures++
      const wait = retriesMs[Math.min(failures, retriesMs.length) - 1] ?? 0
      sink.problem({ is: 'unreachable', detail: detailOf(error), retryAt: clock.now() + wait })
    }
    await clock.sleep(retriesMs[Math.min(failures, retriesMs.length) - 1] ?? 500, signal).catch(() => {})
  }
}

async function readChanges({ ask, clock }: Deps, sink: Sink, signal: AbortSignal): Promise<void> {
  const attempt = new AbortController()
  const stop = () => attempt.abort()
  signal.addEventListener('abort', stop, { once: true })
  let timer = clock.after(giveUpMs, stop)
  const onBytes = () => {
    timer.cancel()
    timer = clock.after(giveUpMs, stop)
    sink.heard()
  }
  try {
    const response = await checked(await ask(`api/changes?after=${sink.version()}`, attempt.signal))
    await readEvents(response, (event) => take(event.event, event.data, sink), onBytes)
  } finally {
    timer.cancel()
    signal.removeEventListener('abort', stop)
  }
}

function take(event: string, data: string, sink: Sink): void {
  if (event === 'changes') sink.changes(JSON.parse(data) as Changes)
  if (event === 'snapshot') sink.snapshot(JSON.parse(data) as Snapshot)
  if (event === 'beat') sink.beat(Number(data))
}

/** Browsers word a lost connection differently, and none of them helps a reader. */
function detailOf(error: unknown): string {
  if (error instanceof TypeError || !(error instanceof Error)) return 'The server does not answer.'
  return error.name === 'AbortError' ? 'The server has been silent for too long.' : error.message
}
