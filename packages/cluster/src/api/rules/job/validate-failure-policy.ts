// Validates a Job's podFailurePolicy (validatePodFailurePolicy).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/validation/validation.go
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  omitted,
  required,
  tooMany,
} from '../../values/field-error.ts'
import { qualifiedNameProblems } from '../../values/names.ts'
import type { FailureRule, JobSpec } from './job-spec.ts'

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const operators = ['In', 'NotIn']
const statuses = ['False', 'True', 'Unknown']
const rulesMax = 20
const patternsMax = 20
const valuesMax = 255

export function validateFailurePolicy({ podFailurePolicy, template }: JobSpec): readonly FieldError[] {
  const at = 'spec.podFailurePolicy.rules'
  const rules = podFailurePolicy?.rules ?? []
  const { containers = [], initContainers = [] } = template?.spec ?? {}
  const names = [...containers, ...initContainers].map(({ name }) => name)
  return [
    ...(rules.length > rulesMax ? [tooMany(at, rules.length, rulesMax)] : []),
    ...rules.flatMap((rule, index) => validateRule(rule, `${at}[${index}]`, names)),
  ]
}

function validateRule(
  { action = '', onExitCodes, onPodConditions = [] }: FailureRule,
  at: string,
  names: readonly (string | undefined)[],
): readonly FieldError[] {
  const errors: FieldError[] = []
  // Only an Indexed Job may use it, and those are refused earlier.
  if (action === 'FailIndex') {
    errors.push(invalidValue(`${at}.action`, action, 'requires the backoffLimitPerIndex to be set'))
  } else errors.push(...oneOf(`${at}.action`, action, actions))
  if (onExitCodes !== undefined) errors.push(...validateExitCodes(onExitCodes, `${at}.onExitCodes`, names))
  errors.push(...validateConditions(onPodConditions, `${at}.onPodConditions`))
  if (onExitCodes !== undefined && onPodConditions.length > 0) {
    errors.push(omitted(at, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  }
  if (onExitCodes === undefined && onPodConditions.length === 0) {
    errors.push(omitted(at, 'specifying one of OnExitCodes and OnPodConditions is required'))
  }
  return errors
}

function oneOf(field: string, value: string, supported: readonly string[]): readonly FieldError[] {
  if (supported.includes(value)) return []
  if (value !== '') return [notSupported(field, value, supported)]
  return [required(field, `valid values: [${supported.map((one) => JSON.stringify(one)).join(' ')}]`)]
}

function validateExitCodes(
  { containerName, operator = '', ...given }: NonNullable<FailureRule['onExitCodes']>,
  at: string,
  names: readonly (string | undefined)[],
): readonly FieldError[] {
  const values = given.values ?? []
  const errors: FieldError[] = [...oneOf(`${at}.operator`, operator, operators)]
  if (containerName !== undefined && !names.includes(containerName)) {
    const why = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalidValue(`${at}.containerName`, containerName, why))
  }
  if (values.length === 0)
    errors.push(invalidValue(`${at}.values`, given.values ?? null, 'at least one value is required'))
  else if (values.length > valuesMax) errors.push(tooMany(`${at}.values`, values.length, valuesMax))
  for (const [index, value] of values.entries()) {
    const field = `${at}.values[${index}]`
    if (operator === 'In' && value === 0) errors.push(invalidValue(field, value, 'must not be 0 for the In operator'))
    if (values.indexOf(value) < index) errors.push(duplicate(field, value))
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? value) <= value)
  return isOrdered ? errors : [...errors, invalidValue(`${at}.values`, values, 'must be ordered')]
}

function validateConditions(patterns: NonNullable<FailureRule['onPodConditions']>, at: string): readonly FieldError[] {
  return [
    ...(patterns.length > patternsMax ? [tooMany(at, patterns.length, patternsMax)] : []),
    ...patterns.flatMap(({ type = '', status = '' }, index) => [
      ...qualifiedNameProblems(type).map((problem) => invalidValue(`${at}[${index}].type`, type, problem)),
      ...oneOf(`${at}[${index}].status`, status, statuses),
    ]),
  ]
}
