// Computes a scale set's statistics at the time of each response (docs/reference/scale-set-protocol.md#s9-4).
import type { ScaleSet } from './state.ts'

export type Statistics = {
  readonly totalAvailableJobs: number
  readonly totalAcquiredJobs: number
  readonly totalAssignedJobs: number
  readonly totalRunningJobs: number
  readonly totalRegisteredRunners: number
  readonly totalBusyRunners: number
  readonly totalIdleRunners: number
}

export function statisticsOf(set: ScaleSet): Statistics {
  return {
    totalAvailableJobs: set.offered.size,
    totalAcquiredJobs: 0,
    totalAssignedJobs: assignedTo(set),
    totalRunningJobs: set.running.size,
    totalRegisteredRunners: set.runners.size,
    totalBusyRunners: set.online.size - set.idle.size,
    totalIdleRunners: set.idle.size,
  }
}

/** The number of jobs that wait for a runner or run. The announced capacity limits it. */
export function assignedTo(set: ScaleSet): number {
  return set.waiting.size + set.reserved.size + set.running.size
}
