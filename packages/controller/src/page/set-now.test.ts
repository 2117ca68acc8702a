import { newSetState } from '@dayfly/runner-set/core/state/set-state'
import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import type { Demand } from '@dayfly/runner-set/model/demand'
import { defaultLimits as limits } from '@dayfly/runner-set/model/limits'
import { expect, test } from 'vitest'
import { insightOf } from '../set-reading.ts'
import { setNowOf } from './set-now.ts'

const now = 1_800_000_000_000
const nothing = { waitingSince: null, oldestQueuedAt: null, differsSince: null }

function insight({ jobs, at = now }: { jobs?: number; at?: number }, paused = false) {
  const state = newSetState(runnerSet({ paused }))
  state.pods = { known: true, value: true, at: now }
  const demand: Demand = { kind: 'assigned', jobs: jobs ?? 0 }
  if (jobs === undefined) state.forge.paused(at)
  else state.forge.demandReported({ demand, at }, at, limits)
  return insightOf(state, true, undefined)
}

test.each([
  ['at rest', insight({ jobs: 0 })],
  ['that is paused', insight({}, true)],
])('a set %s shows the same some seconds later, and nothing old', (_state, of) => {
  const shown = setNowOf(of, nothing, limits, now)
  expect(shown.oldSince).toBeNull()
  expect(setNowOf(of, nothing, limits, now + 10_000)).toEqual(shown)
})

test('a demand that nobody confirms is old', () => {
  const at = now - limits.demandAgeMs - 1
  expect(setNowOf(insight({ jobs: 2, at }), nothing, limits, now).oldSince).toBe(at)
})

test('a set shows a difference to the forge after two minutes', () => {
  const of = { ...insight({ jobs: 0 }), forgeRunners: { registered: 3, busy: 2, at: now } }
  const shown = (sinceMs: number) => setNowOf(of, { ...nothing, differsSince: now - sinceMs }, limits, now).difference
  expect(shown(119_000)).toBeNull()
  expect(shown(121_000)?.sentence).toMatch(/counts 2 runners with a job, and the cluster shows 0/)
})
