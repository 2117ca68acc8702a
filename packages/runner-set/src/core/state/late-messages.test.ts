// Messages of a forge that come long after what they report.
import { expect, it } from 'vitest'
import { limits, now, registration } from '../world.fixture.ts'
import { ForgeReadings } from './forge-readings.ts'
import { PendingRemovals } from './pending-removals.ts'

const late = limits.lateEventMs
const jobs = { kind: 'assigned', jobs: 1 } as const

it.each([
  ['in time', late, 0],
  ['late', late + 1, now + late],
])('an event of a job that comes %s shows how long others may still wait', (_when, age, until) => {
  const forge = new ForgeReadings()
  forge.jobReported(now - age, now, limits)
  expect(forge.backlogUntil).toBe(until)
})

it('a demand with the time of its count is as late as that time', () => {
  const forge = new ForgeReadings()
  forge.demandReported({ demand: jobs, at: now }, now, limits)
  expect([forge.backlogUntil, forge.demand]).toEqual([0, { known: true, value: jobs, at: now }])
  forge.demandReported({ demand: jobs, at: now, countedAt: now - late - 1 }, now, limits)
  expect(forge.backlogUntil).toBe(now + late)
  expect(forge.demand).toEqual({ known: true, value: jobs, at: now, countedAt: now - late - 1 })
})

/** One runner that left without a job, as far as is known. Its removal is due now. */
function leftEarly({ early = true } = {}) {
  const removals = new PendingRemovals()
  removals.add(registration('r', { id: '7' }), now, { early, busy: false })
  return removals
}
const listOf = (...ids: readonly string[]) => new Map([['r', ids.map((id) => registration('r', { id }))]])

it('a list says nothing about a runner that left early while events may still wait', () => {
  const removals = leftEarly()
  expect(removals.compare(new Map(), now, now + 1)).toEqual([])
  expect(removals.all()).toMatchObject([{ early: true, dueAt: now + 1 }])
  expect(removals.compare(new Map(), now + 1, now + 1)).toEqual([{ name: 'r', isListed: false }])
  expect(removals.all()).toEqual([])
})

it('a removal that is not early is over with the list that lacks it, also while events may still wait', () => {
  const removals = leftEarly({ early: false })
  expect(removals.compare(listOf('7'), now, now + 9)).toEqual([])
  expect(removals.all()).toMatchObject([{ dueAt: now }])
  removals.compare(new Map(), now, now + 9)
  expect(removals.all()).toEqual([])
})

it.each([
  ['its own registration', ['8', '7'], true],
  ['only another registration of its name', ['8'], true],
  ['none', [], false],
])('a list with %s of the runner', (_what, ids, isListed) => {
  expect(leftEarly().compare(listOf(...ids), now, 0)).toEqual([{ name: 'r', isListed }])
})

it.each([
  ['it', ['8', '7'], 7, false],
  ['another one', ['7', '8'], 8, true],
])('a busy removal ends its wait when the list shows %s as idle', (_which, ids, idle, isBusy) => {
  const removals = new PendingRemovals()
  removals.add(registration('r', { id: '7' }), now + 900, { early: false, busy: true })
  const listed = ids.map((id) => registration('r', { id, busy: id !== String(idle) }))
  removals.compare(new Map([['r', listed]]), now, 0)
  expect(removals.all()).toMatchObject([{ busy: isBusy }])
})
