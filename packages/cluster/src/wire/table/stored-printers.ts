// The columns of workloads, and of kinds that are only stored.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import type { Instant } from '@dayfly/kit/clock'
import { field, integer, list, text } from '../../api/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { age } from './age.ts'
import { ageColumn, column, nameColumn, type Printer } from './column.ts'
import { labelsCell, templateCells, templateColumns } from './job-printer.ts'

export const cronJobPrinter: Printer = {
  columns: [
    nameColumn,
    column('Schedule', 'The schedule in cron format.'),
    column('Timezone', 'The time zone of the schedule.'),
    column('Suspend', 'Whether the schedule is suspended.'),
    column('Active', 'The number of running Jobs.'),
    column('Last Schedule', 'The time since the last Job was scheduled.'),
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
    column('Ready', 'The number of ready pods and the number desired.'),
    column('Up-to-date', 'The number of pods with the current template.'),
    column('Available', 'The number of available pods.'),
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
    column('Desired', 'The number of desired pods.'),
    column('Current', 'The number of existing pods.'),
    column('Ready', 'The number of ready pods.'),
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
    column('Desired', 'The number of nodes that should run the pod.'),
    column('Current', 'The number of nodes that run the pod.'),
    column('Ready', 'The number of ready pods.'),
    column('Up-to-date', 'The number of pods with the current template.'),
    column('Available', 'The number of available pods.'),
    column('Node Selector', 'The labels that select the nodes.'),
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
    column('Ready', 'The number of ready pods and the number desired.'),
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

export const controllerRevisionPrinter: Printer = {
  columns: [
    nameColumn,
    column('Controller', 'The owner of the revision.'),
    column('Revision', 'The number of the revision. The highest is the present one.'),
    ageColumn,
  ],
  cells: (object, now) => [
    object.metadata.name,
    controllerText(object),
    String(integer(object, 'revision')),
    age(object.metadata.creationTimestamp, now),
  ],
}

export const budgetPrinter: Printer = {
  columns: [
    nameColumn,
    column('Min Available', 'The number of pods that must remain available.'),
    column('Max Unavailable', 'The number of pods that may be unavailable.'),
    column('Allowed Disruptions', 'The number of pods that may be evicted now.'),
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
  columns: [nameColumn, column('Webhooks', 'The number of webhooks.'), ageColumn],
  cells: (object, now) => [
    object.metadata.name,
    list(object, 'webhooks').length,
    age(object.metadata.creationTimestamp, now),
  ],
}

function ready(object: StoredObject): string {
  return `${integer(object, 'status', 'readyReplicas')}/${integer(object, 'spec', 'replicas')}`
}

/** Returns the owner that controls the object: `statefulset.apps/web`. */
function controllerText({ metadata }: StoredObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return '<none>'
  const [group, version] = owner.apiVersion.split('/')
  const kind = owner.kind.toLowerCase()
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`
}

function since(time: string, now: Instant): string {
  return time === '' ? '<none>' : age(time, now)
}
