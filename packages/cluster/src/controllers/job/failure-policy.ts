// Finds the rule of a Job's podFailurePolicy that a failed pod matches, and its consequence (Kubernetes: pod_failure_policy.go).
import type { FailureRule } from '../../api/rules/job/job-spec.ts'
import type { Job } from './job-object.ts'
import type { JobPod } from './job-pod.ts'

export type PolicyVerdict = {
  /** Why the whole Job fails; absent if it does not. */
  readonly failsJob?: string
  /** Whether the failure counts towards the back-off limit. */
  readonly counts: boolean
}

export function judgeFailedPod({ spec }: Job, pod: JobPod): PolicyVerdict {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod)
    if (match === undefined) continue
    if (rule.action === 'Ignore') return { counts: false }
    if (rule.action !== 'FailJob') return { counts: true }
    return { failsJob: `${match} matching FailJob rule at index ${index}`, counts: true }
  }
  return { counts: true }
}

/** Describes what in the pod matches the rule, in the words of Kubernetes. Returns undefined if nothing matches. */
function matchOf({ onExitCodes, onPodConditions = [] }: FailureRule, pod: JobPod): string | undefined {
  const { namespace, name } = pod.metadata
  if (onExitCodes === undefined) {
    const found = pod.status.conditions?.find(({ type, status }) =>
      onPodConditions.some((pattern) => pattern.type === type && pattern.status === status),
    )
    return found && `Pod ${namespace}/${name} has condition ${found.type}`
  }
  const { containerName, operator, values } = onExitCodes
  for (const status of [...(pod.status.containerStatuses ?? []), ...(pod.status.initContainerStatuses ?? [])]) {
    const { exitCode = 0 } = status.state?.terminated ?? {}
    if (exitCode === 0 || (containerName ?? status.name) !== status.name) continue
    if (values?.includes(exitCode) !== (operator === 'In')) continue
    return `Container ${status.name} for pod ${namespace}/${name} failed with exit code ${exitCode}`
  }
  return undefined
}
