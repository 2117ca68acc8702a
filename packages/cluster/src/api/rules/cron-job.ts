// CronJobs: their defaults and their validation.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/v1/defaults.go
// and https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/batch/validation/validation.go
import type { Profile } from '../api.ts'
import { parseSchedule } from '../cron/schedule.ts'
import { timeZoneOf } from '../cron/time-zone.ts'
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
    ...validateNumber(draft, 'startingDeadlineSeconds'),
    ...validateTimeZone(field(draft, 'spec', 'timeZone')),
    ...(policies.some((policy) => policy === concurrency)
      ? []
      : [notSupported('spec.concurrencyPolicy', concurrency, policies)]),
    ...ofTemplate.map((error) => ({ ...error, field: `spec.jobTemplate.${error.field}` })),
    ...validateNumber(draft, 'successfulJobsHistoryLimit'),
    ...validateNumber(draft, 'failedJobsHistoryLimit'),
  ]
}

function validateSchedule(schedule: string): readonly FieldError[] {
  if (schedule === '') return [required('spec.schedule')]
  if (schedule.includes('TZ')) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    return [invalidValue('spec.schedule', schedule, why)]
  }
  const parsed = parseSchedule(schedule)
  return parsed.is === 'invalid' ? [invalidValue('spec.schedule', schedule, parsed.why)] : []
}

function validateTimeZone(name: unknown): readonly FieldError[] {
  if (typeof name !== 'string') return []
  const refusal = (why: string): readonly FieldError[] => [invalidValue('spec.timeZone', name, why)]
  if (name === '') return refusal('timeZone must be nil or non-empty string')
  if (name.toLowerCase() === 'local') {
    return refusal('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')
  }
  return timeZoneOf(name) === undefined ? refusal(`unknown time zone ${name}`) : []
}

function validateNumber(draft: Draft, part: string): readonly FieldError[] {
  const value = field(draft, 'spec', part)
  if (typeof value !== 'number' || value >= 0) return []
  return [invalidValue(`spec.${part}`, value, 'must be greater than or equal to 0')]
}

function templateOf(draft: Draft): ReturnType<typeof jobSpecOf> {
  return jobSpecOf({ ...draft, spec: field(draft, 'spec', 'jobTemplate', 'spec') })
}
