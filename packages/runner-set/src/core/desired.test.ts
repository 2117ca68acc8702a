import { expect, it } from 'vitest'
import type { Demand } from '../model/demand.ts'
import { desiredRunners, shownDemand } from './desired.ts'

it.each<[string, Demand, number, number, number?]>([
  ['assigned jobs include the running ones', { kind: 'assigned', jobs: 4 }, 3, 5],
  ['queued jobs do not', { kind: 'queued', jobs: 4 }, 3, 8],
  ['runners that are busy at the forge count', { kind: 'utilisation', busy: 4, idle: 0 }, 3, 5],
  ['so do runners that are busy here', { kind: 'utilisation', busy: 2, idle: 1 }, 3, 4],
  ['max bounds them', { kind: 'queued', jobs: 40 }, 3, 10],
  ['the usual demand includes the jobs', { kind: 'assigned', jobs: 4 }, 3, 7, 7],
  ['more jobs than usual have their idle runner, too', { kind: 'assigned', jobs: 7 }, 3, 8, 7],
])('%s', (_name, demand, busy, expected, usual = 0) => {
  expect(desiredRunners(demand, { min: 1, max: 10, usual }, busy)).toBe(expected)
})

it.each<[Demand, number | undefined, number | undefined]>([
  [{ kind: 'assigned', jobs: 4 }, 3, 4],
  [{ kind: 'assigned', jobs: 4 }, undefined, 4],
  [{ kind: 'queued', jobs: 4 }, 3, 7],
  [{ kind: 'queued', jobs: 4 }, undefined, undefined],
  [{ kind: 'utilisation', busy: 4, idle: 1 }, undefined, 4],
])('the jobs of %o that wait or run, with %s busy runners, are %s', (demand, busy, shown) => {
  expect(shownDemand(demand, busy)).toBe(shown)
})
