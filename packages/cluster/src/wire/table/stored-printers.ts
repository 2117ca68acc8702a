// The columns of Deployments, ReplicaSets, and of kinds that are only stored.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import { field, integer, list } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { age } from './age.ts'
import { ageColumn, column, nameColumn, type Printer } from './column.ts'
import { templateCells, templateColumns } from './job-printer.ts'

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
