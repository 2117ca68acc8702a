// The demo's result as one JSON object.
import type { Leftovers } from './leftovers.ts'
import type { Score } from './score.ts'

export type Percentiles = { readonly p50: number; readonly p95: number; readonly max: number }

export type Report = {
  readonly jobs: number
  readonly succeeded: number
  readonly failed: number
  readonly skipped: number
  /** Runners registered. */
  readonly runners: number
  readonly ranTwice: number
  readonly leftovers: {
    readonly pods: number
    readonly secrets: number
    readonly registrations: number
    readonly processes: number
    readonly directories: number
  }
  /** Null when no job came to its first step. */
  readonly queuedToFirstStepMs: Percentiles | null
  /** Writes of the controller at the API server for each runner, all kinds and failed ones included; null without a runner. */
  readonly apiWritesPerRunner: number | null
  readonly wallMs: number
  /** Of this process, its runners not included. */
  readonly peakRssBytes: number
}

export type Figures = {
  readonly score: Score
  readonly leftovers: Leftovers
  readonly apiWrites: number
  readonly wallMs: number
  readonly peakRssBytes: number
}

export function demoReport({ score, leftovers, apiWrites, wallMs, peakRssBytes }: Figures): Report {
  const { succeeded, failed, skipped } = score.jobs
  const made = score.runnersMade
  return {
    jobs: succeeded + failed + skipped,
    succeeded,
    failed,
    skipped,
    runners: made,
    ranTwice: score.ranTwice,
    leftovers: {
      pods: leftovers.pods.length,
      secrets: leftovers.secrets.length,
      registrations: leftovers.registrations.length,
      processes: leftovers.processes.length,
      directories: leftovers.directories.length,
    },
    queuedToFirstStepMs: percentiles(score.firstStepMs),
    apiWritesPerRunner: made === 0 ? null : Math.round((apiWrites / made) * 100) / 100,
    wallMs: Math.round(wallMs),
    peakRssBytes,
  }
}

/** By nearest rank, in whole milliseconds; null of no values. */
export function percentiles(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((one, other) => one - other)
  const rank = (share: number) => Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
  return { p50: rank(0.5), p95: rank(0.95), max: rank(1) }
}
