import type { JournalEvent } from '@dayfly/runner-set/model/event'
import type { Failure } from '@dayfly/runner-set/model/failure'
import { describe, expect, it } from 'vitest'
import type { Life, LifePhase, LifeSteps } from '../model/life.ts'
import { about, ci, facts, goodLife, namedJob, opened, second, start } from './history.fixture.ts'
import { historyBounds } from './history.ts'
import type { SeedLife } from './seed.ts'

const failure: Failure = { reason: 'image-missing', message: 'no such tag' }
const of = about()
const registered: JournalEvent = { kind: 'runner-registered', ...of, registration: '7' }
const found: JournalEvent = { kind: 'runner-started', ...of, node: 'node-1', startMs: undefined }
const online: JournalEvent = { kind: 'runner-online', ...of }
const jobStarted: JournalEvent = { kind: 'job-started', ...of, job: namedJob(), queuedMs: 4_000 }
const jobFinished: JournalEvent = { kind: 'job-finished', ...of, job: 'j1', result: 'failed' }
const ended: JournalEvent = { kind: 'runner-ended', ...of, exitCode: 1, reason: 'Error' }
const gone: JournalEvent = { kind: 'runner-gone', ...of, because: 'ended' }
const waits = (id: string): JournalEvent => ({ kind: 'job-waits', ...ci, job: namedJob(id), queuedAt: start })

/** The known steps, in seconds. */
function known(life: Life | undefined): Partial<LifeSteps> {
  const steps = Object.entries(life?.steps ?? {}).filter(([, at]) => at !== null)
  return Object.fromEntries(steps.map(([name, at]) => [name, ((at ?? 0) - start) / second]))
}

describe('a life', () => {
  it('has all steps, its job and the address of its run', () => {
    const { history, life } = opened()
    for (const entry of goodLife()) history.take(entry)
    expect(known(life())).toEqual({
      queued: 0,
      registered: 1,
      created: 2,
      started: 5,
      online: 6,
      jobStarted: 10,
      jobFinished: 70,
      ended: 72,
      gone: 73,
    })
    expect(life()).toMatchObject({ phase: 'gone', result: 'succeeded', node: 'node-1', exitCode: 0, problem: null })
    expect(life()?.job?.url).toBe('https://github.com/octo/web/actions/runs/77')
  })

  it.each<[string, readonly JournalEvent[], LifePhase, Partial<LifeSteps>, Partial<Life>]>([
    ['waits for its job', [registered, online], 'idle', { registered: 1, online: 2 }, { job: null }],
    [
      'is online with its job, if the list is later',
      [registered, jobStarted],
      'busy',
      { registered: 1, queued: -2, online: 2, jobStarted: 2 },
      {},
    ],
    ['was there before: no step is invented', [found, online], 'idle', {}, { node: 'node-1' }],
    [
      'was there before: later steps are known',
      [found, online, jobFinished, ended],
      'ending',
      { jobFinished: 3, ended: 4 },
      { exitCode: 1 },
    ],
    [
      'has a job whose start was lost',
      [registered, jobFinished],
      'ending',
      { registered: 1, jobFinished: 2 },
      { result: 'failed' },
    ],
    [
      'vanished with its job',
      [registered, jobStarted, { kind: 'runner-failed', ...of, failure }, gone],
      'gone',
      { registered: 1, queued: -2, online: 2, jobStarted: 2, gone: 4 },
      { result: null },
    ],
    ['was refused', [{ kind: 'start-refused', ...of, failure }], 'gone', { gone: 1 }, {}],
    [
      'shows what delays it, until it goes on',
      [registered, { kind: 'runner-delayed', ...of, failure, since: start }, online],
      'idle',
      { registered: 1, online: 3 },
      { problem: null },
    ],
    [
      'keeps its failure',
      [registered, { kind: 'runner-failed', ...of, failure }, { kind: 'cordon-failed', ...of, failure }],
      'starting',
      { registered: 1 },
      {
        problem: {
          reason: 'image-missing',
          sentence: 'The node does not have the image and cannot pull it.',
          detail: 'no such tag',
          next: 'Check the name, tag, registry, pull secret and pull policy of the image named in the message.',
        },
      },
    ],
  ])('%s', (_name, events, phase, steps, more) => {
    const { at, life } = opened()
    events.forEach((event, index) => {
      at(index + 1, event)
    })
    expect(known(life())).toEqual(steps)
    expect(life()).toMatchObject({ phase, ...more })
  })

  it('does not date the end of a pod that the first list shows as ended', () => {
    const { at, life } = opened()
    at(1, found, ended)
    expect([life()?.phase, known(life())]).toEqual(['ending', {}])
  })

  it('is not made by the end of a runner that nobody saw', () => {
    const { at, history } = opened()
    at(1, gone)
    expect([...history.lives()]).toEqual([])
  })

  it('shows the last job of a runner that got two', () => {
    const { at, life, history } = opened()
    at(1, registered, jobStarted, jobFinished, { ...jobStarted, job: namedJob('j2') })
    expect(life()).toMatchObject({ phase: 'busy', job: { id: 'j2' }, result: null })
    expect(history.lifeOfJob('j1')).toBeUndefined()
    at(9, jobFinished)
    expect(life()).toMatchObject({ phase: 'busy', result: null })
  })

  it('bounds and cleans the texts of a forge', () => {
    const { at, life } = opened()
    at(1, {
      ...jobStarted,
      job: { id: 'j1', name: `\u001b[31m${'x'.repeat(9_999)}`, repository: '../..', origin: { run: '1' } },
    })
    expect(life()?.job?.name).toHaveLength(200)
    expect(life()?.job?.name).not.toContain('\u001b')
    expect(life()?.job?.url).toBeNull()
  })
})

describe('a seed', () => {
  const seed: SeedLife = {
    ...of,
    pod: { createdAt: start - 90 * second, startedAt: start - 80 * second, node: 'node-1', end: undefined },
    isOnline: true,
    job: undefined,
  }
  const record = {
    id: 'j1',
    name: 'build',
    repository: 'octo/web',
    runner: 'a',
    startedAt: '2025-12-31T23:59:00Z',
    result: null,
    finishedAt: null,
  }

  it.each([
    ['before its events', [seed], [found, online]],
    ['after its events', [], [found, online]],
  ])('gives the steps of a runner that was there: %s', (_when, first, events) => {
    const { history, at, life } = opened()
    history.seed(first, start)
    at(1, ...events)
    history.seed([seed], start + 2 * second)
    expect(known(life())).toMatchObject({ created: -90, started: -80 })
    expect(life()).toMatchObject({ phase: 'idle', requests: { cpu: 2 } })
  })

  it('brings the job that the status remembers', () => {
    const { history, life, at } = opened()
    history.seed([{ ...seed, job: record }], start)
    at(5, { ...jobStarted, queuedMs: undefined })
    expect(life()).toMatchObject({ phase: 'busy', job: { id: 'j1', run: '77' } })
    expect(known(life())).toMatchObject({ jobStarted: -60 })
  })

  it('shows a runner without a pod as gone', () => {
    const { history, life } = opened()
    history.seed(
      [{ ...seed, pod: undefined, job: { ...record, result: 'failed', finishedAt: record.startedAt } }],
      start,
    )
    expect(life()).toMatchObject({ phase: 'gone', result: 'failed' })
  })
})

describe('waiting jobs', () => {
  it.each<[string, readonly JournalEvent[]]>([
    ['a runner takes it', [jobStarted]],
    ['its end is reported', [jobFinished]],
    ['the forge drops it', [{ kind: 'job-dropped', ...ci, job: 'j1', result: 'canceled' }]],
    ['its set is removed', [{ kind: 'set-removed', ...ci }]],
    ['this process leads no more', [{ kind: 'leadership-lost', identity: 'a', why: 'x', planned: true }]],
  ])('are listed once, until %s', (_what, events) => {
    const { history, at } = opened()
    at(1, waits('j1'), waits('j1'))
    expect(history.jobs()).toMatchObject([{ id: 'j1', set: 'ci/linux', queuedAt: start }])
    history.touched()
    at(2, ...events)
    expect(history.jobs()).toEqual([])
    expect(history.touched().ids.jobs).toEqual(['j1'])
  })

  it('do not come back with a late message', () => {
    const { history, at } = opened()
    at(1, jobStarted, waits('j1'))
    expect(history.jobs()).toEqual([])
  })

  it.each<[string, readonly (readonly [number, number | null])[], readonly string[]]>([
    [
      'unknown changes nothing',
      [
        [10, null],
        [200, null],
      ],
      ['j1', 'j2', 'j3'],
    ],
    [
      'a count of 0 may be old',
      [
        [10, 0],
        [15, 0],
      ],
      ['j1', 'j2', 'j3'],
    ],
    [
      '0 for over 5 s',
      [
        [10, 0],
        [16, 0],
      ],
      ['j3'],
    ],
    [
      '0 with an unknown count between',
      [
        [10, 0],
        [12, null],
        [16, 0],
      ],
      ['j1', 'j2', 'j3'],
    ],
    [
      'fewer than listed for a minute',
      [
        [10, 1],
        [70, 1],
      ],
      ['j1', 'j2', 'j3'],
    ],
    [
      'fewer than listed for over a minute',
      [
        [10, 1],
        [71, 1],
      ],
      ['j3'],
    ],
    [
      'as many as listed in between',
      [
        [10, 1],
        [40, 3],
        [71, 1],
      ],
      ['j1', 'j2', 'j3'],
    ],
  ])('follow the forge’s own count: %s', (_name, counts, left) => {
    const { history, at } = opened()
    at(1, waits('j1'))
    at(2, waits('j2'))
    const [first, ...others] = counts
    history.reconcile('ci/linux', first?.[1] ?? null, start + (first?.[0] ?? 0) * second)
    at(11, waits('j3'))
    for (const [seconds, count] of others) history.reconcile('ci/linux', count, start + seconds * second)
    expect(history.jobs().map(({ id }) => id)).toEqual(left)
  })
})

describe('failures', () => {
  it('are counted by set and reason, once for a delay that became the failure', () => {
    const { history, at } = opened()
    at(
      1,
      registered,
      { kind: 'runner-delayed', ...of, failure, since: start },
      { kind: 'runner-failed', ...of, failure },
    )
    at(9, { kind: 'start-refused', ...about('b'), failure: { ...failure, message: 'last' } })
    expect(history.failures()).toMatchObject([
      {
        id: 'ci/linux image-missing',
        count: 2,
        runner: 'b',
        detail: 'last',
        firstAt: start + second,
        lastAt: start + 9 * second,
      },
    ])
  })

  it('are counted only while this process leads, but lives are followed', () => {
    const { history, at, life } = opened()
    at(1, { kind: 'leadership-lost', identity: 'a', why: 'x', planned: true }, registered)
    at(2, { kind: 'runner-failed', ...of, failure })
    expect(history.failures()).toEqual([])
    expect(life()?.problem?.reason).toBe('image-missing')
  })
})

describe('marks', () => {
  const changed = (paused: boolean): JournalEvent => ({ kind: 'set-changed', ...ci, paused })
  const failed: JournalEvent = { kind: 'forge-failed', ...ci, failure: { reason: 'forge-unreachable', message: 'x' } }
  const connected: JournalEvent = { kind: 'forge-connected', ...ci }

  it.each<[string, readonly JournalEvent[], readonly string[]]>([
    [
      'a pause and its end',
      [changed(true), changed(true), changed(false)],
      ['set-paused', 'set-changed', 'set-resumed'],
    ],
    [
      'a set that comes and goes',
      [
        { kind: 'set-added', ...ci },
        { kind: 'set-removed', ...ci },
      ],
      ['set-added', 'set-removed'],
    ],
    ['a forge that never worked', [failed, failed], []],
    ['a forge that failed', [connected, failed, failed, connected, connected], ['forge', 'forge']],
    [
      'a process that starts',
      [
        { kind: 'controller-started', identity: 'a' },
        { kind: 'set-added', ...ci },
      ],
      ['controller'],
    ],
  ])('show %s', (_name, events, kinds) => {
    const { history, at } = opened()
    at(1, ...events)
    expect(
      history
        .marks()
        .slice(1)
        .map(({ kind }) => kind),
    ).toEqual(kinds)
  })
})

describe('a set that is removed', () => {
  it('keeps its lives as gone, until its pods are seen again', () => {
    const { history, at, life } = opened()
    at(1, registered)
    at(2, { kind: 'set-removed', ...ci })
    expect(life()?.phase).toBe('gone')
    history.describe(facts)
    at(3, { kind: 'set-added', ...ci }, { ...found, startMs: 9 })
    expect(life()?.phase).toBe('starting')
  })
})

describe('the bounds', () => {
  it('keep the last ended lives of each set, and all that live', () => {
    const { history, at } = opened({ ...historyBounds, endedOfSet: 2, ended: 3, waiting: 2, marks: 3 })
    for (const runner of ['a', 'b', 'c']) for (const entry of goodLife(runner, 0, namedJob(runner))) history.take(entry)
    for (const runner of ['x', 'y', 'z']) at(80, { ...registered, runner, set: 'other' })
    for (const runner of ['x', 'y']) at(80, { ...gone, runner, set: 'other' })
    expect([...history.lives()].map(({ runner }) => runner)).toEqual(['z', 'x', 'y'])
    expect([history.lifeOfJob('b'), history.lifeOfJob('c')]).toEqual([undefined, undefined])
    at(90, waits('1'), waits('2'), waits('3'))
    expect(history.jobs().map(({ id }) => id)).toEqual(['1', '2'])
  })

  it('hold for messages about runners without a pod', () => {
    const { history, at } = opened({ ...historyBounds, endedOfSet: 2 })
    for (const runner of ['a', 'b', 'c']) at(1, { ...jobStarted, runner, job: namedJob(runner) })
    expect([...history.lives()].map(({ runner, phase }) => [runner, phase])).toEqual([
      ['b', 'busy'],
      ['c', 'busy'],
    ])
  })
})
