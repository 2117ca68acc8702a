import { describe, expect, it } from 'vitest'
import type { Changes } from '../model/page-state.ts'
import { applyChanges, applySnapshot, emptyState } from './page-state.ts'
import { createSample } from './sample.fixture.ts'

const begin = 1_700_000_000_000
const size = { sets: 3, runners: 20, gone: 10, failing: 1, waiting: 4, silent: 0 }

function loaded() {
  const sample = createSample(size, begin)
  const state = emptyState()
  applySnapshot(state, sample.snapshot(begin))
  return { sample, state }
}

const nothing: Changes = { version: 2, at: begin, put: {}, gone: {} }

describe('the state of the page', () => {
  it('after any changes is what a new snapshot shows', () => {
    const { sample, state } = loaded()
    for (let step = 1; step <= 200; step++) applyChanges(state, sample.step(begin + step * 250))
    const fresh = emptyState()
    applySnapshot(fresh, sample.snapshot(begin + 200 * 250))
    const { sets, lives, jobs } = state.tables
    expect(sets).toEqual(fresh.tables.sets)
    expect(new Set(lives.values())).toEqual(new Set(fresh.tables.lives.values()))
    expect(jobs).toEqual(fresh.tables.jobs)
    expect(state.head).toEqual(fresh.head)
  })

  it('ignores a version that it already has', () => {
    const { sample, state } = loaded()
    const changes = sample.step(begin + 250)
    expect(applyChanges(state, changes)).toEqual(['head', 'sets', 'lives'])
    expect(applyChanges(state, changes)).toEqual([])
  })

  it('names only the parts that changed', () => {
    const { state } = loaded()
    expect(applyChanges(state, nothing)).toEqual([])
    expect(applyChanges(state, { ...nothing, version: 3, gone: { jobs: ['job-30'] } })).toEqual(['jobs'])
    expect(applyChanges(state, { ...nothing, version: 4, marks: [] })).toEqual(['marks'])
  })

  it('drops entities that a new snapshot does not have', () => {
    const { sample, state } = loaded()
    applySnapshot(state, { ...sample.snapshot(begin), lives: [] })
    expect(state.tables.lives.size).toBe(0)
  })

  it('ignores changes before the first snapshot', () => {
    expect(applyChanges(emptyState(), { ...nothing, version: 9 })).toEqual([])
  })
})
