// Notes what happens to each path of an input. The report has one line for each.
import { leavesOf, type Value } from '../yaml/value.ts'

export type Verdict = 'kept' | 'changed' | 'dropped'

export type Line = {
  readonly file: 'configuration' | 'template'
  readonly path: string
  readonly is: Verdict
  /** Where it is in the RunnerSet, or what changed and why, or why it is dropped. */
  readonly sentence: string
}

export type Ledger = {
  /** Notes every path of the value. A path that is noted again keeps its first line. */
  note(is: Verdict, path: string, value: Value, sentence: string): void
  lines(): readonly Line[]
}

export function createLedger(file: Line['file']): Ledger {
  const lines = new Map<string, Line>()
  return {
    note: (is, path, value, sentence) => {
      for (const leaf of leavesOf(value, path))
        if (!lines.has(leaf)) lines.set(leaf, { file, path: leaf, is, sentence })
    },
    lines: () => [...lines.values()],
  }
}
