// The past as the page shows it: queue times, shares of repositories, and costs.
import type { Instant } from '@dayfly/kit/clock'

export type WindowName = '1h' | '24h' | '7d'
export const windowMs: Readonly<Record<WindowName, number>> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 }

/** Queue times in milliseconds. Null without a job. */
export type QueueTimes = {
  readonly jobs: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** One step of the time axis. */
export type TrendPoint = QueueTimes & { readonly at: Instant }

export type Trends = {
  readonly window: WindowName
  readonly from: Instant
  readonly to: Instant
  /** The history begins later than the window; null if it covers the window. */
  readonly incompleteBefore: Instant | null
  readonly all: QueueTimes
  readonly points: readonly TrendPoint[]
  readonly sets: readonly (QueueTimes & {
    readonly set: string
    readonly objectiveMs: number | null
    readonly withinObjective: number | null
  })[]
  /** The repository that waited longest comes first. Parts of one: its share of all time spent waiting, and of all time of jobs. */
  readonly repositories: readonly (QueueTimes & {
    readonly repository: string
    readonly waitingShare: number | null
    readonly capacityShare: number | null
    /** The longest time that a job of it waited, or waits now. */
    readonly longestMs: number | null
  })[]
}

/** An amount of money in the configured currency. */
export type CostRow = {
  readonly name: string
  readonly jobs: number
  /** Hours in which its runners had a job. */
  readonly jobHours: number
  readonly amount: number
}

export type Prices = {
  readonly currency: string
  readonly cpuHour: number
  readonly memoryGibHour: number
  /** The forge's own charge for a minute of a job. */
  readonly forgeMinute: number
  /** Other prices on nodes with a label, for example `node.kubernetes.io/instance-type=m5.large`. */
  readonly nodes: readonly { readonly label: string; readonly cpuHour: number; readonly memoryGibHour: number }[]
}

export type Costs = {
  readonly window: WindowName
  readonly from: Instant
  readonly to: Instant
  readonly incompleteBefore: Instant | null
  /** Null if no prices are configured: the rows then have hours only. */
  readonly prices: Prices | null
  readonly total: number
  /** Runners that waited for a job. */
  readonly idle: { readonly hours: number; readonly amount: number }
  /** Runners that never had a job because of a failure that was not the job's own. */
  readonly infrastructure: { readonly hours: number; readonly amount: number; readonly runners: number }
  /** The charge of the forge itself. */
  readonly forge: number
  readonly repositories: readonly CostRow[]
  readonly workflows: readonly CostRow[]
  readonly sets: readonly (CostRow & { readonly idleHours: number; readonly idleAmount: number })[]
  /** Lives whose pods request nothing: their cost is unknown. */
  readonly unpriced: number
}
