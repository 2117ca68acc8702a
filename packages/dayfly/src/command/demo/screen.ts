// Shows the demo's progress. On a terminal, messages scroll above a score that is redrawn. Elsewhere, it prints plain lines.
import { printRaw, screen } from '@dayfly/command-line/output'
import type { Clock, Timer } from '@dayfly/kit/clock'
import type { Score } from './score.ts'
import { drawScore, scoreLine } from './view.ts'

export interface Screen {
  /** Prints lines that stay. They may contain colours, but no other control characters. */
  print(lines: readonly string[]): void
  /** Shows the last score and stops redrawing. */
  close(): void
}

const redrawMs = 100
/** The shortest time between two plain lines, which usually go to a log. */
const plainMs = 1_000

export function openScreen(read: () => Score, clock: Clock): Screen {
  const elapsed = stopwatch(read, clock)
  return screen().live ? liveScreen(read, elapsed, clock) : plainScreen(read, elapsed, clock)
}

function liveScreen(read: () => Score, elapsed: () => number, clock: Clock): Screen {
  let shown: readonly string[] = []
  const draw = (messages: readonly string[]) => {
    const look = screen()
    const lines = drawScore(read(), elapsed(), look).map((line) => cut(line, look.columns))
    if (messages.length === 0 && lines.join() === shown.join()) return
    const up = shown.length > 0 ? `\x1b[${shown.length}A` : ''
    shown = lines
    printRaw(`${up}\x1b[0J${[...messages, ...lines].join('\n')}\n`)
  }
  draw([])
  return { print: draw, close: repeatedly(clock, redrawMs, () => draw([])) }
}

function plainScreen(read: () => Score, elapsed: () => number, clock: Clock): Screen {
  let last = ''
  const show = () => {
    const { jobs, runners } = read()
    const state = JSON.stringify([jobs, runners])
    if (state !== last) printRaw(`${scoreLine(read(), elapsed())}\n`)
    last = state
  }
  const print = (lines: readonly string[]) => printRaw(lines.map((line) => `${line}\n`).join(''))
  return { print, close: repeatedly(clock, plainMs, show) }
}

/** Calls `show` every `ms`. The returned function calls it a last time and stops. */
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

/** Returns a function that returns the milliseconds since now. It pauses while no job waits or runs, so that an idle demo redraws nothing. */
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

/** Cuts a line to the terminal's width, because a wrapped line would break the redrawing. Colours take no columns. */
function cut(line: string, columns: number): string {
  let room = columns
  return line.replace(/\x1b\[[0-9;]*m|[\s\S]/g, (part) => (part.length > 1 || room-- > 0 ? part : ''))
}
