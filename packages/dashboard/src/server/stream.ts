// The changes of the page as server-sent events. A viewer has one version: if it reads slowly, its next event holds all that
// changed meanwhile, or a snapshot. Nothing waits in a queue.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Mark } from '../model/life.ts'
import type { Changes } from '../model/page-state.ts'
import { type Board, type Frame, isEmpty } from './board.ts'
import type { Scope } from './scope.ts'

/** Events of one viewer are at least this far apart, in milliseconds. */
const spacingMs = 250
/** Without a change, a beat shows that the connection lives, in milliseconds. */
const beatMs = 10_000
/** A stream ends after this time, in milliseconds. The viewer connects again, and its rights are checked again. */
const streamMsMax = 10 * 60_000

export type Streamed = {
  readonly board: Board
  readonly clock: Clock
  readonly scope: Scope
  readonly frame: (now: Instant) => Frame
  readonly signal: AbortSignal
}

/** @param after the version that the viewer has; undefined for none */
export async function* changesOf(streamed: Streamed, after: number | undefined): AsyncGenerator<string> {
  const { board, clock, scope, frame, signal } = streamed
  const memory = new FrameMemory()
  let version = after
  const begunAt = clock.now()
  let sentAt = begunAt
  for (let now = begunAt; !signal.aborted && now - begunAt < streamMsMax; now = clock.now()) {
    const { head, marks } = frame(now)
    const changes = version === undefined ? undefined : board.since(version, scope, now)
    // A slow viewer takes the event long after this: what the board shows by then is not in it.
    const sent = board.version
    if (!changes) {
      memory.differs({ head, marks })
      yield event('snapshot', board.snapshot(scope, { head, marks }, now), sent)
      sentAt = now
    } else {
      const whole: Changes = { ...changes, ...memory.differs({ head, marks }) }
      if (!isEmpty(whole)) {
        yield event('changes', whole, whole.version)
        sentAt = now
      } else if (now - sentAt >= beatMs) {
        yield event('beat', now, whole.version)
        sentAt = now
      }
    }
    version = sent
    await clock.sleep(spacingMs, signal).catch(() => {})
  }
}

/** Remembers the frame that the viewer has, so that only a part that differs is sent. */
class FrameMemory {
  #head = ''
  #last: Mark | undefined
  #count = 0

  differs({ head, marks }: Frame): Partial<Frame> {
    const text = JSON.stringify(head)
    // Two marks may have one time, and a full list keeps its length.
    const last = marks.at(-1)
    const isNewHead = text !== this.#head
    const isNewMark = last !== this.#last || marks.length !== this.#count
    this.#head = text
    this.#last = last
    this.#count = marks.length
    return { ...(isNewHead ? { head } : {}), ...(isNewMark ? { marks } : {}) }
  }
}

export function event(name: string, data: unknown, id?: number): string {
  const line = id === undefined ? '' : `id: ${id}\n`
  return `event: ${name}\n${line}data: ${JSON.stringify(data)}\n\n`
}
