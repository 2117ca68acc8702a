// The objects that every cluster has from its start.
import type { Registry } from './registry.ts'
import { priorityClasses, systemPriorities } from './rules/classes.ts'

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

export function createSystemObjects(registry: Registry): void {
  for (const name of namespaces) registry.create('namespaces', { metadata: { name } })
  for (const priority of systemPriorities) registry.create(priorityClasses, priority)
}
