// The restart policies that containers may have, by Kubernetes version (docs/reference/kubernetes.md#s1-2).
import type { Profile } from '../../api.ts'
import { type FieldError, notAllowed, notSupported, required, tooMany } from '../../values/field-error.ts'
import type { Container, PodSpec } from './pod-spec.ts'

const policies = ['Always', 'Never', 'OnFailure']

/** Returns whether every container may have its own policy and rules (from 1.35). */
export function hasRestartRules(profile: Profile): boolean {
  return minor(profile) >= 35
}

/** In 1.28 (sidecars) and 1.34 (restart rules) the fields exist, but their feature gate is off: the API server drops them before validation. */
export function dropDisabledRestarts(spec: PodSpec, profile: Profile): void {
  if (minor(profile) === 28) for (const container of spec.initContainers ?? []) delete container.restartPolicy
  if (minor(profile) !== 34) return
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy !== 'Always') delete container.restartPolicy
    delete container.restartPolicyRules
  }
  for (const container of spec.containers ?? []) {
    delete container.restartPolicy
    delete container.restartPolicyRules
  }
}

export function validateInitRestart(container: Container, field: string, profile: Profile): readonly FieldError[] {
  const { restartPolicy, restartPolicyRules = [] } = container
  if (hasRestartRules(profile)) {
    if (restartPolicy === 'Always' && minor(profile) < 36) {
      const why = 'restartPolicyRules are not allowed for init containers with restart policy Always'
      return restartPolicyRules.length > 0 ? [notAllowed(`${field}.restartPolicyRules`, why)] : []
    }
    return validateRestartRules(container, field, profile)
  }
  if (restartPolicy === undefined || restartPolicy === 'Always') return []
  return [notSupported(`${field}.restartPolicy`, restartPolicy, ['Always'])]
}

export function validateRestart(container: Container, field: string, profile: Profile): readonly FieldError[] {
  if (hasRestartRules(profile)) return validateRestartRules(container, field, profile)
  if (container.restartPolicy === undefined) return []
  return [notAllowed(`${field}.restartPolicy`, 'may not be set for non-init containers')]
}

/** Returns whether a container that ended with this exit code may run again. */
export function mayRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const listed = (exitCodes?.values ?? []).includes(exitCode)
    const matches = exitCodes?.operator === 'In' ? listed : exitCodes?.operator === 'NotIn' && !listed
    if (matches && action === 'Restart') return true
  }
  const policy = container.restartPolicy ?? spec.restartPolicy
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

function validateRestartRules(container: Container, field: string, profile: Profile): readonly FieldError[] {
  const { restartPolicy, restartPolicyRules = [] } = container
  const errors: FieldError[] = []
  if (restartPolicy === undefined && restartPolicyRules.length > 0) {
    errors.push(required(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used'))
  }
  if (restartPolicy !== undefined && !policies.includes(restartPolicy)) {
    errors.push(notSupported(`${field}.restartPolicy`, restartPolicy, policies))
  }
  if (restartPolicyRules.length > 20) errors.push(tooMany(`${field}.restartPolicyRules`, restartPolicyRules.length, 20))
  const actions = minor(profile) >= 36 ? ['Restart', 'RestartAllContainers'] : ['Restart']
  for (const [index, { action = '', exitCodes }] of restartPolicyRules.entries()) {
    const at = `${field}.restartPolicyRules[${index}]`
    if (!actions.includes(action)) errors.push(notSupported(`${at}.action`, action, actions))
    if (exitCodes === undefined) {
      errors.push(required(`${at}.exitCodes`, 'must be specified'))
      continue
    }
    const { operator = '', values = [] } = exitCodes
    if (!['In', 'NotIn'].includes(operator)) {
      errors.push(notSupported(`${at}.exitCodes.operator`, operator, ['In', 'NotIn']))
    }
    if (values.length > 255) errors.push(tooMany(`${at}.exitCodes.values`, values.length, 255))
  }
  return errors
}

function minor(profile: Profile): number {
  return Number(profile.slice(2))
}
