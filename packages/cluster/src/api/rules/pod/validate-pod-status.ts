// Validates an update of a pod's status (ValidatePodStatusUpdate).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import type { Profile } from '../../api.ts'
import { type FieldError, invalidValue, notAllowed } from '../../values/field-error.ts'
import { qualifiedNameProblems } from '../../values/names.ts'
import type { Container, ContainerStatus, PodSpec, PodStatus } from './pod-spec.ts'
import { hasRestartRules, mayRestart } from './restart-rules.ts'

const systemConditions = ['PodScheduled', 'Ready', 'Initialized']

export function validatePodStatus(
  next: PodStatus,
  current: PodStatus,
  spec: PodSpec,
  profile: Profile,
): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const [index, { type = '', observedGeneration = 0 }] of (next.conditions ?? []).entries()) {
    const at = `status.conditions[${index}]`
    if (observedGeneration < 0) {
      errors.push(invalidValue(`${at}.observedGeneration`, observedGeneration, 'must be a non-negative integer'))
    }
    if (systemConditions.includes(type)) continue
    for (const problem of qualifiedNameProblems(type)) errors.push(invalidValue(`${at}.Type`, type, problem))
  }
  if (current.qosClass !== undefined && next.qosClass !== current.qosClass) {
    errors.push(invalidValue('status.qosClass', next.qosClass, 'field is immutable'))
  }
  if (allMayRestart(spec, profile)) return errors
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    const containers = (list === 'containerStatuses' ? spec.containers : spec.initContainers) ?? []
    const restarts = (status: ContainerStatus): boolean => isRestartAllowed(status, containers, spec, profile)
    errors.push(...validateTransitions(next[list] ?? [], current[list] ?? [], `status.${list}`, restarts))
  }
  return errors
}

/** Refuses a status that reports an ended container as alive, unless the container may restart. */
function validateTransitions(
  next: readonly ContainerStatus[],
  current: readonly ContainerStatus[],
  field: string,
  restarts: (status: ContainerStatus) => boolean,
): readonly FieldError[] {
  return current.flatMap((old, index) => {
    if (old.state?.terminated === undefined || restarts(old)) return []
    const revived = next.some((status) => status.name === old.name && status.state?.terminated === undefined)
    return revived ? [notAllowed(`${field}[${index}].state`, 'may not be transitioned to non-terminated state')] : []
  })
}

function isRestartAllowed(
  status: ContainerStatus,
  containers: readonly Container[],
  spec: PodSpec,
  profile: Profile,
): boolean {
  const exitCode = status.state?.terminated?.exitCode ?? 0
  const container = containers.find((candidate) => candidate.name === status.name)
  if (hasRestartRules(profile)) return container !== undefined && mayRestart(container, spec, exitCode)
  if (spec.restartPolicy === 'Always' || container?.restartPolicy === 'Always') return true
  return spec.restartPolicy === 'OnFailure' && exitCode !== 0
}

/** Returns whether a rule restarts the whole pod, so that every container may run again. */
function allMayRestart(spec: PodSpec, profile: Profile): boolean {
  if (!hasRestartRules(profile)) return false
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some((container) =>
    (container.restartPolicyRules ?? []).some((rule) => rule.action === 'RestartAllContainers'),
  )
}
