// A scale set's statistics, derived whenever they are sent (scale-set protocol 9.4).
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

/** Waiting for a runner or running: what the announced capacity bounds. */
export function assignedTo(set: ScaleSet): number {
  return set.waiting.size + set.reserved.size + set.running.size
}
