// The problems of a set, and their order.
import { expect, it } from 'vitest'
import type { Failure, FailureReason } from '../model/failure.ts'
import type { SetWorld } from '../model/world.ts'
import { fullQuota, type Judged, problemsOf } from './problems.ts'
import { noReruns } from './rerun/reruns.ts'
import { now, world } from './world.fixture.ts'

const failure = (reason: FailureReason): Failure => ({ reason, message: 'm' })
const none: Judged = { failures: 0, left: undefined, version: undefined, assignment: undefined, full: undefined }
const kinds = (over: Partial<SetWorld>, judged: Partial<Judged> = {}) =>
  problemsOf(world([], over), { ...none, ...judged }).map(({ kind, reason }) => `${kind}: ${reason}`)

const stuck: Partial<SetWorld> = {
  stuck: { count: 1, oldest: { reason: 'termination-stuck', message: 'm', since: now } },
}

it('a version that cannot register is urgent, and one that ends later is the last problem', () => {
  expect(kinds(stuck, { version: failure('runner-outdated') })).toEqual([
    'version: runner-outdated',
    'stuck: termination-stuck',
  ])
  expect(kinds(stuck, { version: failure('runner-version-ends') })).toEqual([
    'stuck: termination-stuck',
    'version: runner-version-ends',
  ])
})

it.each(['look-run', 'change-run', 'notify-author'] as const)('a refused %s is a problem of repeated jobs', (what) => {
  const refused = { ...noReruns.refused, [what]: failure('rerun-refused') }
  expect(kinds({ reruns: { ...noReruns, refused } })).toEqual(['rerun: rerun-refused'])
})

it('no quota is full while it is unknown how many runners the set needs', () => {
  const quotas = [{ name: 'few', hard: { pods: 0 }, used: {}, scopes: [] }]
  expect(fullQuota(world([], { quotas, need: undefined }))).toBeUndefined()
  const counts = { known: false, since: now, why: '' } as const
  const need = { wanted: 1, living: 0, covered: 0, missing: 1, surplus: -1 }
  expect(fullQuota({ ...world([], { quotas, counts }), need })).toBeUndefined()
  expect(fullQuota({ ...world([], { quotas }), need })?.message).toContain('and the set needs 1')
})
