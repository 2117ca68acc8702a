// Each planted bug of the core breaks the promise that its table names.
import { describe, expect, it } from 'vitest'
import { importBundle } from '../bundle.ts'
import { plantedBugs } from './planted-bugs.ts'
import { promiseNames } from './promises.ts'

const plan = { seed: 1, lives: 15_000, runners: 400, sets: 1 }

describe('a planted bug', () => {
  it.each(plantedBugs)('is found: $name', { timeout: 240_000 }, async ({ edits, by }) => {
    const { runLives } = await importBundle('lives/run-lives', edits)
    const { broken } = runLives(plan, { stopsEarly: true })
    expect(broken.map((one) => one.by)).toContain(by)
  })

  it('exists for each promise', () => {
    expect(new Set(plantedBugs.map(({ by }) => by))).toEqual(new Set(promiseNames))
  })
})
