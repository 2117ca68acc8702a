import { describe, expect, it } from 'vitest'
import { planOf } from './plan.ts'
import { runJobs } from './run-jobs.ts'

describe('a long run', () => {
  it('keeps every promise, reports each lap, and leaves no object of any kind', { timeout: 120_000 }, async () => {
    const seen: number[] = []
    const run = await runJobs(planOf(1, 300, 60), ({ jobs }) => seen.push(jobs))
    expect(run.broken).toEqual([])
    expect(seen).toEqual([60, 120, 180, 240, 300])
    expect(run.laps.map(({ jobs }) => jobs)).toEqual(seen)
    expect(run.jobs).toBeGreaterThanOrEqual(300)
    expect(run.runnersMax).toBe(60)
    // The disasters of each lap end a few jobs, and no more.
    expect(run.succeeded).toBeLessThan(run.jobs)
    expect(run.succeeded).toBeGreaterThan(run.jobs * 0.5)
  })
})

describe('the plan of a long run', () => {
  it('shares the runners among sets of at most 500', () => {
    const { sets } = planOf(1, 1_000_000, 10_001)
    expect(sets.length).toBe(21)
    expect(sets.reduce((sum, { max }) => sum + max, 0)).toBe(10_001)
    expect(Math.max(...sets.map(({ max }) => max))).toBeLessThanOrEqual(500)
  })

  it('reports each 100,000 jobs of a million, and fifths of a small run', () => {
    expect(planOf(1, 1_000_000, 10).lap).toBe(100_000)
    expect(planOf(1, 2_000, 10).lap).toBe(400)
  })
})
