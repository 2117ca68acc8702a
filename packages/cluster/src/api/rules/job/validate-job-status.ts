// Validates a Job's status (ValidateJobStatusUpdate). The strict checks came with `managedBy`.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/validation/validation.go
import type { StoredObject } from '../../../store/object.ts'
import type { Profile } from '../../api.ts'
import { type FieldError, invalidValue, omitted, required } from '../../values/field-error.ts'
import type { Draft } from '../../verbs/draft.ts'
import { isTrue, type JobStatus, jobStatusOf } from './job-spec.ts'

const at = 'status.conditions'

export function validateJobStatus(draft: Draft, current: StoredObject, profile: Profile): readonly FieldError[] {
  const [next, known] = [jobStatusOf(draft), jobStatusOf(current)]
  const errors: FieldError[] = []
  for (const part of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const) {
    const value = next[part] ?? 0
    if (value < 0) errors.push(invalidValue(`status.${part}`, value, 'must be greater than or equal to 0'))
  }
  // The feature gate JobManagedBy is on from 1.32.
  if (Number(profile.split('.')[1]) < 32) return errors
  for (const part of ['succeeded', 'failed'] as const) {
    if ((next[part] ?? 0) < (known[part] ?? 0)) {
      errors.push(invalidValue(`status.${part}`, next[part] ?? 0, `cannot decrease the ${part} counter`))
    }
  }
  for (const [type, word] of [
    ['Complete', 'complete'],
    ['Failed', 'failed'],
  ] as const) {
    if (isTrue(known, type) && !isTrue(next, type)) {
      errors.push(omitted(at, `cannot disable the terminal ${type}=True condition`))
    } else if (isTrue(next, type) && !isTrue(known, type)) errors.push(...validateEnd(next, word))
  }
  if (typeof next.ready === 'number' && next.ready > (next.active ?? 0)) {
    errors.push(invalidValue('status.ready', next.ready, 'cannot set more ready pods than active'))
  }
  return [...errors, ...validateTogether(next)]
}

function validateEnd(next: JobStatus, end: 'complete' | 'failed'): readonly FieldError[] {
  const errors: FieldError[] = []
  if (end === 'failed' && !isTrue(next, 'FailureTarget')) {
    errors.push(omitted(at, 'cannot set Failed=True condition without the FailureTarget=true condition'))
  }
  if (end === 'complete' && !isTrue(next, 'SuccessCriteriaMet')) {
    errors.push(omitted(at, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'))
  }
  if (next.startTime === undefined) errors.push(required('status.startTime', 'startTime is required for finished job'))
  for (const part of ['active', 'terminating'] as const) {
    if ((next[part] ?? 0) > 0) {
      errors.push(invalidValue(`status.${part}`, next[part], `${part}>0 is invalid for finished job`))
    }
  }
  const { succeeded = [], failed = [] } = next.uncountedTerminatedPods ?? {}
  if (succeeded.length + failed.length > 0) {
    const field = 'status.uncountedTerminatedPods'
    const shown = { Succeeded: orNull(succeeded), Failed: orNull(failed) }
    errors.push(invalidValue(field, shown, 'must be empty for finished job'))
  }
  return errors
}

/** Returns null for an empty list, as Go shows it. */
function orNull(uids: readonly string[]): readonly string[] | null {
  return uids.length === 0 ? null : uids
}

function validateTogether(next: JobStatus): readonly FieldError[] {
  const pairs = [
    ['Complete', 'Failed', 'cannot set Complete=True and Failed=true conditions'],
    ['Complete', 'FailureTarget', 'cannot set Complete=True and FailureTarget=true conditions'],
    ['SuccessCriteriaMet', 'Failed', 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    ['SuccessCriteriaMet', 'FailureTarget', 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'],
  ] as const
  return pairs.filter(([one, other]) => isTrue(next, one) && isTrue(next, other)).map(([, , why]) => omitted(at, why))
}
