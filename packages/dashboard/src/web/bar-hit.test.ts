import { expect, test } from 'vitest'
import { noSteps } from '../history/steps.ts'
import type { Life } from '../model/life.ts'
import { nearestOf } from './bar-hit.ts'

const life = (id: string, from: number, to: number | null): Life =>
  ({ id, phase: to === null ? 'busy' : 'gone', steps: { ...noSteps, created: from, gone: to } }) as Life
const lane = [life('a', 0, 100), life('b', 103, 110), life('c', 200, null)]

test.each([
  [50, 'a'],
  [101, 'a'],
  [102.5, 'b'],
  [105, 'b'],
  [110, 'b'],
  [114, 'b'],
  [150, null],
  [196, 'c'],
  [299, 'c'],
])('at %s, the pointer finds the nearest bar: %s', (at, id) => {
  expect(nearestOf(lane, { at, now: 300, reachMs: 4 })?.id ?? null).toBe(id)
})
