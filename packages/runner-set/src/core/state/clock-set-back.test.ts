// The API server's clock is set back while the controller runs. Facts that the controller knows are then dated in the future.
import { expect, it } from 'vitest'
import { now, podFacts, registration } from '../world.fixture.ts'
import { a, open, seconds } from './state.fixture.ts'

/** Half an hour ahead of the corrected clock. */
const ahead = now + seconds(1_800)
const running = { startedAt: now }

it('takes a pod for gone that was seen before, and that no list has any more', () => {
  const set = open()
  set.seen(running, ahead)
  set.list({}, now, now + 1)
  expect(set.runner()).toBeUndefined()
})

it('takes a registration for absent that was listed before, and that no list has any more', () => {
  const set = open()
  set.list({ [a]: podFacts(running) }, ahead)
  set.listed([registration(a), registration('other')], ahead)
  set.listed([registration('other')], now, now + 1)
  expect(set.runner()?.registration).toEqual({ is: 'absent', at: now })
})

it.each([
  ['pods', (set: ReturnType<typeof open>) => set.list({ [a]: podFacts(running) }, ahead, now)],
  ['registrations', (set: ReturnType<typeof open>) => set.listed([registration(a)], ahead, now)],
])('dates a list of %s by its arrival if the clock is set back during its request', (_name, take) => {
  const set = open()
  set.seen(running, now - 1)
  take(set)
  expect(JSON.stringify(set.state)).not.toContain(String(ahead))
  expect(JSON.stringify(set.runner())).not.toContain(String(ahead))
})
