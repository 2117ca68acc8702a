import { describe, expect, it } from 'vitest'
import { type Plan, runLives } from './run-lives.ts'

const plan: Plan = { seed: 1, lives: 30_000, runners: 1_000, sets: 1 }

describe('a run of lives', () => {
  it('keeps every promise through every fault, and leaves nothing', { timeout: 60_000 }, () => {
    const seen: number[] = []
    const run = runLives(plan, ({ lives }) => seen.push(lives))
    expect(run.broken).toEqual([])
    expect(run.lives).toBeGreaterThanOrEqual(plan.lives)
    expect(run.laps.map(({ lives }) => lives)).toEqual(seen)
    expect(seen.length).toBe(10)
    // The set is full in its bursts, and almost every life is a usual one with a job.
    expect(run.aliveMax).toBeGreaterThanOrEqual(plan.runners)
    const callsOf = (kind: string) => (run.costs.find((row) => row.kind === kind)?.calls ?? 0) / run.lives
    expect(callsOf('job-finished')).toBeGreaterThan(0.9)
    // Each fault has happened: the core was asked to deal with it.
    for (const kind of ['look-up-pod', 'look-up-secret', 'deregister-runner', 'drop-registration', 'explain-runner']) {
      expect(callsOf(kind), kind).toBeGreaterThan(0)
    }
    for (const kind of ['failing', 'pods-stale', 'set-changed', 'forge-paused', 'term-began', 'pods-listed']) {
      expect(callsOf(kind), kind).toBeGreaterThan(0)
    }
  })

  it('is the same run for the same seed, and another one for another seed', { timeout: 60_000 }, () => {
    const digest = (seed: number) => {
      const { costs, virtualMs, lives, journaled } = runLives({ seed, lives: 1_000, runners: 60, sets: 2 })
      const calls = costs.map(({ kind, calls }) => `${kind} ${calls}`).sort()
      return JSON.stringify([calls, virtualMs, lives, journaled])
    }
    const first = digest(1)
    expect(digest(1)).toBe(first)
    expect(digest(2)).not.toBe(first)
  })
})
