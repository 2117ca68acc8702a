// Validates what an update changes in a Job (ValidateJobSpecUpdate): its amounts and durations may change, its work may
// not.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/validation/validation.go
import type { StoredObject } from '../../../store/object.ts'
import type { Profile } from '../../api.ts'
import { type FieldError, invalidValue } from '../../values/field-error.ts'
import { sameJson } from '../../values/json.ts'
import type { Container, PodSpec } from '../pod/pod-spec.ts'
import { isTrue, type JobSpec, jobSpecOf, jobStatusOf } from './job-spec.ts'

const fixed = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const

export function validateJobUpdate(next: JobSpec, current: StoredObject, profile: Profile): readonly FieldError[] {
  const known = jobSpecOf(current)
  const parts = [
    ...(next.completions === known.completions ? [] : ['completions' as const]),
    ...(sameJson(next.selector, known.selector) ? [] : ['selector' as const]),
    ...(sameJson(next.template, allowedTemplate(next, current, profile)) ? [] : ['template' as const]),
    ...fixed.filter((part) => !sameJson(next[part], known[part])),
  ]
  return parts.map((part) => invalidValue(`spec.${part}`, next[part], 'field is immutable'))
}

/** Returns the present template with the parts of the next one that a suspended Job may change. */
function allowedTemplate(next: JobSpec, current: StoredObject, profile: Profile): JobSpec['template'] {
  const known = jobSpecOf(current)
  const status = jobStatusOf(current)
  const [to, from] = [next.template?.spec, known.template?.spec]
  if (known.suspend !== true || to === undefined || from === undefined) return known.template
  // The feature gates MutableSchedulingDirectivesForSuspendedJobs and MutablePodResourcesForSuspendedJobs are on from
  // 1.36.
  const isNew = Number(profile.split('.')[1]) >= 36
  const isIdle = (status.startTime === undefined || isTrue(status, 'Suspended')) && (status.active ?? 0) === 0
  if (isNew ? !isIdle : status.startTime !== undefined) return known.template
  const { nodeSelector, tolerations, schedulingGates } = to
  const scheduled: PodSpec = { ...from, ...given({ nodeSelector, tolerations, schedulingGates }) }
  const spec = isNew ? withResources(scheduled, to) : scheduled
  const metadata = { ...known.template?.metadata, ...given({ labels: next.template?.metadata?.labels }) }
  return { metadata: { ...metadata, ...given({ annotations: next.template?.metadata?.annotations }) }, spec }
}

function withResources(spec: PodSpec, next: PodSpec): PodSpec {
  const taken = (containers: readonly Container[] = [], others: readonly Container[] = []) =>
    containers.map((container, index) => {
      const other = others[index]
      if (other?.name !== container.name) return container
      return { ...container, ...given({ resources: other?.resources }) }
    })
  const { containers, initContainers } = spec
  return {
    ...spec,
    ...(containers ? { containers: taken(containers, next.containers) } : {}),
    ...(initContainers ? { initContainers: taken(initContainers, next.initContainers) } : {}),
  }
}

type Given<Parts> = { [Name in keyof Parts]?: NonNullable<Parts[Name]> }

/** Returns an object without its undefined fields. */
function given<Parts extends object>(parts: Parts): Given<Parts> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Given<Parts>
}
