// PodDisruptionBudgets are stored. No controller counts pods for them, because there are no evictions.
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue } from '../field-error.ts'
import { field, sameJson } from '../json.ts'
import type { Rules } from './rules.ts'

export const budgetRules: Rules = {
  prepare: (draft) => {
    draft.metadata.generation = 1
    draft['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  },
  validate,
  validateUpdate: validate,
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
}

function validate(draft: Draft): readonly FieldError[] {
  const both = ['minAvailable', 'maxUnavailable'].every((name) => field(draft, 'spec', name) !== undefined)
  return both ? [invalidValue('spec', draft['spec'], 'minAvailable and maxUnavailable cannot be both set')] : []
}
