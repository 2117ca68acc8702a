// The relations between fields of a RunnerSet. The API server evaluates them as rules (CEL), and the controller again: an older definition may lack some.
import { milliseconds } from './duration.ts'
import type { RunnerSetSpec } from './spec-schema.ts'

export type Relation = {
  /** The path below the object to the level whose rule this is. */
  readonly level: readonly string[]
  /** The CEL expression. `self` is the value at the level. */
  readonly rule: string
  /** The path from the level to the field that a problem names. */
  readonly fieldPath?: string
  readonly message: string
  /** Says the same as `rule`. Absent for a rule that compares with the old object, which the controller does not have. */
  readonly holds?: (spec: RunnerSetSpec) => boolean
}

const hour = 3_600_000
const keepMax = { keepFinished: 24, keepFailed: 168 } as const

export const relations: readonly Relation[] = [
  {
    level: ['spec'],
    rule: '[has(self.github)].exists_one(present, present)',
    message: 'set exactly one forge: github',
    holds: ({ github }) => [github].filter((forge) => forge !== undefined).length === 1,
  },
  {
    level: ['spec', 'scale'],
    rule: 'self.min <= self.max',
    fieldPath: '.min',
    message: 'min is above max: lower min or raise max',
    holds: ({ scale }) => scale.min <= scale.max,
  },
  {
    level: ['spec', 'github', 'url'],
    rule: 'self == oldSelf',
    message: 'the URL cannot change, because runners are registered there: delete the set and create it again',
  },
  {
    level: ['spec', 'github', 'ca'],
    rule: 'has(self.configMap) != has(self.secret)',
    message: 'set exactly one of configMap and secret',
    holds: ({ github }) => !github?.ca || (github.ca.configMap === undefined) !== (github.ca.secret === undefined),
  },
  keptAtMost('keepFinished'),
  keptAtMost('keepFailed'),
  {
    level: ['spec', 'lifeMax'],
    rule: "duration(self) > duration('0s')",
    message: 'the duration must be longer than 0s',
    holds: ({ lifeMax }) => lifeMax === undefined || milliseconds(lifeMax) > 0,
  },
]

function keptAtMost(field: 'keepFinished' | 'keepFailed'): Relation {
  const hours = keepMax[field]
  return {
    level: ['spec', field],
    rule: `duration(self) <= duration('${hours}h')`,
    message: `the duration may not be longer than ${hours}h`,
    holds: (spec) => milliseconds(spec[field]) <= hours * hour,
  }
}

/** Returns the relations that a document does not keep. */
export function brokenRelations(spec: RunnerSetSpec): readonly { readonly path: string; readonly sentence: string }[] {
  return relations
    .filter(({ holds }) => holds?.(spec) === false)
    .map(({ level, fieldPath = '', message }) => ({ path: `${level.join('.')}${fieldPath}`, sentence: message }))
}
