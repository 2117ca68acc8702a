// CronJobs: filled with their defaults, validated and stored. No controller runs them.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/v1/defaults.go
import type { Profile } from '../api.ts'
import type { Draft } from '../draft.ts'
import { type FieldError, invalidValue, notSupported, required } from '../field-error.ts'
import { field, isObject, sameJson } from '../json.ts'
import { dnsSubdomainProblems } from '../names.ts'
import { jobSpecOf } from './job/job-spec.ts'
import { validateNumbers, validateTemplate } from './job/validate-job.ts'
import { fillTemplateSpec } from './pod/pod-defaults.ts'
import type { Rules } from './rules.ts'

export const cronJobRules: Rules = {
  /** Leaves room for the timestamp that the controller adds to the names of Jobs. */
  name: (name) => [...dnsSubdomainProblems(name), ...(name.length > 52 ? ['must be no more than 52 characters'] : [])],
  fill: (draft) => {
    const spec = isObject(draft['spec']) ? draft['spec'] : {}
    const limits = { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }
    draft['spec'] = { concurrencyPolicy: 'Allow', suspend: false, ...limits, ...spec }
    const pod = templateOf(draft).template?.spec
    if (pod !== undefined) fillTemplateSpec(pod)
  },
  prepare: (draft) => {
    draft.metadata.generation = 1
    draft['status'] = {}
  },
  validate: (draft, { profile }) => validateCronJob(draft, profile),
  validateUpdate: (draft, current, { profile }) =>
    draft['spec'] === current['spec'] ? [] : validateCronJob(draft, profile),
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
}

function validateCronJob(draft: Draft, profile: Profile): readonly FieldError[] {
  const concurrency = field(draft, 'spec', 'concurrencyPolicy')
  const policies = ['Allow', 'Forbid', 'Replace']
  const job = templateOf(draft)
  const ofTemplate = [...validateNumbers(job), ...validateTemplate(job, profile)]
  return [
    ...validateSchedule(String(field(draft, 'spec', 'schedule') ?? '')),
    ...(policies.some((policy) => policy === concurrency)
      ? []
      : [notSupported('spec.concurrencyPolicy', concurrency, policies)]),
    ...ofTemplate.map((error) => ({ ...error, field: `spec.jobTemplate.${error.field}` })),
  ]
}

function validateSchedule(schedule: string): readonly FieldError[] {
  if (schedule === '') return [required('spec.schedule')]
  const fields = schedule.trim().split(/\s+/)
  if (schedule.startsWith('@') || fields.length === 5) return []
  const why = `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`
  return [invalidValue('spec.schedule', schedule, why)]
}

function templateOf(draft: Draft): ReturnType<typeof jobSpecOf> {
  return jobSpecOf({ ...draft, spec: field(draft, 'spec', 'jobTemplate', 'spec') })
}
