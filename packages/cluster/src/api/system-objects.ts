// The objects that every cluster has. A cluster that starts on kept data may have them already.
import type { Registry } from './registry.ts'
import { priorityClasses, systemPriorities } from './rules/classes.ts'

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

export function createSystemObjects(registry: Registry): void {
  for (const name of namespaces) {
    if (!registry.get('namespaces', undefined, name)) registry.create('namespaces', { metadata: { name } })
  }
  for (const priority of systemPriorities) {
    const { name } = priority.metadata
    if (!registry.get(priorityClasses, undefined, name)) registry.create(priorityClasses, priority)
  }
}
