// Validates an update of a pod's spec, of which very little may change (ValidatePodUpdate).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import { type FieldError, invalidValue, notAllowed, required } from '../../values/field-error.ts'
import { sameJson } from '../../values/json.ts'
import type { Container, PodSpec } from './pod-spec.ts'

const changeable = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',')

export function validatePodUpdate(next: PodSpec, current: PodSpec): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const list of ['containers', 'initContainers'] as const) {
    const [after = [], before = []] = [next[list], current[list]]
    if (after.length !== before.length) {
      return [...errors, notAllowed(`spec.${list}`, 'pod updates may not add or remove containers')]
    }
    for (const [index, { image = '' }] of after.entries()) {
      if (image === '') errors.push(required(`spec.${list}[${index}].image`))
    }
  }
  const deadline = validateDeadline(next.activeDeadlineSeconds, current.activeDeadlineSeconds)
  if (deadline !== undefined) return [...errors, deadline]
  errors.push(...validateAddedOnly(next, current), ...validateRemovedGates(next, current))
  const same = withAllowedChanges(next, current)
  if (!sameJson(same, current)) {
    const differences = [...difference(current, same, 'spec')].join('\n')
    errors.push(notAllowed('spec', `pod updates may not change fields other than ${changeable}\n${differences}`))
  }
  return errors
}

function validateDeadline(next: number | undefined, current: number | undefined): FieldError | undefined {
  const field = 'spec.activeDeadlineSeconds'
  if (next === undefined) {
    if (current === undefined) return undefined
    return invalidValue(field, null, 'must not update from a positive integer to nil value')
  }
  if (current !== undefined && current < next) {
    return invalidValue(field, next, 'must be less than or equal to previous value')
  }
  return undefined
}

function validateAddedOnly(next: PodSpec, current: PodSpec): readonly FieldError[] {
  const kept = (current.tolerations ?? []).every((old) =>
    (next.tolerations ?? []).some((toleration) => {
      const shorter = { ...toleration, tolerationSeconds: old.tolerationSeconds }
      return sameJson(shorter, old)
    }),
  )
  if (kept) return []
  const why = 'existing toleration can not be modified except its tolerationSeconds'
  return [notAllowed('spec.tolerations', why)]
}

function validateRemovedGates(next: PodSpec, current: PodSpec): readonly FieldError[] {
  const known = new Set((current.schedulingGates ?? []).map((gate) => gate.name))
  const added = (next.schedulingGates ?? []).filter((gate) => !known.has(gate.name))
  if (added.length === 0) return []
  const names = added.map((gate) => JSON.stringify(gate.name)).join(', ')
  return [notAllowed('spec.schedulingGates', `only deletion is allowed, but found new scheduling gates ${names}`)]
}

/** Returns the next spec with the current values of all fields that may change. */
function withAllowedChanges(next: PodSpec, current: PodSpec): PodSpec {
  const images = (after: Container[] = [], before: Container[] = []): Container[] =>
    after.map((container, index) => ({ ...container, ...pick(before[index], 'image') }))
  const { activeDeadlineSeconds: _, tolerations: __, schedulingGates: ___, ...rest } = next
  const same: PodSpec = {
    ...rest,
    ...pick(current, 'activeDeadlineSeconds'),
    ...pick(current, 'tolerations'),
    ...pick(current, 'schedulingGates'),
  }
  if (next.containers !== undefined) same.containers = images(next.containers, current.containers)
  if (next.initContainers !== undefined) same.initContainers = images(next.initContainers, current.initContainers)
  const grace = current.terminationGracePeriodSeconds ?? 0
  if (grace < 0 && next.terminationGracePeriodSeconds === 1) same.terminationGracePeriodSeconds = grace
  return same
}

function pick<Part extends object, Name extends keyof Part>(part: Part | undefined, name: Name): Partial<Part> {
  const picked: Partial<Part> = {}
  if (part?.[name] !== undefined) picked[name] = part[name]
  return picked
}

/** Yields one line for each field that differs. */
function* difference(before: unknown, after: unknown, path: string): Iterable<string> {
  if (sameJson(before, after)) return
  const nested = typeof before === 'object' && typeof after === 'object' && before !== null && after !== null
  if (!nested) {
    yield `${path}: ${JSON.stringify(before) ?? 'absent'} → ${JSON.stringify(after) ?? 'absent'}`
    return
  }
  const [old, fresh] = [
    new Map<string, unknown>(Object.entries(before)),
    new Map<string, unknown>(Object.entries(after)),
  ]
  for (const name of new Set([...old.keys(), ...fresh.keys()])) {
    yield* difference(old.get(name), fresh.get(name), Array.isArray(before) ? `${path}[${name}]` : `${path}.${name}`)
  }
}
