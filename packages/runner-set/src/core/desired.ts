// Turns a demand and a scale policy into a number of runners.
import { unreachable } from '@dayfly/kit/assert'
import type { Demand } from '../model/demand.ts'
import type { Scale } from '../model/runner-set.ts'

/** The limits of a set now. `usual`: it keeps at least so many, busy ones included. */
export type Kept = Pick<Scale, 'min' | 'max'> & { readonly usual: number }

/** Returns how many runners should live: demand plus the idle spares, up to the ceiling (docs/reference/scale-set-protocol.md#s13).
 *  @param busy runners that have a job now */
export function desiredRunners(demand: Demand, { min, max, usual }: Kept, busy: number): number {
  return Math.min(max, Math.max(usual, min + runnersForJobs(demand, busy)))
}

/** Returns the jobs that wait or run, as far as the forge shows them; undefined if that is unknown. @param busy runners that have a job now */
export function shownDemand(demand: Demand, busy: number | undefined): number | undefined {
  switch (demand.kind) {
    case 'assigned':
      return demand.jobs
    case 'queued':
      return busy === undefined ? undefined : busy + demand.jobs
    case 'utilisation':
      return demand.busy
    default:
      return unreachable(demand)
  }
}

/** Returns how many runners the jobs alone need. @param busy runners that have a job now */
export function runnersForJobs(demand: Demand, busy: number): number {
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
