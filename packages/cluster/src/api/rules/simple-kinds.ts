// The rules of kinds that need only a few: nodes, roles, Leases and PodDisruptionBudgets.
import { type FieldError, invalidValue } from '../values/field-error.ts'
import { field, isObject, sameJson } from '../values/json.ts'
import type { Draft } from '../verbs/draft.ts'
import type { Rules } from './rules.ts'

/** Allocatable defaults to capacity. */
export const nodeRules: Rules = {
  fill: (draft) => {
    const [capacity, allocatable] = [field(draft, 'status', 'capacity'), field(draft, 'status', 'allocatable')]
    if (isObject(draft['status']) && capacity !== undefined && allocatable === undefined) {
      draft['status'] = { ...draft['status'], allocatable: capacity }
    }
  },
}

/** Roles and bindings. Their names may contain everything that a path segment may: `system:node`. */
export const roleRules: Rules = {
  name: (name) => {
    if (name === '.' || name === '..') return [`may not be '${name}'`]
    return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`)
  },
}

/** Claims and volumes. Nothing binds them, so they stay as Kubernetes begins them. */
export const pendingRules: Rules = {
  prepare: (draft) => {
    draft['status'] = { phase: 'Pending' }
  },
}

/** Durations and counters must be in range. */
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

/** A controller counts the pods of a budget. */
export const budgetRules: Rules = {
  prepare: (draft) => {
    draft.metadata.generation = 1
    draft['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  },
  validate: validateBudget,
  validateUpdate: validateBudget,
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
}

function validateBudget(draft: Draft): readonly FieldError[] {
  const both = ['minAvailable', 'maxUnavailable'].every((name) => field(draft, 'spec', name) !== undefined)
  return both ? [invalidValue('spec', draft['spec'], 'minAvailable and maxUnavailable cannot be both set')] : []
}
