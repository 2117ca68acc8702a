import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PoolMember } from '../model/pool.ts'
import { decide } from './decide.ts'
import { poolMemberOf } from './need.ts'
import { poolShare } from './pool.ts'
import { memberIn, type SetState } from './state/set-state.ts'
import { a, open } from './state/state.fixture.ts'
import { ids, limits, now, podFacts, runnerSet, startsIn, world } from './world.fixture.ts'

const member = (over: Partial<PoolMember>): PoolMember => {
  const { jobs = 0 } = over
  return { uid: 'me', max: 10, floor: 0, weight: 1, occupied: 0, jobs, asked: jobs, ...over }
}

it.each([
  { case: 'takes all while nobody else asks', me: { jobs: 9 }, others: [{}], share: { now: 9, fair: 9 } },
  {
    case: 'takes no place that others occupy',
    me: { jobs: 9 },
    others: [{ occupied: 7, jobs: 7 }],
    share: { now: 3, fair: 5 },
  },
  { case: 'takes no place of a floor', me: { jobs: 20 }, others: [{ floor: 2 }], share: { now: 8, fair: 8 } },
  { case: 'has its own floor', me: { jobs: 2, floor: 2 }, others: [{ jobs: 20 }], share: { now: 2, fair: 2 } },
  { case: 'shares equally', me: { jobs: 20 }, others: [{ jobs: 20 }], share: { now: 5, fair: 5 } },
  { case: 'shares by weight', me: { jobs: 20, weight: 4 }, others: [{ jobs: 20 }], share: { now: 8, fair: 8 } },
  {
    case: 'leaves to others only what they ask for',
    me: { jobs: 20 },
    others: [{ jobs: 2 }],
    share: { now: 8, fair: 8 },
  },
  {
    case: 'starts spares after the jobs of others',
    me: { asked: 6 },
    others: [{ jobs: 9 }],
    share: { now: 1, fair: 1 },
  },
  {
    case: 'starts jobs before the spares of others',
    me: { jobs: 9 },
    others: [{ asked: 6 }],
    share: { now: 9, fair: 9 },
  },
  { case: 'obeys the lowest ceiling', me: { jobs: 9 }, others: [{ max: 4 }], share: { now: 4, fair: 4 } },
  {
    case: 'starts nothing while others are unknown',
    me: { jobs: 9 },
    others: [{ occupied: undefined }],
    share: { now: undefined, fair: 9 },
  },
  {
    case: 'keeps what it has above its share',
    me: { occupied: 8, jobs: 8 },
    others: [{ jobs: 8 }],
    share: { now: 8, fair: 5 },
  },
])('a member $case', ({ me, others, share }) => {
  expect(
    poolShare(
      member(me),
      others.map((other) => member({ uid: 'other', ...other })),
    ),
  ).toMatchObject(share)
})

const members = fc
  .array(
    fc
      .record({
        max: fc.constant(20),
        floor: fc.nat(3),
        weight: fc.integer({ min: 1, max: 100 }),
        occupied: fc.nat(6),
        jobs: fc.nat(40),
        spares: fc.nat(5),
      })
      .map(({ spares, ...rest }) => ({ ...rest, asked: rest.jobs + spares })),
    { minLength: 1, maxLength: 5 },
  )
  .map((list) => list.map((rest, at) => ({ ...rest, uid: `u${at}` })))

it('members that start one after the other never pass the ceiling, keep the floors, and leave no place free that one asks for', () => {
  fc.assert(
    fc.property(members, (list) => {
      const pool = [...list]
      const sum = () => pool.reduce((total, { occupied }) => total + occupied, 0)
      const before = sum()
      for (const [at, one] of pool.entries()) {
        const share = poolShare(one, pool.toSpliced(at, 1))
        pool[at] = { ...one, occupied: Math.max(one.occupied, share.now ?? 0) }
      }
      expect(sum()).toBeLessThanOrEqual(Math.max(before, 20))
      const floors = list.reduce((total, { occupied, floor }) => total + Math.max(occupied, floor), 0)
      for (const [at, { occupied, floor, asked }] of pool.entries()) {
        if (floors <= 20) expect(occupied).toBeGreaterThanOrEqual(Math.min(floor, asked))
        const kept = pool.reduce(
          (total, other, index) => total + (index === at ? 0 : Math.max(other.occupied, other.floor)),
          0,
        )
        expect(occupied >= asked || occupied + kept >= 20).toBe(true)
      }
    }),
  )
})

it('all members see the same division, which is never above the ceiling and the floors', () => {
  fc.assert(
    fc.property(members, (list) => {
      const shares = list.map((one, at) => poolShare(one, list.toSpliced(at, 1)).fair)
      const floors = list.reduce((total, { floor }) => total + floor, 0)
      expect(shares.reduce((total, fair) => total + fair, 0)).toBeLessThanOrEqual(Math.max(floors, 20))
    }),
  )
})

describe('a set in a pool', () => {
  const set = runnerSet({ scale: { min: 2, max: 10, pool: { name: 'ci', max: 10, floor: 0, weight: 1 } } })
  const given = (jobs: number, others: readonly PoolMember[]) => {
    const bare = world([], { set, demand: { known: true, value: { kind: 'assigned', jobs }, at: now } })
    const me = poolMemberOf(bare, limits, now)
    return world([], { set, demand: bare.demand, pool: me && { me, others } })
  }

  it('starts no more than the pool has places for, and says why', () => {
    const decision = decide(given(8, [member({ occupied: 7, jobs: 9 })]), limits, now, ids)
    expect(startsIn(decision)).toBe(3)
    expect(decision.held?.why).toMatchObject({ is: 'pool', pool: 'ci', max: 10, others: 7 })
    expect(decision.capacity).toMatchObject({ announced: 4, limit: { reason: 'pool' } })
  })

  it('starts nothing while the pods of another member are unknown', () => {
    const decision = decide(given(8, [member({ occupied: undefined })]), limits, now, ids)
    expect(startsIn(decision)).toBe(0)
    expect(decision.held?.why).toEqual({ is: 'pool-unknown', pool: 'ci' })
  })
})

it.each<[string, number, (state: SetState) => void]>([
  [
    'none, while its template is refused',
    0,
    (state) => {
      const { templateHash: hash } = state
      state.template = {
        is: 'refused',
        hash,
        failure: { reason: 'template-invalid', message: '' },
        at: now,
        refusals: 1,
      }
    },
  ],
  [
    'none, while no new runner can avoid the failure of the last one',
    0,
    (state) => {
      state.history = { ...state.history, blocked: { reason: 'image-invalid', message: '' } }
    },
  ],
  [
    'one that tries, while its starts fail',
    1,
    (state) => {
      state.history = { ...state.history, failuresInARow: limits.failuresBeforeProbe, failedAt: now }
    },
  ],
])('asks for no more runners than may start, as the others of its pool see it: %s', (_, more, fail) => {
  const set = runnerSet({ scale: { min: 2, max: 9, pool: { name: 'ci', max: 9, floor: 1, weight: 1 } } })
  const { state, event, list } = open(set)
  list({ [a]: podFacts() })
  event({ kind: 'demand', demand: { kind: 'assigned', jobs: 4 }, at: now })
  expect(memberIn(state, limits, now)).toMatchObject({ floor: 1, occupied: 1, jobs: 4, asked: 6 })
  fail(state)
  expect(memberIn(state, limits, now)).toMatchObject({ floor: 1, occupied: 1, jobs: 1 + more, asked: 1 + more })
})
