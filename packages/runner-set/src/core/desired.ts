// Turns a demand and a scale policy into a number of runners.
import { unreachable } from '@dayfly/kit/assert'
import type { Demand } from '../model/demand.ts'
import type { RunnerSet } from '../model/runner-set.ts'

/** Returns how many runners should live: demand plus the idle spares, up to the ceiling (docs/reference/scale-set-protocol.md#s13).
 *  @param busy runners that have a job now */
export function desiredRunners(demand: Demand, scale: RunnerSet['scale'], busy: number): number {
  return Math.min(scale.max, scale.min + wanted(demand, busy))
}

/** Returns the one number that stands for a demand. */
export function shownDemand(demand: Demand): number {
  return demand.kind === 'utilisation' ? demand.busy : demand.jobs
}

function wanted(demand: Demand, busy: number): number {
  switch (demand.kind) {
    case 'assigned':
      return demand.jobs
    case 'queued':
      return busy + demand.jobs
    case 'utilisation':
      return Math.max(busy, demand.busy)
    default:
      return unreachable(demand)
  }
}
