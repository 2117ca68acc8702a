import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importBundle } from '../bundle.ts'
import { saveCheckpoint } from './checkpoint.ts'
import type { LivesRun, Plan } from './run-lives.ts'

/** Other seeds need more lives for every fault. */
const plan: Plan = { seed: 4, lives: 6_000, runners: 400, sets: 1 }

const small: Plan = { seed: 1, lives: 500, runners: 40, sets: 2 }

const { runLives } = await importBundle('lives/run-lives')

/** Two runs with the same digest had the same inputs. */
function digestOf({ costs, virtualMs, lives, journaled, laps }: LivesRun): string {
  const calls = costs.map(({ kind, calls }) => `${kind} ${calls}`).sort()
  return JSON.stringify([calls, virtualMs, lives, journaled, laps.map((lap) => [lap.lives, lap.virtualMs])])
}

describe('a run of lives', () => {
  it('keeps every promise through every fault, and leaves nothing', { timeout: 240_000 }, () => {
    const seen: number[] = []
    const run = runLives(plan, { onLap: ({ lives }) => seen.push(lives) })
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
    const first = digestOf(runLives(small))
    expect(digestOf(runLives(small))).toBe(first)
    expect(digestOf(runLives({ ...small, seed: 2 }))).not.toBe(first)
  })
})

describe('a checkpoint', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'dayfly-lives-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('lets an interrupted run go on as if nothing had happened', { timeout: 60_000 }, () => {
    const whole = runLives(small, { checkpoint: path.join(folder, 'whole') })
    const checkpoint = path.join(folder, 'interrupted')
    let left = 4
    const onLap = () => {
      if (--left === 0) throw new Error('the process ends')
    }
    expect(() => runLives(small, { checkpoint, onLap })).toThrow('the process ends')
    expect(digestOf(runLives(small, { checkpoint }))).toBe(digestOf(whole))
    expect(whole.broken).toEqual([])
  })

  it('is refused if it is that of another plan, or no checkpoint at all', () => {
    const checkpoint = path.join(folder, 'other')
    saveCheckpoint(checkpoint, { ...small, seed: 2 }, [])
    expect(() => runLives(small, { checkpoint })).toThrow('is not a checkpoint of this plan')
    writeFileSync(checkpoint, 'no checkpoint')
    expect(() => runLives(small, { checkpoint })).toThrow('is not a checkpoint of this plan')
    expect(() => runLives(small, { checkpoint: path.join(folder, 'absent', 'file') })).toThrow('cannot be written')
  })
})
