// Each live rule on a running cluster: the API and the kubelet create the state, and exactly this rule finds exactly this object.
// The same state without the hazard gives no finding.
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { afterEach, describe, expect, test } from 'vitest'
import { type LiveStage, openLiveStage } from './live-stage.fixture.ts'
import { arcStates } from './live-states/arc.fixture.ts'
import { jobStates } from './live-states/jobs.fixture.ts'
import { podStates } from './live-states/pods.fixture.ts'
import type { LiveState } from './live-states/state.fixture.ts'

const states: readonly LiveState[] = [...podStates, ...jobStates, ...arcStates]

let stage: LiveStage | undefined
afterEach(async () => {
  await stage?.cluster.stop()
  stage = undefined
})

describe.each(states)('$code: $what', ({ code, options, make, along = [], says, look }) => {
  test('is found, on that object', async () => {
    stage = await openLiveStage(options)
    const on = await make(stage, true)
    const { found, messages } = await stage.look(look)
    expect(found).toEqual([...along, `${code} ${on}`].sort())
    if (says !== undefined) expect(messages.join('\n')).toContain(says)
  })

  test('gives no finding without the hazard', async () => {
    stage = await openLiveStage(options)
    await make(stage, false)
    expect((await stage.look(look)).found).toEqual([])
  })
})

test('covers every rule for live clusters', () => {
  const live = catalogue.filter(({ modes }) => modes.includes('live')).map(({ code }) => code)
  expect(live.filter((code) => !states.some((state) => state.code === code))).toEqual([])
})
