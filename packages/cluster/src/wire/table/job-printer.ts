// The columns of `kubectl get jobs` (printJob).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import type { Instant } from '@dayfly/kit/clock'
import { field, integer, isObject, list, text } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { age, humanDuration } from './age.ts'
import { ageColumn, type Column, column, nameColumn, type Printer } from './column.ts'

/** The wide columns of kinds that create pods. */
export const templateColumns: readonly Column[] = [
  column('Containers', 'Names of each container in the template.', 1),
  column('Images', 'Images referenced by each container in the template.', 1),
  column('Selector', 'The labels that select its pods.', 1),
]

export const jobPrinter: Printer = {
  columns: [
    nameColumn,
    column('Status', 'Status of the job.'),
    column('Completions', 'The number of succeeded pods and the number required.'),
    column('Duration', 'Time required to complete the job.'),
    ageColumn,
    ...templateColumns,
  ],
  cells: (job, now) => [
    job.metadata.name,
    statusOf(job),
    completions(job),
    duration(job, now),
    age(job.metadata.creationTimestamp, now),
    ...templateCells(job),
  ],
}

/** @param template the path of the pod template. */
export function templateCells(
  object: StoredObject,
  template: readonly string[] = ['spec', 'template'],
): readonly string[] {
  const containers = list(object, ...template, 'spec', 'containers')
  return [
    containers.map((container) => text(container, 'name')).join(','),
    containers.map((container) => text(container, 'image')).join(','),
    labelsCell(field(object, 'spec', 'selector', 'matchLabels')),
  ]
}

function labelsCell(labels: unknown): string {
  const pairs = Object.entries(isObject(labels) ? labels : {}).map(([key, value]) => `${key}=${value}`)
  return pairs.sort().join(',') || '<none>'
}

/** Returns the first status that applies. */
function statusOf(job: StoredObject): string {
  const conditions = list(job, 'status', 'conditions')
  const has = (type: string) =>
    conditions.some((condition) => text(condition, 'type') === type && text(condition, 'status') === 'True')
  if (has('Complete')) return 'Complete'
  if (has('Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running'
}

function completions(job: StoredObject): string {
  const succeeded = integer(job, 'status', 'succeeded')
  const wanted = field(job, 'spec', 'completions')
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`
  const parallelism = integer(job, 'spec', 'parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function duration(job: StoredObject, now: Instant): string {
  const start = Date.parse(text(job, 'status', 'startTime'))
  if (Number.isNaN(start)) return ''
  const end = Date.parse(text(job, 'status', 'completionTime'))
  return humanDuration((Number.isNaN(end) ? now : end) - start)
}
