// Validates a new Job (ValidateJob), in Kubernetes' order of errors.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/validation/validation.go
import type { Profile } from '../../api.ts'
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../../values/field-error.ts'
import { validateLabels } from '../../values/metadata.ts'
import type { Draft } from '../../verbs/draft.ts'
import { validatePodSpec } from '../pod/validate-pod.ts'
import { type JobSpec, jobSpecOf } from './job-spec.ts'
import { validateFailurePolicy } from './validate-failure-policy.ts'

export function validateJob(draft: Draft, profile: Profile): readonly FieldError[] {
  const spec = jobSpecOf(draft)
  const { uid = '', name = '' } = draft.metadata
  return [
    ...(spec.manualSelector === true ? [] : validateGenerated(spec, { uid, name })),
    ...validateNumbers(spec),
    ...validateMode(spec),
    ...(spec.podFailurePolicy === undefined ? [] : validateFailurePolicy(spec)),
    ...validateReplacement(spec),
    ...validateTemplate(spec, profile),
    ...validateSelector(spec),
  ]
}

function validateGenerated(
  { template, selector }: JobSpec,
  { uid, name }: { readonly uid: string; readonly name: string },
): readonly FieldError[] {
  const labels = template?.metadata?.labels ?? {}
  const expected: Readonly<Record<string, string>> = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  }
  const errors = Object.entries(expected).flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`
    if (labels[key] === undefined) return [required(field, `must be '${value}'`)]
    return labels[key] === value ? [] : [invalidValue(field, byKey(labels), `must be '${value}'`)]
  })
  const isOwn = Object.entries(selector?.matchLabels ?? {}).every(([key, value]) => expected[key] === value)
  if (isOwn) return errors
  const shown = { ...selector, matchLabels: byKey(selector?.matchLabels ?? {}) }
  return [...errors, invalidValue('spec.selector', shown, '`selector` not auto-generated')]
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const

function validateNumbers(spec: JobSpec): readonly FieldError[] {
  return counts.flatMap((part) => {
    const value = spec[part]
    if (value === undefined || value >= 0) return []
    return [invalidValue(`spec.${part}`, value, 'must be greater than or equal to 0')]
  })
}

/**
 * Refuses Indexed Jobs, which the embedded cluster does not support. Refuses their fields with Kubernetes' messages.
 */
function validateMode(spec: JobSpec): readonly FieldError[] {
  const { completionMode } = spec
  if (completionMode === 'Indexed') {
    const why = 'Indexed Jobs are not supported by the embedded cluster. Set completionMode to NonIndexed'
    return [notAllowed('spec.completionMode', why)]
  }
  if (completionMode !== 'NonIndexed') {
    return [notSupported('spec.completionMode', completionMode, ['NonIndexed', 'Indexed'])]
  }
  return (['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'] as const)
    .filter((part) => spec[part] !== undefined)
    .map((part) => invalidValue(`spec.${part}`, spec[part], 'requires indexed completion mode'))
}

function validateReplacement({ podReplacementPolicy, podFailurePolicy }: JobSpec): readonly FieldError[] {
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  if (supported.includes(podReplacementPolicy ?? '')) return []
  return [notSupported('spec.podReplacementPolicy', podReplacementPolicy, supported)]
}

function validateTemplate({ template, podFailurePolicy }: JobSpec, profile: Profile): readonly FieldError[] {
  const spec = template?.spec ?? {}
  const { restartPolicy } = spec
  const at = 'spec.template.spec.restartPolicy'
  const errors = [
    ...validateLabels(template?.metadata?.labels ?? {}, 'spec.template.labels'),
    ...validatePodSpec(spec, profile).map((error) => ({ ...error, field: `spec.template.${error.field}` })),
  ]
  if (restartPolicy === 'Always') errors.push(required(at, 'valid values: "OnFailure", "Never"'))
  else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.push(notSupported(at, restartPolicy, ['OnFailure', 'Never']))
  } else if (podFailurePolicy !== undefined && restartPolicy !== 'Never') {
    errors.push(invalidValue(at, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
  return errors
}

function validateSelector({ selector, template }: JobSpec): readonly FieldError[] {
  const labels = template?.metadata?.labels
  const missing = selector === undefined ? [required('spec.selector')] : []
  const wanted = Object.entries(selector?.matchLabels ?? {})
  // A missing selector selects nothing.
  if (selector !== undefined && wanted.every(([key, value]) => labels?.[key] === value)) return []
  const why = '`selector` does not match template `labels`'
  return [...missing, invalidValue('spec.template.metadata.labels', labels === undefined ? null : byKey(labels), why)]
}

/** Sorts labels by key, as Go shows a map. */
function byKey(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))
}
