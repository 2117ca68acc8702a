import { describe, expect, it } from 'vitest'
import type { Capacity } from '../model/capacity.ts'
import type { SetWorld } from '../model/world.ts'
import { capacityDue, capacityOf, firstCapacity } from './capacity.ts'
import { podUseOf } from './pod-use.ts'
import { noHistory } from './state/history.ts'
import { seconds } from './state/state.fixture.ts'
import { limits, now, runner, runnerSet, world } from './world.fixture.ts'

const announcing = (announced: number, more: Partial<Capacity> = {}): Capacity => ({
  announced,
  limit: undefined,
  tightAt: undefined,
  moreSince: undefined,
  ...more,
})
const living = (count: number) => Array.from({ length: count }, (_, index) => runner(`r${index}`, { startedAt: now }))
const few = (hard: Record<string, number>, used: Record<string, number> = {}) => ({
  quotas: [{ name: 'few', hard, used, scopes: [] }],
})
const cpu = podUseOf({ containers: [{ resources: { requests: { cpu: '100m' } } }] })
const withUse = (use = cpu): Partial<SetWorld> => {
  const { templateHash: hash } = world([])
  return { template: { is: 'accepted', hash, warnings: [], use, at: now } }
}
const refused = (reason: 'quota-exceeded' | 'admission-denied'): Partial<SetWorld> => {
  const { templateHash: hash } = world([])
  return { template: { is: 'refused', hash, failure: { reason, message: 'why' }, at: now, refusals: 1 } }
}
const waiting = (count: number, ms: number) => ({
  unplaced: { count, oldest: { reason: 'unschedulable', message: '0/3 nodes', since: now - ms } as const },
})
const shown = ({ announced, limit }: Capacity) => `${announced}${limit ? ` (${limit.reason})` : ''}`

function announced(runners: number, over: Partial<SetWorld>, at = now) {
  return capacityOf({ world: world(living(runners), over), limits, now: at })
}

describe('a set of at most 10 announces', () => {
  it.each<[string, number, Partial<SetWorld>, string]>([
    ['its maximum while nothing is in the way', 0, {}, '10'],
    ['what a quota of pods allows', 0, few({ pods: 3 }), '3 (quota)'],
    ['the same while its own pods use the quota', 3, few({ pods: 3 }, { pods: 3 }), '3 (quota)'],
    ['the same before the quota counts its pods', 3, few({ pods: 3 }, { pods: 0 }), '3 (quota)'],
    ['less when others use the quota', 1, few({ pods: 3 }, { pods: 3 }), '1 (quota)'],
    ['its maximum if a quota allows just that', 0, few({ pods: 10 }), '10'],
    ['what a quota of a sum of doubles allows', 0, { ...few({ 'requests.cpu': 0.3 }), ...withUse() }, '3 (quota)'],
    [
      'what the tightest of two quotas allows',
      0,
      { quotas: [...few({ pods: 9 }).quotas, ...few({ secrets: 4 }).quotas] },
      '4 (quota)',
    ],
    ['its maximum beside a quota of other resources', 0, few({ services: 0 }), '10'],
    ['one where nothing fits, because 0 loses jobs', 0, few({ pods: 0 }), '1 (quota)'],
    ['the runners that live while pods are refused', 4, refused('quota-exceeded'), '4 (refused)'],
    ['all while runners wait for an autoscaler', 4, waiting(2, limits.unplacedMs - 1), '10'],
    ['the placed ones while runners find no node', 4, waiting(3, limits.unplacedMs), '1 (no-room)'],
    [
      'one more than work while starts fail',
      2,
      { history: { ...noHistory, failuresInARow: 5, rounds: 5, failedAt: now } },
      '1 (failing)',
    ],
    [
      'one more than work once enough starts have failed',
      2,
      { history: { ...noHistory, failuresInARow: limits.failuresBeforeProbe, rounds: 1, failedAt: now } },
      '1 (failing)',
    ],
    [
      'its maximum before the other sets of its pool are known',
      0,
      {
        set: runnerSet({ scale: { min: 0, max: 10, pool: { name: 'ci', max: 6, floor: 0, weight: 1 } } }),
        pool: undefined,
      },
      '10',
    ],
    ['what the forge lets it register', 2, { allowance: { now: 3, nextAt: undefined } }, '5 (forge-limit)'],
    ['its maximum without a link', 2, { allowance: { now: 0, nextAt: undefined } }, '10'],
    ['the living ones before its quotas are read', 2, { quotas: 'unread' }, '2 (unchecked)'],
    ['its maximum without the right to read quotas', 2, { quotas: 'unreadable' }, '10'],
  ])('%s', (_, runners, over, expected) => {
    expect(shown(announced(runners, over))).toBe(expected)
  })

  it.each([
    ['the quotas that are not read', { quotas: 'unread' }, 'Dayfly still reads the quotas of the namespace'],
    ['the template that is not checked', { template: undefined }, 'Dayfly still reads the template'],
    ['one runner without a node', waiting(1, limits.unplacedMs), '1 runner waits for a node: 0/3 nodes'],
    ['runners without a node', waiting(2, limits.unplacedMs), '2 runners wait for a node: 0/3 nodes'],
  ] as const)('with a detail about %s', (_, over, detail) => {
    expect(announced(4, over).limit?.detail).toBe(detail)
  })

  it('nothing new while the pods are unknown', () => {
    const capacity = announcing(4)
    const over = { capacity, counts: { known: false, since: now, why: '' } as const, ...few({ pods: 1 }) }
    expect(announced(0, over).announced).toBe(4)
  })

  it('its maximum to a forge that gives it no jobs at once', () => {
    const set = runnerSet({ source: { ...runnerSet().source, kind: 'gitea', runnerGroup: undefined } })
    expect(firstCapacity(set)).toMatchObject({ announced: 10, limit: undefined })
    expect(shown(announced(0, { set, ...few({ pods: 3 }) }))).toBe('10')
  })
})

describe('a set that could announce more', () => {
  it('waits, because what a quota counts is late for a moment', () => {
    const before = announcing(3, { limit: { reason: 'quota', detail: '' } })
    const first = announced(3, { capacity: before })
    expect(shown(first)).toBe('3 (quota)')
    expect(capacityDue(first, { world: world([]), limits, now })).toBe(now + limits.capacityRiseMs)
    expect(shown(announced(3, { capacity: first }, now + limits.capacityRiseMs - 1))).toBe('3 (quota)')
    expect(shown(announced(3, { capacity: first }, now + limits.capacityRiseMs))).toBe('10')
  })

  it('begins its wait again when it could not in between', () => {
    const before = announcing(3, { moreSince: now - seconds(1) })
    const again = announced(3, { capacity: before, ...few({ pods: 3 }) })
    expect(again.moreSince).toBeUndefined()
  })

  it('does not wait after the first look at its cluster', () => {
    expect(shown(announced(0, { capacity: firstCapacity(runnerSet()) }))).toBe('10')
  })

  it('grows in steps after a lack of room, and freely when that is long ago', () => {
    const tight = announced(4, waiting(3, limits.unplacedMs))
    const ready = { ...tight, moreSince: now - limits.capacityRiseMs }
    expect(shown(announced(4, { capacity: ready }, now + 1))).toBe('5 (no-room)')
    expect(shown(announced(5, { capacity: ready }, now + 1))).toBe('7 (no-room)')
    expect(capacityDue(tight, { world: world([]), limits, now: now + 1 })).toBe(now + limits.roomAgainMs)
    expect(shown(announced(4, { capacity: ready }, now + limits.roomAgainMs))).toBe('10')
  })

  it('takes a refusal by a rule for no lack of room', () => {
    expect(announced(4, refused('admission-denied')).tightAt).toBeUndefined()
    expect(announced(4, refused('quota-exceeded')).tightAt).toBe(now)
  })
})
