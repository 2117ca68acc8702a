// Pods: defaults, what may change, and how long their end may take.
import { field, isObject, sameJson } from '../json.ts'
import type { StoredObject } from '../object.ts'
import type { Rules } from './rules.ts'

export const podRules: Rules = {
  prepare: (draft) => {
    draft.metadata.generation = 1
    draft['status'] = { phase: 'Pending', qosClass: 'BestEffort' }
  },
  fill: (draft) => {
    const spec = isObject(draft['spec']) ? draft['spec'] : {}
    draft['spec'] = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst', ...spec }
  },
  changesGeneration: (draft, current) => !sameJson(draft['spec'], current['spec']),
  grace: graceOf,
}

/** A pod that no kubelet runs (unscheduled, or ended) goes at once. */
function graceOf(pod: StoredObject, asked: number | undefined): number {
  const phase = field(pod, 'status', 'phase')
  if ((field(pod, 'spec', 'nodeName') ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') return 0
  const own = field(pod, 'spec', 'terminationGracePeriodSeconds')
  const seconds = asked ?? (typeof own === 'number' ? own : 0)
  return seconds < 0 ? 1 : seconds
}
