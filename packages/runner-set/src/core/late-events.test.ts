import { expect, it } from 'vitest'
import { failureOfLate } from './late-events.ts'
import { a, job, open, seconds } from './state/state.fixture.ts'
import { limits, now, registration } from './world.fixture.ts'

const minutes = (count: number) => seconds(60 * count)

/** A set that has been connected since `now`, with a demand of one job. */
function connected() {
  const set = open()
  set.list()
  const demand = (at: number) => set.event({ kind: 'demand', demand: { kind: 'assigned', jobs: 1 }, at }, at)
  const waits = (assignedAt: number | undefined, at: number) =>
    set.event({ kind: 'job-waits', job, queuedAt: now - minutes(60), assignedAt }, at)
  const shown = (at: number) => failureOfLate(set.world(at).late, limits, at)?.message
  demand(now)
  return { ...set, demand, waits, shown }
}
const happened = now + minutes(1)
const arrived = happened + minutes(10)

it('shows by how much the last event was late, until one arrives in time or none was late for a while', () => {
  const set = connected()
  set.waits(happened, arrived)
  expect(set.shown(arrived)).toBe('The last one arrived 10 min after it happened.')
  expect(set.tick(arrived).events).toMatchObject([{ kind: 'forge-failed', failure: { reason: 'forge-events-late' } }])
  expect(set.shown(arrived + limits.failureMemoryMs - 1)).toBeDefined()
  expect(set.shown(arrived + limits.failureMemoryMs)).toBeUndefined()
  set.event({ kind: 'job-started', runner: 'x', job, at: arrived, queuedAt: undefined }, arrived + seconds(1))
  expect(set.shown(arrived + seconds(1))).toBeUndefined()
})

it.each<[string, (set: ReturnType<typeof connected>) => void]>([
  ['waited long before it was given to the set', (set) => set.waits(arrived - seconds(1), arrived)],
  ['has no time', (set) => set.waits(undefined, arrived)],
  ['happened before the connection', (set) => set.waits(now - seconds(1), arrived)],
  [
    'happened while the forge failed',
    (set) => {
      set.event({ kind: 'failing', failure: { reason: 'forge-unreachable', message: '' }, since: now }, now)
      set.demand(happened + seconds(1))
      set.waits(happened, arrived)
    },
  ],
])('is not shown for a job that %s', (_title, happens) => {
  const set = connected()
  happens(set)
  expect(set.shown(arrived)).toBeUndefined()
})

/** A runner that starts and ends well while no message about its job has arrived. */
function quickRunner(set: ReturnType<typeof connected>, at: number): void {
  set.request(at)
  set.outcome({ action: 'start-runner', runner: a, result: { is: 'registered', registration: registration(a) } }, at)
  const end = { exitCode: 0, reason: 'Completed', at: at + seconds(60) }
  const facts = { createdAt: at, startedAt: at, end, finished: true }
  set.seen(facts, end.at)
  set.gone(facts, end.at)
}

it('replaces no runner whose job may be over by an old count, and takes it for no idle one', () => {
  const set = connected()
  set.waits(happened, arrived)
  set.demand(arrived)
  quickRunner(set, arrived)
  const later = arrived + minutes(5)
  set.demand(later)
  set.listed([], later)
  expect(set.world(later).need).toMatchObject({ covered: 1, missing: 0 })
  expect(set.state.history.left.runners).toBe(0)
  // A count that comes with a message is a new one.
  set.waits(later - minutes(10), later)
  set.demand(later)
  expect(set.world(later).need?.missing).toBe(1)
})

it('replaces it by a count in time, as without a late event', () => {
  const set = connected()
  quickRunner(set, arrived)
  const later = arrived + minutes(5)
  set.demand(later)
  set.listed([], later)
  expect(set.world(later).need?.missing).toBe(1)
  expect(set.state.history.left.runners).toBe(1)
})
