// Keeps the view on the terminal while it changes: lines of news scroll above, the score is redrawn below; without a terminal, plain lines.
import type { Clock, Timer } from '../../lib/clock.ts'
import { printRaw, screen } from '../output.ts'
import type { Score } from './score.ts'
import { drawScore, tellScore } from './view.ts'

export interface Screen {
  /** Lines that stay. */
  tell(lines: readonly string[]): void
  /** Shows the last score and leaves the terminal as it was. */
  close(): void
}

const redrawMs = 100
/** Plain lines are for logs: seldom, and only when something has changed. */
const plainMs = 1_000

export function openScreen(read: () => Score, clock: Clock): Screen {
  return screen().live ? liveScreen(read, clock) : plainScreen(read, clock)
}

function liveScreen(read: () => Score, clock: Clock): Screen {
  const started = clock.now()
  let drawn = 0
  let timer: Timer | undefined
  const draw = (news: readonly string[]) => {
    const look = screen()
    const lines = drawScore(read(), clock.now() - started, look).map((line) => cut(line, look.columns))
    const up = drawn > 0 ? `\x1b[${drawn}A` : ''
    drawn = lines.length
    printRaw(`${up}\x1b[0J${[...news, ...lines].join('\n')}\n`)
  }
  const redraw = () => {
    draw([])
    timer = clock.after(redrawMs, redraw)
  }
  redraw()
  return {
    tell: draw,
    close: () => {
      timer?.cancel()
      draw([])
    },
  }
}

function plainScreen(read: () => Score, clock: Clock): Screen {
  const started = clock.now()
  let last = ''
  let timer: Timer | undefined
  const print = () => {
    const score = read()
    const state = JSON.stringify(score.jobs) + JSON.stringify(score.runners)
    if (state !== last) printRaw(`${tellScore(score, clock.now() - started)}\n`)
    last = state
  }
  const repeat = () => {
    print()
    timer = clock.after(plainMs, repeat)
  }
  timer = clock.after(plainMs, repeat)
  return {
    tell: (lines) => printRaw(lines.map((line) => `${line}\n`).join('')),
    close: () => {
      timer?.cancel()
      print()
    },
  }
}

/** A line that wraps would break the redrawing; colours take no room. */
function cut(line: string, columns: number): string {
  let room = columns
  return line.replace(/\x1b\[[0-9;]*m|[\s\S]/g, (part) => (part.length > 1 || room-- > 0 ? part : ''))
}
