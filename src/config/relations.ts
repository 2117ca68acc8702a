// The relations between the fields of a RunnerSet that a schema cannot express.
import type { RunnerSetSpec } from './spec-schema.ts'

type Relation = {
  /** The path of the field that a problem names. */
  readonly path: string
  readonly sentence: (spec: RunnerSetSpec) => string
  readonly holds: (spec: RunnerSetSpec) => boolean
}

const relations: readonly Relation[] = [
  {
    path: 'spec',
    sentence: () => 'set exactly one forge: github',
    holds: ({ github }) => [github].filter((forge) => forge !== undefined).length === 1,
  },
  {
    path: 'spec.scale.min',
    sentence: ({ scale }) => `min (${scale.min}) is above max (${scale.max}): lower min or raise max`,
    holds: ({ scale }) => scale.min <= scale.max,
  },
  {
    path: 'spec.github.ca',
    sentence: () => 'set exactly one of configMap and secret',
    holds: ({ github }) => !github?.ca || (github.ca.configMap === undefined) !== (github.ca.secret === undefined),
  },
]

/** Returns the relations that a document does not keep. */
export function brokenRelations(spec: RunnerSetSpec): readonly { readonly path: string; readonly sentence: string }[] {
  return relations.filter(({ holds }) => !holds(spec)).map(({ path, sentence }) => ({ path, sentence: sentence(spec) }))
}
