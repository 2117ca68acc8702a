// Keeps the view on the terminal while it changes: lines of news scroll above, the score is redrawn below; without a terminal, plain lines.
import type { Clock, Timer } from '../../lib/clock.ts'
import { printRaw, screen } from '../output.ts'
import type { Score } from './score.ts'
import { drawScore, tellScore } from './view.ts'

export interface Screen {
  /** Lines that stay. */
  tell(lines: readonly string[]): void
  /** Shows the last score and redraws no more. */
  close(): void
}

const redrawMs = 100
/** Plain lines are for logs: seldom, and only when something has changed. */
const plainMs = 1_000

export function openScreen(read: () => Score, clock: Clock): Screen {
  const elapsed = stopwatch(read, clock)
  return screen().live ? liveScreen(read, elapsed, clock) : plainScreen(read, elapsed, clock)
}

function liveScreen(read: () => Score, elapsed: () => number, clock: Clock): Screen {
  let shown: readonly string[] = []
  const draw = (news: readonly string[]) => {
    const look = screen()
    const lines = drawScore(read(), elapsed(), look).map((line) => cut(line, look.columns))
    if (news.length === 0 && lines.join() === shown.join()) return
    const up = shown.length > 0 ? `\x1b[${shown.length}A` : ''
    shown = lines
    printRaw(`${up}\x1b[0J${[...news, ...lines].join('\n')}\n`)
  }
  draw([])
  return { tell: draw, close: repeatedly(clock, redrawMs, () => draw([])) }
}

function plainScreen(read: () => Score, elapsed: () => number, clock: Clock): Screen {
  let last = ''
  const print = () => {
    const { jobs, runners } = read()
    const state = JSON.stringify([jobs, runners])
    if (state !== last) printRaw(`${tellScore(read(), elapsed())}\n`)
    last = state
  }
  const tell = (lines: readonly string[]) => printRaw(lines.map((line) => `${line}\n`).join(''))
  return { tell, close: repeatedly(clock, plainMs, print) }
}

/** Calls `show` every `ms`, and a last time when the returned function is first called. */
function repeatedly(clock: Clock, ms: number, show: () => void): () => void {
  let timer: Timer | undefined
  const repeat = () => {
    timer = clock.after(ms, () => {
      show()
      repeat()
    })
  }
  repeat()
  return () => {
    if (timer) show()
    timer?.cancel()
    timer = undefined
  }
}

/** Milliseconds since now; it stands still while nothing waits or runs, so that an idle demo redraws nothing. */
function stopwatch(read: () => Score, clock: Clock): () => number {
  const started = clock.now()
  let stopped: number | undefined
  return () => {
    const { total, waiting, running } = read().jobs
    const isOver = total > 0 && waiting + running === 0
    const now = clock.now() - started
    stopped = isOver ? (stopped ?? now) : undefined
    return stopped ?? now
  }
}

/** A line that wraps would break the redrawing; colours take no room. */
function cut(line: string, columns: number): string {
  let room = columns
  return line.replace(/\x1b\[[0-9;]*m|[\s\S]/g, (part) => (part.length > 1 || room-- > 0 ? part : ''))
}
