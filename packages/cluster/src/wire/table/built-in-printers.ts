// The columns of `kubectl get` for the built-in kinds.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import type { Instant } from '@dayfly/kit/clock'
import { field, integer, isObject, list, size, text } from '../../api/values/json.ts'
import type { ResourceKey, StoredObject } from '../../store/object.ts'
import { age } from './age.ts'
import { priorityClassPrinter, quotaPrinter, runtimeClassPrinter } from './class-printers.ts'
import { ageColumn, type Cell, column, nameColumn, type Printer } from './column.ts'
import { jobPrinter } from './job-printer.ts'
import { podPrinter } from './pod-printer.ts'
import { budgetPrinter, deploymentPrinter, replicaSetPrinter, webhookPrinter } from './stored-printers.ts'

/** Name and age: the columns of all other built-in kinds. */
export const plainPrinter: Printer = {
  columns: [nameColumn, ageColumn],
  cells: (object, now) => [object.metadata.name, age(object.metadata.creationTimestamp, now)],
}

export const builtInPrinters: ReadonlyMap<ResourceKey, Printer> = new Map([
  ['pods', podPrinter],
  [
    'nodes',
    {
      columns: [
        nameColumn,
        column('Status', 'The status of the node'),
        column('Roles', 'The roles of the node'),
        ageColumn,
        column('Version', 'Kubelet version reported by the node.'),
        column('Internal-IP', 'The address inside the cluster.', 1),
        column('External-IP', 'The address outside the cluster.', 1),
        column('OS-Image', 'The operating system reported by the node.', 1),
        column('Kernel-Version', 'The kernel reported by the node.', 1),
        column('Container-Runtime', 'The container runtime reported by the node.', 1),
      ],
      cells: nodeCells,
    },
  ],
  [
    'events',
    {
      columns: eventColumns(),
      cells: eventCells,
    },
  ],
  [
    'namespaces',
    {
      columns: [nameColumn, column('Status', 'The status of the namespace'), ageColumn],
      cells: (object, now) => withAge(object, now, text(object, 'status', 'phase')),
    },
  ],
  [
    'secrets',
    {
      columns: [nameColumn, column('Type', 'The kind of secret.'), column('Data', 'The number of entries.'), ageColumn],
      cells: (object, now) => withAge(object, now, text(object, 'type'), size(object, 'data')),
    },
  ],
  [
    'configmaps',
    {
      columns: [nameColumn, column('Data', 'The number of entries.'), ageColumn],
      cells: (object, now) => withAge(object, now, size(object, 'data') + size(object, 'binaryData')),
    },
  ],
  [
    'leases.coordination.k8s.io',
    {
      columns: [nameColumn, column('Holder', 'Who holds the lease.'), ageColumn],
      cells: (object, now) => withAge(object, now, text(object, 'spec', 'holderIdentity')),
    },
  ],
  ['jobs.batch', jobPrinter],
  ['deployments.apps', deploymentPrinter],
  ['replicasets.apps', replicaSetPrinter],
  ['poddisruptionbudgets.policy', budgetPrinter],
  ['mutatingwebhookconfigurations.admissionregistration.k8s.io', webhookPrinter],
  ['rolebindings.rbac.authorization.k8s.io', bindingPrinter()],
  ['clusterrolebindings.rbac.authorization.k8s.io', bindingPrinter()],
  ['roles.rbac.authorization.k8s.io', createdPrinter()],
  ['clusterroles.rbac.authorization.k8s.io', createdPrinter()],
  ['customresourcedefinitions.apiextensions.k8s.io', createdPrinter()],
  ['limitranges', createdPrinter()],
  ['resourcequotas', quotaPrinter],
  ['priorityclasses.scheduling.k8s.io', priorityClassPrinter],
  ['runtimeclasses.node.k8s.io', runtimeClassPrinter],
])

function createdPrinter(): Printer {
  return {
    columns: [nameColumn, { ...column('Created At', 'When the object was created.'), type: 'date' }],
    cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
  }
}

function bindingPrinter(): Printer {
  return {
    columns: [
      nameColumn,
      column('Role', 'The role that is given.'),
      ageColumn,
      column('Users', 'The users it is given to.', 1),
      column('Groups', 'The groups it is given to.', 1),
      column('ServiceAccounts', 'The service accounts it is given to.', 1),
    ],
    cells: (object, now) => {
      const subjects = (kind: string) => list(object, 'subjects').filter((subject) => text(subject, 'kind') === kind)
      const names = (kind: string) => subjects(kind).map((subject) => text(subject, 'name'))
      const accounts = subjects('ServiceAccount').map((one) => `${text(one, 'namespace')}/${text(one, 'name')}`)
      return [
        object.metadata.name,
        `${text(object, 'roleRef', 'kind')}/${text(object, 'roleRef', 'name')}`,
        age(object.metadata.creationTimestamp, now),
        names('User').join(', '),
        names('Group').join(', '),
        accounts.join(', '),
      ]
    },
  }
}

function withAge(object: StoredObject, now: Instant, ...between: readonly Cell[]): readonly Cell[] {
  return [object.metadata.name, ...between, age(object.metadata.creationTimestamp, now)]
}

function nodeCells(node: StoredObject, now: Instant): readonly Cell[] {
  const ready = list(node, 'status', 'conditions').find((condition) => text(condition, 'type') === 'Ready')
  const status = ready === undefined ? 'Unknown' : text(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  const info = field(node, 'status', 'nodeInfo')
  const architecture = text(info, 'architecture')
  return [
    node.metadata.name,
    field(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status,
    nodeRoles(node) || '<none>',
    age(node.metadata.creationTimestamp, now),
    text(info, 'kubeletVersion'),
    nodeAddress(node, 'InternalIP'),
    nodeAddress(node, 'ExternalIP'),
    text(info, 'osImage') || '<unknown>',
    `${text(info, 'kernelVersion') || '<unknown>'}${architecture === '' ? '' : ` (${architecture})`}`,
    text(info, 'containerRuntimeVersion') || '<unknown>',
  ]
}

function nodeRoles(node: StoredObject): string {
  const roles = new Set<string>()
  const prefix = 'node-role.kubernetes.io/'
  for (const [label, value] of Object.entries(node.metadata.labels ?? {})) {
    if (label.startsWith(prefix) && label.length > prefix.length) roles.add(label.slice(prefix.length))
    else if (label === 'kubernetes.io/role' && value !== '') roles.add(value)
  }
  return [...roles].sort().join(',')
}

function nodeAddress(node: StoredObject, type: string): string {
  const found = list(node, 'status', 'addresses').find((address) => text(address, 'type') === type)
  return found === undefined ? '<none>' : text(found, 'address')
}

function eventColumns(): Printer['columns'] {
  return [
    column('Last Seen', 'The time since the last occurrence.'),
    column('Type', 'Normal or Warning.'),
    column('Reason', 'Why the event was written, in one word.'),
    column('Object', 'What the event is about.'),
    column('Subobject', 'The part of the object the event is about.', 1),
    column('Source', 'The component that reports the event.', 1),
    column('Message', 'The event in a sentence.'),
    column('First Seen', 'The time since the first occurrence.', 1),
    column('Count', 'How often it occurred.', 1),
    { ...nameColumn, priority: 1 },
  ]
}

function eventCells(event: StoredObject, now: Instant): readonly Cell[] {
  const first = age(text(event, 'firstTimestamp') || text(event, 'eventTime'), now)
  const series = field(event, 'series')
  const seen = text(event, 'lastTimestamp')
  const last = isObject(series) ? age(text(series, 'lastObservedTime'), now) : seen === '' ? first : age(seen, now)
  const kind = text(event, 'involvedObject', 'kind').toLowerCase()
  const name = text(event, 'involvedObject', 'name')
  const component = text(event, 'source', 'component') || text(event, 'reportingComponent')
  const host = text(event, 'source', 'host') || text(event, 'reportingInstance')
  return [
    last,
    text(event, 'type'),
    text(event, 'reason'),
    name === '' ? kind : `${kind}/${name}`,
    text(event, 'involvedObject', 'fieldPath'),
    host === '' ? component : `${component}, ${host}`,
    text(event, 'message').trim(),
    first,
    isObject(series) ? integer(series, 'count') : integer(event, 'count') || 1,
    event.metadata.name,
  ]
}
