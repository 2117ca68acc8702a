// Validates a container's resources (validateResourceRequirements).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import { type FieldError, invalidValue, required } from '../../field-error.ts'
import { qualifiedNameProblems } from '../../names.ts'
import { parseQuantity } from '../../quantity.ts'
import type { Container } from './pod-spec.ts'

const standard = ['cpu', 'memory', 'ephemeral-storage', 'storage']

export function validateResources(resources: Container['resources'], field: string): readonly FieldError[] {
  const { limits = {}, requests = {} } = resources ?? {}
  const errors: FieldError[] = []
  for (const [name, text] of Object.entries(limits))
    errors.push(...validateQuantity(name, text, `${field}.limits[${name}]`))
  for (const [name, text] of Object.entries(requests)) {
    errors.push(...validateQuantity(name, text, `${field}.requests[${name}]`))
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined
    const overcommit = standard.includes(name)
    if (limit === undefined) {
      if (!overcommit) errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'))
    } else if (amount(text) !== amount(limit) && !overcommit) {
      errors.push(invalidValue(`${field}.requests`, text, `must be equal to ${name} limit of ${limit}`))
    } else if (amount(text) > amount(limit)) {
      errors.push(invalidValue(`${field}.requests`, text, `must be less than or equal to ${name} limit of ${limit}`))
    }
  }
  return errors
}

function validateQuantity(name: string, text: string, field: string): readonly FieldError[] {
  const errors = qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem))
  if (errors.length === 0 && !name.includes('/') && !standard.includes(name) && !name.startsWith('hugepages-')) {
    errors.push(invalidValue(field, name, 'must be a standard resource type or fully qualified'))
    errors.push(invalidValue(field, name, 'must be a standard resource for containers'))
  }
  if (amount(text) < 0n) errors.push(invalidValue(field, text, 'must be greater than or equal to 0'))
  return errors
}

function amount(text: string): bigint {
  return parseQuantity(text)?.nano ?? 0n
}
