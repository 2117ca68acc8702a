// Notes what happens to each value of a release. The report has one line for each.
import { type Path, valueAt } from '@dayfly/kit/read-json'
import { keyOf, leavesOf, showPath, type Values } from './values.ts'
import { rowOf, type Verdict } from './values-table.ts'

export type Line = {
  readonly file: string
  readonly path: string
  readonly is: Verdict
  readonly sentence: string
}

type Verdicted = Pick<Line, 'is' | 'sentence'>

export type Ledger = {
  /** Notes every leaf of the value. A leaf that is noted again keeps its first line. Notes nothing if the value is absent. */
  note(is: Verdict, path: Path, sentence: string): void
  /** Adds a line about a value that is absent, or notes one that is empty. */
  say(is: Verdict, path: Path, sentence: string): void
  /** Returns the lines in the order of the values. The table decides about values that nothing has noted. */
  lines(): readonly Line[]
}

export function createLedger(values: Values): Ledger {
  const noted = new Map<string, Verdicted>()
  const said: Line[] = []
  const note: Ledger['note'] = (is, path, sentence) => {
    const value = valueAt(values.root, ...path)
    if (value === undefined) return
    for (const leaf of leavesOf(value, path)) {
      if (!noted.has(keyOf(leaf))) noted.set(keyOf(leaf), { is, sentence })
    }
  }
  return {
    note,
    say: (is, path, sentence) => {
      if (valueAt(values.root, ...path) === undefined) said.push({ ...values.placeOf(path), is, sentence })
      else note(is, path, sentence)
    },
    lines: () => {
      const leaves = leavesOf(values.root, []).filter((leaf) => leaf.length > 0)
      const lines = leaves.map((leaf) => {
        const { is, sentence } = noted.get(keyOf(leaf)) ?? standardOf(values, leaf)
        const verdict = { is, sentence }
        return {
          ...values.placeOf(leaf),
          ...(values.isComputed(leaf) && !isSecret(leaf) ? computed(verdict) : verdict),
        }
      })
      // A value without a place was not in the input.
      return [...said, ...lines].filter(({ path }) => path !== '')
    },
  }
}

function standardOf(values: Values, leaf: Path): Verdicted {
  if (!setsNothing(valueAt(values.root, ...leaf))) return rowOf(showPath(leaf)) ?? unknown
  return values.isComputed(leaf) ? left : empty
}

/** A credential comes from a Secret, so it does not matter who computes it. */
function isSecret([first, ...more]: Path): boolean {
  return first === 'githubConfigSecret' && more.length > 0
}

function setsNothing(leaf: unknown): boolean {
  return leaf === null || leaf === '' || (typeof leaf === 'object' && Object.keys(leaf).length === 0)
}

/** The RunnerSet has the text of the template, and a cluster needs its result. */
function computed({ is, sentence }: Verdicted): Verdicted {
  if (is === 'kept') return { is: 'decide', sentence: `A template computes it. ${sentence}: write the result there.` }
  return is === 'changed' ? { is: 'decide', sentence: `A template computes it. ${sentence}` } : { is, sentence }
}

/** A template writes fields below this place, and they are not known. */
const left = {
  is: 'decide',
  sentence: 'A template computes it, so the RunnerSet does not have it. Add the result.',
} as const

const empty = { is: 'kept', sentence: 'It is empty.' } as const

const unknown = {
  is: 'decide',
  sentence: "ARC's chart neither documents nor reads this value. If your own chart reads it, do the same there.",
} as const
