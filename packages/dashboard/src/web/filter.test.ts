import { describe, expect, it } from 'vitest'
import { chosenLives, repositoriesOf, startOf } from './filter.ts'
import { type Filter, noFilter } from './route.ts'
import { createSample } from './sample.fixture.ts'

const size = { sets: 4, runners: 100, gone: 100, failing: 1, waiting: 0, silent: 0 }
const { lives } = createSample(size, 1_700_000_000_000)
const chosen = (filter: Partial<Filter>) => chosenLives(lives.values(), { ...noFilter, ...filter })

describe('the filter of runners', () => {
  it('shows all without a filter, the newest first', () => {
    const starts = chosen({}).map(startOf)
    expect(starts).toEqual([...starts].sort((a, b) => b - a))
    expect(starts.length).toBe(200)
  })

  it('combines set, phase and repository', () => {
    const found = chosen({ set: 'ci/arm', phase: 'busy', repository: 'octo/web' })
    expect(found.length).toBeGreaterThan(0)
    for (const { set, phase, job } of found) {
      expect([set, phase, job?.repository]).toEqual(['ci/arm', 'busy', 'octo/web'])
    }
  })

  it('finds all words of a text in any part, without a difference of case', () => {
    const found = chosen({ text: ' NODE-3  lint ' })
    expect(found.length).toBeGreaterThan(0)
    for (const { node, job } of found) expect([node, job?.name]).toEqual(['node-3', 'lint'])
  })

  it('lists each repository once', () => {
    expect(repositoriesOf(lives.values())).toEqual([
      'data/models',
      'octo/api',
      'octo/mobile-app',
      'octo/web',
      'tools/compiler',
      'tools/images',
    ])
  })
})
