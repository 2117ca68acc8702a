// Finds RunnerSets that Dayfly refuses. The controller reads them with the same function.
import type { Path } from '@dayfly/kit/read-json'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import type { Facts, ObjectFact, ReadSet } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { filler } from '../read/template/template-value.ts'
import type { Rule, RuleResult } from '../rule.ts'
import { namesForge } from '../runner-sets.ts'

export const rule: Rule = {
  slug: 'runner-set-invalid',
  code: 'SET601',
  title: 'Dayfly refuses the RunnerSet',
  severity: 'error',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check,
}

function check(facts: Facts): RuleResult {
  const { readSet } = facts
  const sets = setsOf(facts)
  if (readSet) return { hits: sets.flatMap((set) => problemsOf(set, readSet)) }
  return sets.length > 0 ? { skipped: 'RunnerSets are not read here' } : { hits: [] }
}

/** A set whose template computes a part is left out: a relation between two fields may hold or not. */
function setsOf(facts: Facts): readonly ObjectFact[] {
  return objectsOf(facts, 'RunnerSet').filter(
    ({ object, raw, source }) =>
      object.apiVersion === runnerSetApiVersion &&
      namesForge(raw) &&
      source?.hasBranches() !== true &&
      !JSON.stringify(raw).includes(filler),
  )
}

function problemsOf({ object, document, raw }: ObjectFact, readSet: ReadSet): readonly Hit[] {
  const parsed = readSet({ metadata: { name: object.name }, spec: raw['spec'] })
  if (parsed.ok) return []
  return parsed.problems.map(({ path, sentence }) => ({
    object,
    document,
    path: stepsOf(path),
    message: `${path}: ${sentence}. Dayfly refuses the set, so no runner starts. Correct the field.`,
  }))
}

function stepsOf(path: string): Path {
  return path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}
