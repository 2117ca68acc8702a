// Nodes: allocatable defaults to capacity.
import { field, isObject } from '../json.ts'
import type { Rules } from './rules.ts'

export const nodeRules: Rules = {
  fill: (draft) => {
    const [capacity, allocatable] = [field(draft, 'status', 'capacity'), field(draft, 'status', 'allocatable')]
    if (isObject(draft['status']) && capacity !== undefined && allocatable === undefined) {
      draft['status'] = { ...draft['status'], allocatable: capacity }
    }
  },
}
