// Jobs: their defaults, the labels that identify their pods, and the fields that may change.
import { sameJson } from '../../values/json.ts'
import { fillTemplateSpec } from '../pod/pod-defaults.ts'
import { dropDisabledRestarts } from '../pod/restart-rules.ts'
import type { Rules } from '../rules.ts'
import { type JobSpec, jobSpecOf } from './job-spec.ts'
import { validateJob } from './validate-job.ts'
import { validateJobStatus } from './validate-job-status.ts'
import { validateJobUpdate } from './validate-job-update.ts'

export const jobRules: Rules = {
  fill: (draft) => fillJobSpec(jobSpecOf(draft)),
  prepare: (draft, api) => {
    const spec = jobSpecOf(draft)
    const { uid = '', name = '' } = draft.metadata
    if (spec.manualSelector !== true) generateSelector(spec, { uid, name })
    // Kubernetes copies these labels when it next reads the object.
    const labels = spec.template?.metadata?.labels
    if (labels !== undefined && Object.keys(draft.metadata.labels ?? {}).length === 0) draft.metadata.labels = labels
    draft.metadata.generation = 1
    draft['status'] = {}
    dropDisabledRestarts(spec.template?.spec ?? {}, api.profile)
  },
  prepareUpdate: (draft, current, api) => {
    if (draft['spec'] !== current['spec']) dropDisabledRestarts(jobSpecOf(draft).template?.spec ?? {}, api.profile)
  },
  validate: (draft, api) => validateJob(draft, api.profile),
  validateUpdate: (draft, current, api) =>
    draft['spec'] === current['spec']
      ? []
      : [...validateJob(draft, api.profile), ...validateJobUpdate(jobSpecOf(draft), current, api.profile)],
  validateStatus: (draft, current, api) => validateJobStatus(draft, current, api.profile),
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
}

/**
 * Sets the defaults of a Job's spec.
 * Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/v1/defaults.go
 */
function fillJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
  spec.parallelism ??= 1
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1
  spec.completionMode ??= 'NonIndexed'
  spec.suspend ??= false
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed'
  spec.manualSelector ??= false
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True'
  }
  spec.template ??= {}
  spec.template.spec ??= {}
  fillTemplateSpec(spec.template.spec)
}

/**
 * Adds labels to the template and selects by the Job's UID. Keeps given values; validation reports those that do not
 * match.
 */
function generateSelector(spec: JobSpec, { uid, name }: { readonly uid: string; readonly name: string }): void {
  const template = spec.template ?? {}
  const generated = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
  }
  template.metadata = { ...template.metadata, labels: { ...generated, ...template.metadata?.labels } }
  spec.template = template
  const { matchLabels } = spec.selector ?? {}
  spec.selector = { ...spec.selector, matchLabels: { 'batch.kubernetes.io/controller-uid': uid, ...matchLabels } }
}
