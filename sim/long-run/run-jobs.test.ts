import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { importBundle } from '../bundle.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { planOf } from './plan.ts'
import { newRun, type Progress } from './progress.ts'

const { runWorld } = await importBundle('long-run/run-jobs')

const folder = mkdtempSync(join(tmpdir(), 'long-run-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Every disaster strikes in each lap. */
const plan = { ...planOf(1, 150, 30), disasters: { large: 30, small: 8 } }

/** The results that the same events have on any machine. */
function eventsOf({ results, used, laps, runnersMax, broken }: Progress) {
  const { virtualMs, requests } = used
  return {
    results,
    virtualMs,
    requests,
    runnersMax,
    broken,
    laps: laps.map(({ jobs, virtualMs }) => [jobs, virtualMs]),
  }
}

describe('a long run', () => {
  it('keeps every promise, reports each lap, and leaves no object of any kind', { timeout: 120_000 }, async () => {
    const seen: number[] = []
    const run = await runWorld(newRun(plan), 150, { onLap: ({ jobs }) => seen.push(jobs) })
    expect(run.broken).toEqual([])
    expect(seen).toEqual([30, 60, 90, 120, 150])
    expect(run.results).toMatchObject({ queued: 150, finished: 150 })
    // The container of a pod that is gone may live for a few more seconds.
    expect(run.runnersMax).toBeGreaterThanOrEqual(30)
    // The disasters of each lap end a few jobs, and no more.
    expect(run.results.succeeded).toBeLessThan(150)
    expect(run.results.succeeded).toBeGreaterThan(75)
  })

  it('goes on from a checkpoint as if it had not been cut', { timeout: 120_000 }, async () => {
    const short = { ...planOf(1, 60, 20), lap: 30, disasters: { large: 30, small: 10 } }
    const first = await runWorld(newRun(short), 30)
    const file = join(folder, 'checkpoint')
    writeCheckpoint(file, first)
    const uncut = await runWorld(first, 60)
    const cut = await runWorld(readCheckpoint(file, short), 60)
    expect(uncut.broken).toEqual([])
    expect(uncut.results).toMatchObject({ queued: 60, finished: 60 })
    expect(eventsOf(cut)).toEqual(eventsOf(uncut))
    // The checkers remember what they saw before the cut.
    expect(first.saved?.prints.jobs.length).toBe(30)
  })
})

it('a checkpoint of another run, and a file that is not a checkpoint, are refused by name', () => {
  const file = join(folder, 'other')
  writeCheckpoint(file, newRun(planOf(2, 150, 30)))
  expect(() => readCheckpoint(file, plan)).toThrow(/run with --jobs 150 --runners 30 --seed 2/)
  writeFileSync(file, 'a text')
  expect(() => readCheckpoint(file, plan)).toThrow(/not a checkpoint/)
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
