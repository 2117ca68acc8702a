import { describe, expect, it } from 'vitest'
import type { Failure } from '../model/failure.ts'
import type { Condition } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'
import { podUseOf } from './pod-use.ts'
import { camelCase, statusChangesAt, statusOf } from './report.ts'
import { noHistory } from './state/history.ts'
import { job, limits, now, runner, runnerSet, world } from './world.fixture.ts'

const shown = (over: Partial<SetWorld>, type: Condition['type']) =>
  statusOf({ world: world([], over), limits, now }).conditions.find((condition) => condition.type === type)
const failure: Failure = { reason: 'image-missing', message: 'x' }
const proved = { ...noHistory, proof: 'proved' } as const
const failed = (failuresInARow: number, failedAt = now) => ({
  ...proved,
  failuresInARow,
  failedAt,
  last: { ...failure, at: now, runner: 'a' },
})
const tried = (failuresInARow = 0, failedAt = now) => ({ ...failed(failuresInARow, failedAt), proof: 'tried' }) as const
const none = { wanted: 0, living: 0, covered: 0, missing: 0, surplus: 0 }
/** A set of a pool of four places, whose fair share is one at least. @param taken places of the other set, most of them for idle spares */
const pooled = (taken: number): Partial<SetWorld> => {
  const pool = { name: 'ci', max: 4, weight: 1, floor: 0 }
  const others = [{ uid: 'other', max: 4, weight: 1, floor: 0, occupied: taken, jobs: 1, asked: taken }]
  const me = { uid: 'me', max: 4, weight: 1, floor: 0, occupied: 0, jobs: 0, asked: 1 }
  return { set: runnerSet({ scale: { ...runnerSet().scale, pool } }), pool: { me, others } }
}
const refused = (reason: Failure['reason'] = 'admission-denied'): Partial<SetWorld> => {
  const { templateHash } = world([])
  const denied: Failure = { reason, message: 'by policy p' }
  return { template: { is: 'refused', hash: templateHash, failure: denied, at: now, refusals: 1 } }
}
const paused = runnerSet({ paused: true })
const unknown = { known: false, since: now, why: '' } as const
const jobs = (count: number): Partial<SetWorld> => ({
  demand: { known: true, value: { kind: 'assigned', jobs: count }, at: now },
})
const allowed = (): Partial<SetWorld> => {
  const hazard: Failure = { reason: 'template-hangs', message: 'spec.containers[0]: why' }
  return { template: { is: 'accepted', hash: world([]).templateHash, warnings: [hazard], use: podUseOf({}), at: now } }
}
const unauthorized = { reason: 'forge-unauthorized', message: '401', since: now } as const
const unreachable = { reason: 'forge-unreachable', message: 'no response', since: now } as const
const stuck = (count: number) => ({ count, oldest: { reason: 'termination-stuck', message: '', since: now } as const })
const few = (pods: number) => [{ name: 'few', hard: { pods }, used: {}, scopes: [] }]
const ending = (days: number): SetWorld['runnerVersion'] => ({
  ...{ version: '2.330.0', from: 'runner', minimum: undefined },
  schedule: { runtimeEndsAt: undefined, registrationEndsAt: now + days * 86_400_000 },
})
const blocked = { ...noHistory, blocked: { reason: 'image-invalid', message: 'y' } as const }

describe('conditions', () => {
  it.each<[Condition['type'], string, string, Partial<SetWorld>]>([
    ['Degraded', 'True', 'QuotaExceeded', { ...jobs(3), quotas: few(2) }],
    ['Degraded', 'False', 'AsExpected', { ...jobs(2), quotas: few(2) }],
    ['Ready', 'True', 'Ready', {}],
    ['Ready', 'False', 'AdmissionDenied', refused()],
    ['Ready', 'Unknown', 'Checking', { template: undefined }],
    ['Ready', 'Unknown', 'Checking', { templateHash: 'other' }],
    ['Ready', 'False', 'ForgeUnauthorized', { forgeFailure: unauthorized }],
    ['Ready', 'False', 'ImageInvalid', { history: blocked }],
    ['Ready', 'True', 'Paused', { set: paused }],
    ['Ready', 'True', 'Paused', { set: runnerSet({ scale: { min: 0, max: 0 } }) }],
    ['Ready', 'True', 'Paused', { set: paused, forgeFailure: unreachable, demand: unknown }],
    ['Ready', 'False', 'ImageInvalid', { set: paused, history: blocked }],
    ['ForgeConnected', 'Unknown', 'Paused', { set: paused, demand: unknown }],
    ['ForgeConnected', 'False', 'ForgeUnauthorized', { set: paused, forgeFailure: unauthorized }],
    ['Ready', 'True', 'WaitingForForgeLimit', { ...jobs(1), allowance: { now: 0, nextAt: now + 60_000 } }],
    ['Ready', 'True', 'Ready', { ...jobs(1), history: proved, allowance: { now: 1, nextAt: now + 60_000 } }],
    ['Ready', 'Unknown', 'Starting', jobs(1)],
    ['Ready', 'Unknown', 'Starting', { history: tried(), need: { ...none, living: 1 } }],
    ['Ready', 'Unknown', 'Starting', { history: tried(), need: { ...none, missing: 1 } }],
    ['Ready', 'Unknown', 'Starting', { history: tried(), need: undefined }],
    ['Ready', 'Unknown', 'Starting', { history: tried(1), need: none }],
    ['Ready', 'True', 'Ready', { history: tried(1, now - limits.failureMemoryMs - 1), need: none }],
    ['Ready', 'True', 'Ready', { history: tried(), need: none }],
    ['Ready', 'True', 'WaitingForPool', { ...jobs(1), ...pooled(4) }],
    ['Ready', 'Unknown', 'Starting', { ...jobs(1), ...pooled(3) }],
    ['Ready', 'True', 'WaitingForPool', { ...jobs(1), ...pooled(4), history: proved }],
    ['Ready', 'True', 'Ready', jobs(0)],
    ['Ready', 'True', 'Ready', { ...jobs(2), history: failed(2) }],
    ['Ready', 'False', 'ImageMissing', { ...jobs(2), history: failed(3) }],
    ['Ready', 'True', 'Ready', { ...jobs(2), history: failed(3, now - limits.failureMemoryMs - 1) }],
    ['Ready', 'True', 'Paused', { set: paused, history: failed(2) }],
    ['Ready', 'True', 'Ready', { ...jobs(0), allowance: { now: 0, nextAt: now + 60_000 } }],
    ['Ready', 'True', 'Ready', { ...jobs(2), history: proved, allowance: { now: 1, nextAt: now + 60_000 } }],
    ['Ready', 'True', 'Ready', { ...jobs(1), history: proved, allowance: { now: 0, nextAt: undefined } }],
    ['Ready', 'True', 'Paused', { ...jobs(1), set: paused, allowance: { now: 0, nextAt: now + 60_000 } }],
    ['TemplateAccepted', 'True', 'Accepted', {}],
    ['TemplateAccepted', 'False', 'AdmissionDenied', refused()],
    ['TemplateAccepted', 'True', 'AcceptedWithWarnings', allowed()],
    ['Ready', 'True', 'Ready', allowed()],
    ['ForgeConnected', 'True', 'Connected', {}],
    ['ForgeConnected', 'Unknown', 'ForgeUnreachable', { forgeFailure: unreachable }],
    ['ForgeConnected', 'False', 'ForgeUnauthorized', { forgeFailure: unauthorized }],
    ['ForgeConnected', 'Unknown', 'Connecting', { demand: { known: false, since: now, why: '' } }],
    [
      'ForgeConnected',
      'Unknown',
      'Connecting',
      { demand: { known: true, value: { kind: 'assigned', jobs: 1 }, at: now - limits.demandAgeMs - 1 } },
    ],
    [
      'ForgeConnected',
      'True',
      'Connected',
      { demand: { known: true, value: { kind: 'assigned', jobs: 1 }, at: now - limits.demandAgeMs } },
    ],
    ['Degraded', 'False', 'AsExpected', {}],
    ['Degraded', 'True', 'ImageMissing', { history: failed(2) }],
    ['Degraded', 'False', 'AsExpected', { history: failed(2, now - limits.failureMemoryMs - 1) }],
    ['Degraded', 'False', 'AsExpected', { history: failed(0) }],
    ['Degraded', 'False', 'AsExpected', { ...refused(), forgeFailure: unreachable }],
    ['Degraded', 'True', 'ImageInvalid', { history: blocked, stuck: stuck(1) }],
    ['Degraded', 'True', 'TerminationStuck', { stuck: stuck(1), history: failed(1) }],
    [
      'Degraded',
      'True',
      'ForgeSettingsDiffer',
      { settingsFailure: { reason: 'forge-settings-differ', message: '' }, stuck: stuck(1) },
    ],
    [
      'Degraded',
      'True',
      'Unschedulable',
      { delays: { count: 1, oldest: { reason: 'unschedulable', message: '', since: now } } },
    ],
  ])('%s is %s, %s', (type, status, reason, over) => {
    expect(shown(over, type)).toMatchObject({ status, reason })
  })

  it('case 93: show how many starts are held up, since when, and why', () => {
    const oldest = { reason: 'unschedulable', message: '0/3 nodes are available', since: 1_790_000_000_000 } as const
    const message = shown({ delays: { count: 2, oldest } }, 'Degraded')?.message
    expect(message).toContain('2 runners are held up, the first since 2026-09-21T14:13:20Z.')
    expect(message).toContain('0/3 nodes are available')
    expect(shown({ delays: { count: 1, oldest } }, 'Degraded')?.message).toContain('1 runner is held up')
  })

  it('show every problem, the most urgent first', () => {
    const message = shown({ stuck: stuck(2), history: failed(3) }, 'Degraded')?.message ?? ''
    expect(message.indexOf('2 pods are no longer counted against max')).toBeLessThan(message.indexOf('3 in a row. x'))
  })

  it.each<[string, readonly string[], Partial<SetWorld>]>([
    ['a set that is ready', [], {}],
    ['a set whose template is checked', ['Reconciling'], { template: undefined }],
    ['a set that connects', ['Reconciling'], { demand: { known: false, since: now, why: '' } }],
    ['a refusal that may pass by itself', ['Reconciling'], refused()],
    ['a forge that does not respond', ['Reconciling'], { forgeFailure: unreachable }],
    ['a template that never works', ['Stalled'], refused('template-invalid')],
    ['a start that never works', ['Stalled'], { history: blocked }],
    [
      'a start that never works, behind a forge that refuses',
      ['Reconciling'],
      { history: blocked, forgeFailure: unauthorized },
    ],
    ['an older verdict', ['Reconciling'], { ...refused('template-invalid'), templateHash: 'other' }],
  ])('tell kstatus whether an operator must act: %s', (_name, types, over) => {
    const { conditions } = statusOf({ world: world([], over), limits, now })
    const [ready] = conditions
    const progress = conditions.filter(({ type }) => type === 'Reconciling' || type === 'Stalled')
    expect(progress).toEqual(types.map((type) => ({ ...ready, type, status: 'True' })))
  })

  it('show a hazard that the set allows, with its next step', () => {
    expect(shown(allowed(), 'TemplateAccepted')?.message).toMatch(
      /^The API server accepts the template\. Warning: .*spec\.containers\[0\]: why — /,
    )
  })

  it('keep the time of their last transition', () => {
    const [ready] = statusOf({ world: world([]), limits, now: now - 60_000 }).conditions
    const conditions = ready ? [ready] : []
    expect(shown({ conditions }, 'Ready')?.lastTransitionTime).toBe(ready?.lastTransitionTime)
    expect(shown({ conditions, forgeFailure: unauthorized }, 'Ready')?.lastTransitionTime).not.toBe(
      ready?.lastTransitionTime,
    )
  })
})

describe('problems', () => {
  const problem = (kind: string, reason: string, detail: string) => ({ kind, reason, detail })

  it.each<[string, Partial<SetWorld>, readonly object[]]>([
    ['none', {}, []],
    ['a refused template', refused(), [problem('template', 'admission-denied', 'by policy p')]],
    ['no refusal of an older template', { ...refused(), templateHash: 'other' }, []],
    ['no warning of a template', allowed(), []],
    ['a forge that fails', { forgeFailure: unauthorized }, [problem('forge', 'forge-unauthorized', '401')]],
    ['failed starts', { history: failed(2) }, [problem('failing', 'image-missing', '2 in a row. x')]],
    ['no failed starts of long ago', { history: failed(2, now - limits.failureMemoryMs - 1) }, []],
    [
      'all of a set, the most urgent first',
      {
        forgeFailure: unreachable,
        history: { ...failed(1), blocked: { reason: 'image-invalid', message: 'y' } },
        settingsFailure: { reason: 'forge-settings-differ', message: 'labels' },
        stuck: stuck(2),
        delays: { count: 1, oldest: { reason: 'unschedulable', message: 'no node', since: 1_790_000_000_000 } },
      },
      [
        problem('forge', 'forge-unreachable', 'no response'),
        problem('blocked', 'image-invalid', 'y'),
        problem('settings', 'forge-settings-differ', 'labels'),
        problem('stuck', 'termination-stuck', '2 pods are no longer counted against max. '),
        problem('delayed', 'unschedulable', '1 runner is held up, the first since 2026-09-21T14:13:20Z. no node'),
        problem('failing', 'image-missing', '1 in a row. x'),
      ],
    ],
  ])('are %s', (_name, over, problems) => {
    expect(statusOf({ world: world([], over), limits, now }).problems).toEqual(problems)
  })
})

describe('counts and reasons', () => {
  const busy = runner('a', { startedAt: now }, { job })

  it('are numbers where they are known', () => {
    const status = statusOf({ world: world([busy], jobs(3)), limits, now })
    expect(status).toMatchObject({
      demand: 3,
      busy: 1,
      idle: 0,
      pending: 0,
      failed: 0,
      lastReason: null,
      lastMessage: null,
    })
  })

  it('come with the jobs that runners took last', () => {
    const jobs = [
      { id: '1', name: 'b', repository: 'r', runner: 'a', startedAt: '', result: null, finishedAt: null },
    ] as const
    expect(statusOf({ world: world([], { jobs }), limits, now }).jobs).toEqual(jobs)
  })

  it('are null where they are unknown', () => {
    const unknown = { known: false, since: now, why: '' } as const
    const status = statusOf({
      world: world([busy], { demand: unknown, counts: unknown, history: failed(1) }),
      limits,
      now,
    })
    expect(status).toMatchObject({ demand: null, busy: null, idle: null, pending: null, failed: null })
    const old = { known: true, value: { kind: 'assigned', jobs: 3 }, at: now - limits.demandAgeMs - 1 } as const
    expect(statusOf({ world: world([], { demand: old }), limits, now }).demand).toBeNull()
  })

  it('show the jobs of the account that no set can have, where the set shows them', () => {
    const unserved = { count: 1, jobs: [{ id: '1', name: 'b', repository: 'r', labels: ['arm64'] }] }
    expect(statusOf({ world: world([], { unserved }), limits, now }).unserved).toEqual(unserved)
    expect(statusOf({ world: world([]), limits, now }).unserved).toBeNull()
  })

  it('count waiting and running jobs of a forge that counts the waiting ones', () => {
    const demand = { known: true, value: { kind: 'queued', jobs: 2 }, at: now } as const
    expect(statusOf({ world: world([busy], { demand }), limits, now }).demand).toBe(3)
    const counts = { known: false, since: now, why: '' } as const
    expect(statusOf({ world: world([busy], { demand, counts }), limits, now }).demand).toBeNull()
  })

  it('show the demand of a forge without a queue', () => {
    const demand = { known: true, value: { kind: 'utilisation', busy: 2, idle: 1 }, at: now } as const
    expect(statusOf({ world: world([], { demand }), limits, now }).demand).toBe(2)
  })

  it.each<[string, Partial<SetWorld>, string]>([
    ['the template', { ...refused(), forgeFailure: unreachable }, 'admission-denied'],
    ['a blocked set', { history: blocked, forgeFailure: unreachable }, 'image-invalid'],
    ['the forge', { forgeFailure: unreachable, history: failed(1) }, 'forge-unreachable'],
    ['one runner', { history: failed(1) }, 'image-missing'],
    ['a version that cannot register', { runnerVersion: ending(-1), history: failed(1) }, 'runner-outdated'],
    ['a full quota', { ...jobs(3), quotas: few(2), history: failed(1) }, 'quota-exceeded'],
  ])('give the reason of %s first', (_name, over, reason) => {
    expect(statusOf({ world: world([], over), limits, now }).lastReason).toBe(reason)
  })

  it('give no reason for a version that ends later', () => {
    expect(statusOf({ world: world([], { runnerVersion: ending(3) }), limits, now }).lastReason).toBeNull()
  })

  it('are never undefined', () => {
    const unknown = { known: false, since: now, why: '' } as const
    const bare = { demand: unknown, counts: unknown, usual: undefined }
    expect(Object.values(statusOf({ world: world([], bare), limits, now }))).not.toContain(undefined)
  })

  it('show the demand of the last weeks only where the set asks for it', () => {
    const usual = { runners: 3, weekday: 'Fri', hour: 9, weeks: 4, timeZone: 'UTC', until: now } as const
    const demandDays = [{ day: '2027-01-14', peaks: '1' }]
    expect(statusOf({ world: world([], { usual, demandDays }), limits, now })).toMatchObject({ usual: 3, demandDays })
    expect(statusOf({ world: world([], { demandDays }), limits, now })).toMatchObject({ usual: null, demandDays: null })
  })

  it.each([
    ['is shown a moment after it', failed(0), now + limits.lastReasonMs - 1, 'image-missing'],
    ['is not shown a minute after all is well', failed(0), now + limits.lastReasonMs, null],
    ['is shown while it counts', failed(1), now + limits.lastReasonMs, 'image-missing'],
  ] as const)('the last failure %s', (_name, history, at, reason) => {
    const { lastReason, lastMessage } = statusOf({ world: world([], { history }), limits, now: at })
    expect([lastReason, lastMessage === null]).toEqual([reason, reason === null])
  })
})

it.each([
  [1, '1 start is under way: m since'],
  [2, '2 starts are under way: m since'],
])('counts the starts that are under way: %i', (count, text) => {
  const underWay = { count, oldest: { reason: 'start-under-way', message: 'm', since: now } } as const
  expect(shown({ history: proved, underWay }, 'Ready')?.message).toContain(text)
})

describe('the announced number of runners', () => {
  const limit = { reason: 'quota', detail: 'd' } as const
  const capacity = { announced: 3, limit, tightAt: undefined, moreSince: undefined }
  const gitea = runnerSet({ source: { ...runnerSet().source, kind: 'gitea', runnerGroup: undefined } })
  const saying = (announced: number | null, of: typeof limit | undefined) => ({
    ...{ announced, announcedReason: of?.reason ?? null, announcedDetail: of?.detail ?? null },
  })

  it.each<[string, Partial<SetWorld>, object]>([
    ['is shown with its limit', {}, saying(3, limit)],
    ['is shown without one', { capacity: { ...capacity, limit: undefined } }, saying(3, undefined)],
    ['is nothing while the forge does not report', { demand: unknown }, saying(null, undefined)],
    ['is nothing for a paused set', { set: paused }, saying(null, undefined)],
    ['is nothing at a forge that gives no jobs at once', { set: gitea }, saying(null, undefined)],
  ])('%s', (_, over, expected) => {
    expect(statusOf({ world: world([], { capacity, ...over }), limits, now })).toMatchObject(expected)
  })
})

describe('the status changes by itself', () => {
  const left = (runners: number) => ({ ...noHistory, left: { ...noHistory.left, runners, at: now } })
  const changesAt = (history: SetWorld['history']) => statusChangesAt({ world: world([], { history }), limits, now })

  it.each([
    ['when failures no longer count', { ...noHistory, failuresInARow: 1, failedAt: now }, true],
    ['not after old failures', { ...noHistory, failuresInARow: 0, failedAt: now }, false],
    ['when runners that left no longer count', left(limits.leftIdleMax + 1), true],
    ['not for so few of them', left(limits.leftIdleMax), false],
  ])('%s', (_, history, changes) => {
    expect(changesAt(history) !== undefined).toBe(changes)
  })
})

it('writes a reason as Kubernetes wants it', () => {
  expect(camelCase('image-missing')).toBe('ImageMissing')
})

it.each([
  ['http://proxy:3128', 'login', true],
  ['https://proxy:3128', 'login', false],
  ['http://proxy:3128', undefined, false],
])('warns if the login of the runners’ proxy goes over the network in clear text: %s, %s', (url, login, warns) => {
  const proxy = { url, credentialsSecret: login, noProxy: [] }
  const set = runnerSet({ network: { proxy, ca: undefined } })
  const text = 'the credentials of the proxy go over the network in clear text'
  expect(shown({ set }, 'ForgeConnected')?.message.includes(text)).toBe(warns)
})
