// The result of a mutation check, for people and for programs.
import { timeout, type Verdict } from './run.ts'

/** Below this share of killed mutants the check fails. */
export const requiredShare = 0.95

export type Report = {
  readonly killed: number
  readonly total: number
  readonly share: number
  /** Mutants that were killed because the tests did not end. */
  readonly timeouts: number
  readonly survivors: readonly {
    readonly path: string
    readonly line: number
    readonly before: string
    readonly after: string
  }[]
}

export function reportOf(verdicts: readonly Verdict[]): Report {
  const survivors = verdicts.filter(({ killedBy }) => killedBy === undefined)
  const total = verdicts.length
  const killed = total - survivors.length
  return {
    killed,
    total,
    share: total === 0 ? 1 : killed / total,
    timeouts: verdicts.filter(({ killedBy }) => killedBy === timeout).length,
    survivors: survivors.map(({ mutant: { path, line, before, after } }) => ({ path, line, before, after })),
  }
}

export function describeReport({ killed, total, share, timeouts, survivors }: Report): string {
  const lines = survivors.map(({ path, line, before, after }) => `${path}:${line}\n  - ${before}\n  + ${after}\n`)
  const late = timeouts > 0 ? `, ${timeouts} of them by a timeout` : ''
  // Rounded down: a survivor is never shown as 100 %.
  const percent = Math.floor(share * 1_000) / 10
  return `${lines.join('')}mutants: ${killed} of ${total} killed (${percent} %)${late}, ${survivors.length} survived\n`
}
