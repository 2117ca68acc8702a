// The demo's result as one JSON object.
import type { Leftovers } from './leftovers.ts'
import type { Score } from './score.ts'

export type Percentiles = { readonly p50: number; readonly p95: number; readonly max: number }

export type Report = {
  readonly jobs: number
  readonly succeeded: number
  readonly failed: number
  readonly skipped: number
  /** The number of registered runners. */
  readonly runners: number
  readonly ranTwice: number
  /** Steps that this machine does not run: their actions are not supported. */
  readonly stepsSkipped: number
  readonly leftovers: {
    readonly pods: number
    readonly secrets: number
    readonly registrations: number
    readonly processes: number
    readonly directories: number
  }
  /** Null if no job reached its first step. */
  readonly queuedToFirstStepMs: Percentiles | null
  /** The controller's writes to the API server for each runner, with failed writes. Null if there was no runner. */
  readonly apiWritesPerRunner: number | null
  readonly wallMs: number
  /** The peak memory of this process, without its runners. */
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
    stepsSkipped: score.stepsSkipped,
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

/** Computes percentiles by nearest rank, in whole milliseconds. Returns null if there are no values. */
export function percentiles(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((one, other) => one - other)
  const rank = (share: number) => Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
  return { p50: rank(0.5), p95: rank(0.95), max: rank(1) }
}
