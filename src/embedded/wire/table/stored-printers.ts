// The columns of the kinds that are stored here and acted on by nobody. Kubernetes: pkg/printers/internalversion, 1.36.
import type { Instant } from '../../../lib/clock.ts'
import { field } from '../../api/json.ts'
import type { StoredObject } from '../../api/object.ts'
import { integer, list, text } from '../json.ts'
import { age } from './age.ts'
import { ageColumn, column, nameColumn, type Printer } from './column.ts'
import { labelsCell, templateCells, templateColumns } from './job-printer.ts'

export const cronJobPrinter: Printer = {
  columns: [
    nameColumn,
    column('Schedule', 'When its Jobs begin, in cron format.'),
    column('Timezone', 'The time zone of the schedule.'),
    column('Suspend', 'Whether it makes no Jobs for now.'),
    column('Active', 'How many of its Jobs run.'),
    column('Last Schedule', 'The time since the last Job began.'),
    ageColumn,
    ...templateColumns,
  ],
  cells: (object, now) => [
    object.metadata.name,
    text(object, 'spec', 'schedule'),
    text(object, 'spec', 'timeZone') || '<none>',
    field(object, 'spec', 'suspend') === true ? 'True' : 'False',
    list(object, 'status', 'active').length,
    since(text(object, 'status', 'lastScheduleTime'), now),
    age(object.metadata.creationTimestamp, now),
    ...templateCells(object, ['spec', 'jobTemplate', 'spec', 'template']),
  ],
}

export const deploymentPrinter: Printer = {
  columns: [
    nameColumn,
    column('Ready', 'How many pods are ready, of how many.'),
    column('Up-to-date', 'How many pods follow the present template.'),
    column('Available', 'How many pods are available.'),
    ageColumn,
    ...templateColumns,
  ],
  cells: (object, now) => [
    object.metadata.name,
    ready(object),
    integer(object, 'status', 'updatedReplicas'),
    integer(object, 'status', 'availableReplicas'),
    age(object.metadata.creationTimestamp, now),
    ...templateCells(object),
  ],
}

export const replicaSetPrinter: Printer = {
  columns: [
    nameColumn,
    column('Desired', 'How many pods there should be.'),
    column('Current', 'How many there are.'),
    column('Ready', 'How many of them are ready.'),
    ageColumn,
    ...templateColumns,
  ],
  cells: (object, now) => [
    object.metadata.name,
    integer(object, 'spec', 'replicas'),
    integer(object, 'status', 'replicas'),
    integer(object, 'status', 'readyReplicas'),
    age(object.metadata.creationTimestamp, now),
    ...templateCells(object),
  ],
}

export const daemonSetPrinter: Printer = {
  columns: [
    nameColumn,
    column('Desired', 'How many nodes should have its pod.'),
    column('Current', 'How many nodes have it.'),
    column('Ready', 'How many of these pods are ready.'),
    column('Up-to-date', 'How many pods follow the present template.'),
    column('Available', 'How many pods are available.'),
    column('Node Selector', 'The labels of the nodes it is for.'),
    ageColumn,
    ...templateColumns,
  ],
  cells: (object, now) => [
    object.metadata.name,
    integer(object, 'status', 'desiredNumberScheduled'),
    integer(object, 'status', 'currentNumberScheduled'),
    integer(object, 'status', 'numberReady'),
    integer(object, 'status', 'updatedNumberScheduled'),
    integer(object, 'status', 'numberAvailable'),
    labelsCell(field(object, 'spec', 'template', 'spec', 'nodeSelector')),
    age(object.metadata.creationTimestamp, now),
    ...templateCells(object),
  ],
}

export const statefulSetPrinter: Printer = {
  columns: [
    nameColumn,
    column('Ready', 'How many pods are ready, of how many.'),
    ageColumn,
    ...templateColumns.filter(({ name }) => name !== 'Selector'),
  ],
  cells: (object, now) => [
    object.metadata.name,
    ready(object),
    age(object.metadata.creationTimestamp, now),
    ...templateCells(object).slice(0, 2),
  ],
}

export const budgetPrinter: Printer = {
  columns: [
    nameColumn,
    column('Min Available', 'How many pods must stay.'),
    column('Max Unavailable', 'How many pods may be missing.'),
    column('Allowed Disruptions', 'How many pods may be evicted now.'),
    ageColumn,
  ],
  cells: (object, now) => [
    object.metadata.name,
    String(field(object, 'spec', 'minAvailable') ?? 'N/A'),
    String(field(object, 'spec', 'maxUnavailable') ?? 'N/A'),
    integer(object, 'status', 'disruptionsAllowed'),
    age(object.metadata.creationTimestamp, now),
  ],
}

export const webhookPrinter: Printer = {
  columns: [nameColumn, column('Webhooks', 'How many webhooks it names.'), ageColumn],
  cells: (object, now) => [
    object.metadata.name,
    list(object, 'webhooks').length,
    age(object.metadata.creationTimestamp, now),
  ],
}

function ready(object: StoredObject): string {
  return `${integer(object, 'status', 'readyReplicas')}/${integer(object, 'spec', 'replicas')}`
}

function since(time: string, now: Instant): string {
  return time === '' ? '<none>' : age(time, now)
}
