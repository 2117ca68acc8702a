// The quotas of a namespace that count the pods of a set, and the room that they leave.
import { expect, it } from 'vitest'
import type { Quota, QuotaScope } from '../model/quota.ts'
import type { Counts } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import { podUseOf } from './pod-use.ts'
import { quotaRooms } from './quota-room.ts'
import { now, world } from './world.fixture.ts'

const counts = (over: Partial<Counts> = {}): Counts => ({
  ...{ starting: 0, idle: 0, busy: 0, spent: 0, ended: 0, occupied: 0, unproved: 0, requested: 0 },
  ...over,
})

function rooms(spec: object, quota: Partial<Quota>, given = counts(), over: Partial<SetWorld> = {}) {
  const { templateHash: hash } = world([])
  const template = { is: 'accepted', hash, warnings: [], use: podUseOf(spec), at: now } as const
  const quotas = [{ name: 'few', hard: { pods: 5 }, used: {}, scopes: [], ...quota }]
  return quotaRooms(world([], { template, quotas, ...over }), given)
}

const scope = (name: string, operator = 'Exists', ...values: string[]): QuotaScope => ({ name, operator, values })
const plain = { containers: [{}] }
const requesting = { containers: [{ resources: { requests: { cpu: '1' } } }] }
const workless = { containers: [{ resources: { requests: { cpu: '0' } } }] }
const ending = { activeDeadlineSeconds: 60 }
const low = { priorityClassName: 'low' }

it.each<[string, object, QuotaScope, boolean]>([
  ['Terminating', ending, scope('Terminating'), true],
  ['Terminating', plain, scope('Terminating'), false],
  ['NotTerminating', plain, scope('NotTerminating'), true],
  ['NotTerminating', ending, scope('NotTerminating'), false],
  ['BestEffort', plain, scope('BestEffort'), true],
  ['BestEffort', requesting, scope('BestEffort'), false],
  ['NotBestEffort', requesting, scope('NotBestEffort'), true],
  ['NotBestEffort', plain, scope('NotBestEffort'), false],
  ['PriorityClass In', low, scope('PriorityClass', 'In', 'low'), true],
  ['PriorityClass In', low, scope('PriorityClass', 'In', 'high'), false],
  ['PriorityClass In', plain, scope('PriorityClass', 'In', 'low'), false],
  ['PriorityClass NotIn', low, scope('PriorityClass', 'NotIn', 'high'), true],
  ['PriorityClass NotIn', low, scope('PriorityClass', 'NotIn', 'low'), false],
  ['PriorityClass NotIn', plain, scope('PriorityClass', 'NotIn', 'low'), true],
  ['PriorityClass DoesNotExist', plain, scope('PriorityClass', 'DoesNotExist'), true],
  ['PriorityClass DoesNotExist', low, scope('PriorityClass', 'DoesNotExist'), false],
  ['PriorityClass Exists', low, scope('PriorityClass'), true],
  ['PriorityClass Exists', plain, scope('PriorityClass'), false],
  ['CrossNamespacePodAffinity', plain, scope('CrossNamespacePodAffinity'), false],
])('a quota with the scope %s for %o: %o counts the pod: %s', (_, spec, one, isCounted) => {
  expect(rooms(spec, { scopes: [one] })).toHaveLength(isCounted ? 1 : 0)
})

it.each<[string, object, Partial<Quota>, Counts, object[]]>([
  [
    'an ended pod uses no place of a running one',
    plain,
    { used: { pods: 2 } },
    counts({ idle: 2, ended: 1, occupied: 2 }),
    [{ pods: 5, free: 3 }],
  ],
  [
    'an ended pod has its object',
    plain,
    { hard: { 'count/pods': 5 }, used: { 'count/pods': 3 } },
    counts({ idle: 2, ended: 1, occupied: 2 }),
    [{ pods: 5, free: 2 }],
  ],
  ['what others use is taken', plain, { used: { pods: 4 } }, counts({ idle: 1, occupied: 1 }), [{ pods: 2, free: 1 }]],
  ['a resource that no pod uses does not matter', plain, { hard: { services: 0 } }, counts(), []],
  ['nor does one of which each pod uses 0', workless, { hard: { cpu: 0 } }, counts(), []],
])('%s', (_, spec, quota, given, expected) => {
  expect(rooms(spec, quota, given)).toMatchObject(expected)
  expect(rooms(spec, quota, given)).toHaveLength(expected.length)
})

it('counts a stuck pod, but no more pods than there are', () => {
  const stuck = (count: number): Partial<SetWorld> => ({
    stuck: { count, oldest: { reason: 'termination-stuck', message: 'm', since: now } },
  })
  const given = counts({ idle: 2, ended: 2, occupied: 2 })
  expect(rooms(plain, { used: { pods: 3 } }, given, stuck(1))).toMatchObject([{ pods: 5, free: 2 }])
  expect(rooms(plain, { used: { pods: 4 } }, given, stuck(9))).toMatchObject([{ pods: 5, free: 1 }])
})

it('is unknown before the template is accepted, and while the quotas are unknown', () => {
  expect(rooms(plain, {}, counts(), { template: undefined })).toEqual([])
  expect(rooms(plain, {}, counts(), { quotas: 'unread' })).toEqual([])
})
