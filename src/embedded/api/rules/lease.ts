// Leases: their durations and counters must be in range.
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue } from '../field-error.ts'
import { field } from '../json.ts'
import type { Rules } from './rules.ts'

export const leaseRules: Rules = { validate: validateLease, validateUpdate: validateLease }

function validateLease(draft: Draft): readonly FieldError[] {
  const errors: FieldError[] = []
  const duration = field(draft, 'spec', 'leaseDurationSeconds')
  if (typeof duration === 'number' && duration <= 0) {
    errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  }
  const transitions = field(draft, 'spec', 'leaseTransitions')
  if (typeof transitions === 'number' && transitions < 0) {
    errors.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'))
  }
  return errors
}
