// Namespaces: active from the start. Their `spec.finalizers` keep them until the namespace collector has emptied them.
import type { StoredObject } from '../../store/object.ts'
import { field, isObject } from '../values/json.ts'
import { dnsLabelProblems } from '../values/names.ts'
import type { Rules } from './rules.ts'

export const namespaceRules: Rules = {
  name: dnsLabelProblems,
  prepare: (draft) => {
    const finalizers = field(draft, 'spec', 'finalizers')
    const kept = Array.isArray(finalizers) ? finalizers.filter((finalizer) => finalizer !== 'kubernetes') : []
    draft['spec'] = { ...(isObject(draft['spec']) ? draft['spec'] : {}), finalizers: [...kept, 'kubernetes'] }
    draft['status'] = { phase: 'Active' }
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': draft.metadata.name ?? '' }
  },
  terminate: (namespace) => ({
    ...namespace,
    status: { ...(isObject(namespace['status']) ? namespace['status'] : {}), phase: 'Terminating' },
  }),
  prepareUpdate: (draft, current) => {
    draft['spec'] = current['spec']
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': current.metadata.name }
  },
}

/** Returns whether the namespace collector still has to empty this namespace and clear `spec.finalizers`. */
export function awaitsFinalize(object: StoredObject): boolean {
  if (object.kind !== 'Namespace') return false
  const finalizers = field(object, 'spec', 'finalizers')
  return Array.isArray(finalizers) && finalizers.length > 0
}
