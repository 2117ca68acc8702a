// The resources of containers: their validation, and the QoS class that they give a pod.
import { type FieldError, invalidValue, required } from '../../values/field-error.ts'
import { qualifiedNameProblems } from '../../values/names.ts'
import { parseQuantity } from '../../values/quantity.ts'
import type { Container, PodSpec, Quantities } from './pod-spec.ts'

const standard = ['cpu', 'memory', 'ephemeral-storage', 'storage']
/** The resources that decide the QoS class. */
const computed = ['cpu', 'memory']

/**
 * Validates a container's resources (validateResourceRequirements).
 * Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
 */
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

/**
 * Computes a pod's QoS class from the cpu and memory of its containers.
 * Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/v1/helper/qos/qos.go
 */
export function qosClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const requests = sum(containers.map((container) => container.resources?.requests ?? {}))
  const limits = sum(containers.map((container) => container.resources?.limits ?? {}))
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const limited = containers.every(({ resources }) => computed.every((name) => amount(resources?.limits?.[name]) > 0n))
  const equal = computed.every((name) => requests.get(name) === limits.get(name))
  return limited && equal ? 'Guaranteed' : 'Burstable'
}

function sum(lists: readonly Quantities[]): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>()
  for (const list of lists) {
    for (const name of computed) {
      const nano = amount(list[name])
      if (nano > 0n) total.set(name, (total.get(name) ?? 0n) + nano)
    }
  }
  return total
}

function amount(text: string | undefined): bigint {
  return text === undefined ? 0n : (parseQuantity(text)?.nano ?? 0n)
}
