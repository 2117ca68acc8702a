// The values of one object of the older generation of ARC while they are made.
import { type Path, valueAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import { leavesOf, type Values } from '../values.ts'
import { fateOf } from './old-fields.ts'
import type { Part } from './placed-values.ts'

export type Making = {
  readonly root: Record<string, unknown>
  readonly parts: Part[]
  /** Lines about fields that are no part of the values. */
  readonly notes: Line[]
}

type Verdicted = Pick<Line, 'is' | 'sentence'>

export function put(making: Making, key: string, value: unknown, origin: Omit<Part, 'to'>): void {
  making.root[key] = value
  making.parts.push({ to: [key], ...origin })
}

/** Notes each value of a field that has no place of its own. */
export function noteField(making: Making, values: Values, path: Path, fate?: Verdicted): void {
  const { is, sentence } = fate ?? fateOf(String(path.at(-1)))
  for (const leaf of leavesOf(valueAt(values.root, ...path), path)) {
    making.notes.push({ ...values.placeOf(leaf), is, sentence })
  }
}
