import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { describe, expect, test } from 'vitest'
import type { ControllerState } from '../controller.ts'
import { aliveChecks, type Check, describeChecks, passes, readyChecks } from './checks.ts'

const now = virtualClock().now()
const watched = (resource: string) => ({ resource, listedAt: now - 60_000, failure: undefined })
const leading: ControllerState = {
  election: { state: { is: 'leading' }, turnedAt: now, failure: undefined },
  watches: [watched('pods'), watched('runnersets')],
  sets: [],
  invalid: [],
}
const reading = (name: string, forgeFailure: ControllerState['sets'][number]['forgeFailure'], max = 5) => ({
  set: { namespace: 'ci', name, scale: { min: 0, max } } as RunnerSet,
  counts: undefined,
  demand: undefined,
  announced: undefined,
  announcedReason: undefined,
  usual: undefined,
  min: undefined,
  conditions: [],
  connected: forgeFailure === undefined,
  forgeFailure,
  runnerVersion: undefined,
})
const unreachable = { reason: 'forge-unreachable', message: 'connect ECONNREFUSED' } as const
const verdict = (checks: readonly Check[]) => checks.map(({ name, is }) => `${name} ${is}`)

describe('/readyz', () => {
  const down = (ms: number) => ({
    ...watched('pods'),
    failure: { since: now - ms, why: 'refused', by: 'outage' as const, isUntrusted: false },
  })
  const election = (change: Partial<ControllerState['election']>) => ({
    ...leading,
    election: { ...leading.election, ...change },
  })
  test.each<[string, ControllerState | undefined, readonly string[]]>([
    ['fails without an answer of the API server', undefined, ['api-server failed']],
    ['passes for the leader', leading, []],
    ['passes for a warm standby', election({ state: { is: 'following', holder: 'b' } }), []],
    ['fails before a leader is known', election({ state: undefined }), ['election failed']],
    ['fails after leadership was lost', election({ state: { is: 'lost', why: 'late' } }), ['election failed']],
    [
      'fails for a standby that cannot read the Lease',
      election({ state: { is: 'following', holder: 'b' }, failure: 'forbidden' }),
      ['election failed'],
    ],
    [
      'warns of a leader that cannot renew, because it still leads',
      election({ failure: 'slow' }),
      ['election warning'],
    ],
    [
      'fails before the first complete list',
      { ...leading, watches: [{ ...watched('pods'), listedAt: undefined }] },
      ['cache-pods failed'],
    ],
    ['warns of a watch that was interrupted just now', { ...leading, watches: [down(29_000)] }, ['cache-pods warning']],
    ['fails when a watch is down for more than 30 s', { ...leading, watches: [down(31_000)] }, ['cache-pods failed']],
    [
      'warns of a forge that cannot be reached, because other sets work',
      { ...leading, sets: [reading('a', undefined), reading('b', unreachable)] },
      ['forge warning'],
    ],
    ['asks for no connection of a paused set', { ...leading, sets: [reading('a', unreachable, 0)] }, []],
    [
      'asks for no connection of a standby',
      { ...election({ state: { is: 'following', holder: 'b' } }), sets: [reading('a', unreachable)] },
      [],
    ],
  ])('%s', (_, state, problems) => {
    const checks = readyChecks(state, undefined, now)
    expect(verdict(checks.filter(({ is }) => is !== 'ok'))).toEqual(problems)
    expect(passes(checks)).toBe(!problems.some((problem) => problem.endsWith('failed')))
  })

  test('lists each check with its state and its reason', () => {
    const sets = [
      reading('a', undefined),
      ...['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => reading(name, unreachable)),
    ]
    const checks = readyChecks({ ...leading, sets }, undefined, now)
    expect(describeChecks('readyz', checks).split('\n')).toEqual([
      '[+]election ok: this process leads.',
      '[+]cache-pods ok: complete and watched',
      '[+]cache-runnersets ok: complete and watched',
      expect.stringMatching(
        /^\[!\]forge warning: 1 of 8 sets connected; ci\/b: forge-unreachable: connect ECONNREFUSED; .*; and 2 more$/,
      ),
      'readyz check passed',
      '',
    ])
    const failed = readyChecks(undefined, 'connect ECONNREFUSED 10.0.0.1:443', now)
    expect(describeChecks('readyz', failed)).toBe(
      '[-]api-server failed: connect ECONNREFUSED 10.0.0.1:443\nreadyz check failed\n',
    )
  })
})

describe('/healthz', () => {
  test('fails when no timer runs, or when the election does not turn', () => {
    expect(verdict(aliveChecks(leading, now - 1_000, now))).toEqual(['loop ok', 'election ok', 'credential ok'])
    expect(verdict(aliveChecks(leading, now - 15_001, now))[0]).toBe('loop failed')
    const quiet = { ...leading, election: { ...leading.election, turnedAt: now - 30_001 } }
    expect(verdict(aliveChecks(quiet, now, now))[1]).toBe('election failed')
  })

  test('fails when the API server refuses the credential of every watch for more than 5 min', () => {
    const refused = (resource: string, ms: number) => ({
      ...watched(resource),
      failure: { since: now - ms, why: 'Unauthorized', by: 'installation' as const, isUntrusted: true },
    })
    const alive = (watches: ControllerState['watches']) => passes(aliveChecks({ ...leading, watches }, now, now))
    expect(alive([refused('pods', 300_001), refused('runnersets', 300_001)])).toBe(false)
    expect(alive([refused('pods', 300_001), refused('runnersets', 299_999)])).toBe(true)
    expect(alive([refused('pods', 300_001), watched('runnersets')])).toBe(true)
  })

  test('passes while the API server is gone, because a restart would not bring it back', () => {
    const state: ControllerState = {
      ...leading,
      election: { state: { is: 'lost', why: 'late' }, turnedAt: now, failure: 'refused' },
      watches: [
        {
          resource: 'pods',
          listedAt: undefined,
          failure: { since: 0, why: 'refused', by: 'outage', isUntrusted: false },
        },
      ],
    }
    expect(passes(aliveChecks(state, now, now))).toBe(true)
    expect(passes(aliveChecks(undefined, now, now))).toBe(true)
  })
})
