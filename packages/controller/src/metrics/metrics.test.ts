import { noBody, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import type { Stopwatch } from '@dayfly/kit/stopwatch'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import type { Counts } from '@dayfly/runner-set/model/runner'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { Condition } from '@dayfly/runner-set/model/status'
import { describe, expect, test } from 'vitest'
import type { ControllerState } from '../controller.ts'
import { kubernetesLabels } from './kubernetes-labels.ts'
import { metricTable } from './metric-table.ts'
import { createMetrics } from './metrics.ts'
import { samplesOf } from './samples.fixture.ts'

const ms =
  (value: number): Stopwatch =>
  () =>
  () =>
    value
const make = (stopwatch = ms(20)) => createMetrics('1.2.3', stopwatch)
type Metrics = ReturnType<typeof make>

const lead: JournalEvent = { kind: 'leadership-gained', identity: 'me' }
const of = { namespace: 'ci', set: 'linux' }
const finished = (set: string, result = 'succeeded'): JournalEvent => ({
  namespace: 'ci',
  set,
  kind: 'job-finished',
  runner: 'r',
  job: '1',
  result,
})
const write = (metrics: Metrics, ...events: readonly JournalEvent[]) => {
  for (const event of events) metrics.reader({ at: 0, event })
}

/** Returns the samples of a scrape as `name{labels}: value`, without those of other metrics. */
async function shown(metrics: Metrics, name: string, state?: ControllerState) {
  const samples = samplesOf((await metrics.scrape(state)).text).filter((sample) => sample.name === name)
  return samples.map(({ labels, value }) => [Object.values(labels).join(' '), value] as const)
}

function stateOf(sets: ControllerState['sets'], is: 'leading' | 'stopped' = 'leading'): ControllerState {
  return { election: { state: { is }, turnedAt: 0, failure: undefined }, watches: [], sets, invalid: [] }
}

const counts: Counts = { starting: 1, idle: 2, busy: 3, spent: 4, ended: 5, occupied: 10, unproved: 0, requested: 0 }
const ready = { type: 'Ready', status: 'False' } as Condition
function reading(name: string, change: Partial<ControllerState['sets'][number]> = {}): ControllerState['sets'][number] {
  const source = { url: 'https://github.com/acme' }
  return {
    set: { namespace: 'ci', name, scale: { min: 0, max: 50 }, source } as RunnerSet,
    counts,
    demand: { kind: 'assigned', jobs: 7 },
    min: { count: 2, reason: 'schedule' },
    usual: undefined,
    announced: 3,
    announcedReason: 'quota',
    conditions: [ready],
    connected: true,
    forgeFailure: undefined,
    runnerVersion: undefined,
    ...change,
  }
}

describe('the gauges of sets', () => {
  test('show the state at the time of the scrape', async () => {
    const metrics = make()
    const state = stateOf([reading('linux')])
    expect(await shown(metrics, 'dayfly_runners', state)).toEqual([
      ['ci linux starting', 1],
      ['ci linux idle', 2],
      ['ci linux busy', 3],
      ['ci linux spent', 4],
      ['ci linux ended', 5],
    ])
    expect(await shown(metrics, 'dayfly_demand_jobs', state)).toEqual([['ci linux', 7]])
    expect(await shown(metrics, 'dayfly_runners_min', state)).toEqual([['ci linux schedule', 2]])
    expect(await shown(metrics, 'dayfly_runners_max', state)).toEqual([['ci linux', 50]])
    expect(await shown(metrics, 'dayfly_set_condition', state)).toEqual([['ci linux Ready False', 1]])
    expect(await shown(metrics, 'dayfly_leader', state)).toEqual([['', 1]])
  })

  test('show when the version of the runner ends, if the forge has planned it', async () => {
    const name = 'dayfly_runner_version_end_timestamp_seconds'
    const of = (runtimeEndsAt: number | undefined, registrationEndsAt?: number) => {
      const schedule = { runtimeEndsAt, registrationEndsAt }
      const runnerVersion = { version: '2.330.0', from: 'image', schedule, minimum: undefined } as const
      return shown(make(), name, stateOf([reading('linux', { runnerVersion })]))
    }
    expect(await of(1_800_000_000_000)).toEqual([['ci linux 2.330.0', 1_800_000_000]])
    expect(await of(1_800_000_000_000, 1_700_000_000_000)).toEqual([['ci linux 2.330.0', 1_700_000_000]])
    expect([await of(undefined), await shown(make(), name, stateOf([reading('linux')]))]).toEqual([[], []])
  })

  test('are absent while unknown, never 0', async () => {
    const state = stateOf([reading('linux', { counts: undefined, demand: undefined, conditions: [] })])
    for (const name of ['dayfly_runners', 'dayfly_demand_jobs', 'dayfly_set_condition']) {
      expect(await shown(make(), name, state)).toEqual([])
    }
  })

  test('are absent in a process that does not lead, and for a set that is gone', async () => {
    const metrics = make()
    await shown(metrics, 'dayfly_runners', stateOf([reading('linux'), reading('gone')]))
    expect(await shown(metrics, 'dayfly_runners_max', stateOf([reading('linux')]))).toEqual([['ci linux', 50]])
    expect(await shown(metrics, 'dayfly_runners_max', stateOf([reading('linux')], 'stopped'))).toEqual([])
    expect(await shown(metrics, 'dayfly_leader', stateOf([], 'stopped'))).toEqual([['', 0]])
  })

  test('show a set that cannot be read as not ready', async () => {
    const state = { ...stateOf([]), invalid: [{ namespace: 'ci', name: 'bad' }] }
    expect(await shown(make(), 'dayfly_set_condition', state)).toEqual([['ci bad Ready False', 1]])
  })
})

describe('the counters of sets', () => {
  test('count only while this process leads', async () => {
    const metrics = make()
    write(metrics, { ...of, kind: 'set-added' }, finished('linux'))
    expect(await shown(metrics, 'dayfly_jobs_finished_total')).toEqual([])
    write(metrics, lead, finished('linux'), finished('linux', 'a word of a hostile forge'))
    expect(await shown(metrics, 'dayfly_jobs_finished_total')).toEqual([
      ['ci linux succeeded', 1],
      ['ci linux other', 1],
    ])
    write(metrics, { kind: 'leadership-lost', identity: 'me', why: '', planned: false }, finished('linux'))
    expect(await shown(metrics, 'dayfly_jobs_finished_total')).toContainEqual(['ci linux succeeded', 1])
  })

  test('know the source of 50 pairs of repository and workflow, and put the others together', async () => {
    const metrics = make()
    write(metrics, { ...of, kind: 'set-added' }, lead)
    const started = (index: number, objective?: 'kept' | 'missed') => {
      const job = { id: `${index}`, name: 'a', repository: `acme/r${index}`, origin: { workflow: 'ci.yml' } }
      const event = { ...of, kind: 'job-started', runner: 'r', job, queuedMs: 2_000 } as const
      return objective ? { ...event, objective } : event
    }
    for (let index = 0; index < 60; index++) write(metrics, started(index))
    write(metrics, started(0, 'missed'), started(59, 'missed'))
    const counted = await shown(metrics, 'dayfly_started_jobs_total')
    expect(counted).toContainEqual(['ci linux acme/r0 ci.yml none', 1])
    expect(counted).toContainEqual(['ci linux acme/r0 ci.yml missed', 1])
    expect(counted).toContainEqual(['ci linux other other none', 10])
    expect(counted).toContainEqual(['ci linux other other missed', 1])
    const waited = await shown(metrics, 'dayfly_started_jobs_queue_seconds_total')
    expect(waited).toHaveLength(51)
    expect(waited).toContainEqual(['ci linux acme/r0 ci.yml', 4])
  })

  test('end with their set, and a late event does not bring them back', async () => {
    const metrics = make()
    const start = {
      ...of,
      kind: 'job-started',
      runner: 'r',
      job: { id: '1', name: 'n', repository: '' },
      queuedMs: 2_500,
    } as const
    write(metrics, lead, { ...of, kind: 'set-added' }, { namespace: 'ci', set: 'other', kind: 'set-added' })
    write(metrics, start, finished('linux'), finished('other'))
    expect(await shown(metrics, 'dayfly_job_queue_seconds_sum')).toEqual([['ci linux', 2.5]])
    write(metrics, { ...of, kind: 'set-removed' }, start, finished('linux'))
    expect(await shown(metrics, 'dayfly_job_queue_seconds_sum')).toEqual([])
    expect(await shown(metrics, 'dayfly_jobs_finished_total')).toEqual([['ci other succeeded', 1]])
  })

  test('observe no time that is unknown', async () => {
    const metrics = make()
    write(metrics, lead, { ...of, kind: 'set-added' })
    write(metrics, {
      ...of,
      kind: 'job-started',
      runner: 'r',
      job: { id: '1', name: 'n', repository: '' },
      queuedMs: undefined,
    })
    write(metrics, { ...of, kind: 'runner-started', runner: 'r', node: 'n', startMs: undefined })
    expect(await shown(metrics, 'dayfly_job_queue_seconds_count')).toEqual([])
    expect(await shown(metrics, 'dayfly_runner_start_seconds_count')).toEqual([])
  })
})

function request(method: Request['method'], path: string, query: Request['query'] = {}): Request {
  return { method, path, query, headers: {}, body: noBody, expect: 'whole' }
}

describe('requests', () => {
  test.each<[Request['method'], string, Request['query'], string]>([
    ['GET', '/api/v1/pods', { watch: 'true' }, 'watch pods'],
    ['GET', '/api/v1/namespaces/ci/pods', {}, 'list pods'],
    ['GET', '/api/v1/namespaces/ci/pods/a', {}, 'get pods'],
    ['POST', '/api/v1/namespaces/ci/pods', {}, 'create pods'],
    ['DELETE', '/api/v1/namespaces/ci/secrets/a', {}, 'delete secrets'],
    ['PATCH', '/apis/dayfly.dev/v1alpha1/namespaces/ci/runnersets/a/status', {}, 'patch runnersets/status'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/ci/leases/dayfly', {}, 'update leases'],
    ['GET', '/clusters/east/api/v1/namespaces/ci/events', {}, 'list events'],
    ['GET', '/apis/example.com/v1/anything', {}, 'list other'],
    ['GET', '/version', {}, 'list other'],
  ])('%s %s has labels from a closed list', (method, path, query, expected) => {
    expect(Object.values(kubernetesLabels(request(method, path, query))).join(' ')).toBe(expected)
  })

  test('are counted by answer or error, and not if the caller gave up', async () => {
    const metrics = make()
    const answers: readonly (() => Promise<never>)[] = [
      () => Promise.reject(new TransportError('connect', 'refused')),
      () => Promise.reject(new Error('the caller gave up')),
    ]
    let calls = 0
    const answer = { status: 429, headers: {}, body: noBody }
    const transport: Transport = () => answers[calls++]?.() ?? Promise.resolve(answer)
    const counted = metrics.countKubernetes(transport)
    const get = () => counted(request('GET', '/api/v1/pods'))
    await expect(get()).rejects.toThrow('refused')
    await expect(get()).rejects.toThrow('gave up')
    expect(await get()).toBe(answer)
    expect(await shown(metrics, 'dayfly_kubernetes_requests_total')).toEqual([
      ['list pods error', 1],
      ['list pods 429', 1],
    ])
    expect(await shown(metrics, 'dayfly_kubernetes_request_seconds_sum')).toEqual([['list', 0.04]])
  })

  test("show the budget of each account of the leader's sets, once an answer names it", async () => {
    const metrics = make()
    const exchange = { operation: 'create-registration-token', code: 201, ms: 20, budget: undefined } as const
    const account = (account: string, remaining: number) =>
      metrics.countForge({ ...exchange, budget: { account, remaining } })
    const state = stateOf([reading('linux')])
    metrics.countForge(exchange)
    expect(await shown(metrics, 'dayfly_forge_budget_remaining', state)).toEqual([])
    account('https://github.com/acme App 7', 4_999)
    account('https://github.com/elsewhere', 1)
    expect(await shown(metrics, 'dayfly_forge_budget_remaining', state)).toEqual([
      ['https://github.com/acme App 7', 4999],
    ])
    metrics.countForge({ ...exchange, operation: 'poll', code: 'lost' })
    metrics.countForge({ ...exchange, operation: 'poll', code: 'aborted' })
    expect(await shown(metrics, 'dayfly_forge_requests_total')).toEqual([
      ['create-registration-token 201', 3],
      ['poll error', 1],
    ])
  })
})

test('two processes of one program share no metric', async () => {
  const [left, right] = [make(), make()]
  left.measureTick(() => {})
  expect(await shown(left, 'dayfly_tick_seconds_count')).toEqual([['', 1]])
  expect(await shown(right, 'dayfly_tick_seconds_count')).toEqual([['', 0]])
})

test('every metric of the table is exposed with its type and its labels', async () => {
  const { text } = await make().scrape(undefined)
  for (const { name, type, help } of Object.values(metricTable)) {
    expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
  }
  expect(text).toContain('dayfly_build_info{version="1.2.3"} 1\n')
})

test('the number of series follows the sets, not the runners or jobs', async () => {
  const metrics = make()
  const series = async (perSet: number, sets: number) => {
    const readings = Array.from({ length: sets }, (_, index) => reading(`set-${index}`))
    for (const { set } of readings) {
      write(metrics, lead, { kind: 'set-added', namespace: 'ci', set: set.name })
      for (let count = 0; count < perSet; count++) {
        const runner = { namespace: 'ci', set: set.name, runner: `r-${count}` }
        write(metrics, finished(set.name), { ...runner, kind: 'runner-started', node: 'n', startMs: 900 })
      }
    }
    return samplesOf((await metrics.scrape(stateOf(readings))).text).length
  }
  const one = await series(1, 1)
  expect(await series(50, 1)).toBe(one)
  const two = await series(50, 2)
  expect(await series(50, 12)).toBe(two + 10 * (two - one))
})
