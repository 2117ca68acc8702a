// Each planted bug is found by the checker that its table names, in a seed that keeps every promise without the bug.
import { describe, expect, it } from 'vitest'
import { importBundle } from './bundle.ts'
import { plantedBugs } from './planted-bugs.ts'
import { plantedScaleBugs } from './planted-scale-bugs.ts'

const bugs = [...plantedBugs, ...plantedScaleBugs]
const withoutBug = await importBundle('run-seed')

describe('a planted bug', () => {
  it.each(bugs)('is found: $name', { timeout: 240_000 }, async ({ edits, by, seed }) => {
    const { runSeed } = await importBundle('run-seed', edits)
    const { broken } = await runSeed(seed, { stopsEarly: true })
    expect(broken.map((one) => one.by)).toContain(by)
  })

  it.each([...new Set(bugs.map(({ seed }) => seed))])(
    'is what breaks a promise in seed %i',
    { timeout: 120_000 },
    async (seed) => {
      expect((await withoutBug.runSeed(seed)).broken).toEqual([])
    },
  )

  it('is found within 200 seeds, and none is listed twice', () => {
    expect(bugs.filter(({ seed }) => seed < 1 || seed > 200)).toEqual([])
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length)
  })

  it('throws when its text is not in the file exactly once', async () => {
    const edit = { file: 'packages/runner-set/src/core/may-end.ts', before: 'no such text', after: '' }
    await expect(importBundle('run-seed', [edit])).rejects.toThrow('has this text 0 times')
  })
})
