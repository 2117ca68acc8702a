// The controller at real latency, many runners at once: a full quota, jobs that end together, a leader that changes, a lost node.
import { isFull } from '@dayfly/kit/full.fixture'
import type { Transport } from '@dayfly/kit/http'
import { aborted } from '@dayfly/kit/signals'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { buildPod } from '@dayfly/runner-set/core/pod'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { describe, expect, it } from 'vitest'
import {
  confirmDeletions,
  end,
  events,
  namespace,
  openStage,
  podNames,
  pods,
  queue,
  type Stage,
  type StageOptions,
  secrets,
  status,
  succeeded,
  takeJob,
} from './stage.ts'

async function open(options: StageOptions = {}): Promise<Stage> {
  return openStage({ forgeMs: 150, apiMs: 50, ...options })
}

const seconds = (count: number) => count * 1_000
const requests = (stage: Stage, method: string, path: RegExp) =>
  stage.emulator.control.requests().filter((request) => request.method === method && path.test(request.path))
const deregistrations = (stage: Stage) => requests(stage, 'DELETE', /\/agents\//)
const registrations = (stage: Stage) => requests(stage, 'POST', /generatejitconfig/)
const lists = (stage: Stage) => requests(stage, 'GET', /\/agents$/)
const living = (stage: Stage) => pods(stage).filter(({ metadata }) => metadata.deletionTimestamp === undefined)

/** The first watch of the path sends its list, and then nothing more: the connection is dead, and nobody has closed it. */
function deafOnce(transport: Transport, path: RegExp): Transport {
  let isDeaf = false
  return async (request) => {
    const answer = await transport(request)
    if (isDeaf || answer.body.kind !== 'events' || !path.test(request.path)) return answer
    isDeaf = true
    return { ...answer, body: { kind: 'events', items: listOnly(answer.body.items, request.signal) } }
  }
}

async function* listOnly(items: AsyncIterable<unknown>, signal: AbortSignal | undefined): AsyncGenerator<unknown> {
  for await (const item of items) {
    yield item
    if (JSON.stringify(item).includes('initial-events-end')) break
  }
  if (signal) await aborted(signal)
}

/** Runs every job for three seconds as soon as it has a pod, until so many have ended. Returns how long that took, in seconds. */
async function runJobs(stage: Stage, count: number): Promise<number> {
  const begun = stage.clock.now()
  const endAt = new Map<string, number>()
  const ended = new Set<string>()
  while (ended.size < count && stage.clock.now() < begun + seconds(300)) {
    const ready = new Set(secrets(stage))
    for (const { metadata } of living(stage)) {
      const { name } = metadata
      if (!ready.has(name)) continue
      if (!endAt.has(name)) {
        endAt.set(name, stage.clock.now() + seconds(3))
        await takeJob(stage, name)
      } else if (!ended.has(name) && (endAt.get(name) ?? 0) <= stage.clock.now()) {
        ended.add(name)
        stage.emulator.control.stub.finish(name, succeeded)
        end(stage, name)
      }
    }
    confirmDeletions(stage)
    await stage.clock.advance(100)
  }
  return (stage.clock.now() - begun) / 1_000
}

describe.each(isFull ? [50, 150, 300] : [50, 300])('at a latency of %i ms', (ms) => {
  it('a full quota gets its next runner within a second after one of the set has ended', async () => {
    const stage = await open({ forgeMs: ms, apiMs: ms })
    stage.registry.create('resourcequotas', { metadata: { name: 'two', namespace }, spec: { hard: { pods: '2' } } })
    queue(stage, 6)
    await stage.clock.advance(seconds(4))
    expect(status(stage)).toMatchObject({ announced: 2, announcedReason: 'quota' })
    // Three rounds of two jobs with three seconds each.
    expect(await runJobs(stage, 6)).toBeLessThan(9 + 3 * 1.5)
    expect(events(stage, 'pod-created')).toHaveLength(6)
    // Some are refused at first, when the quota is new.
    expect(registrations(stage).length).toBeLessThanOrEqual(6 + 4)
    expect(status(stage)).toMatchObject({ failed: 0 })
  })

  it('pods of an earlier leader without a Secret are ended at once, and count as no failure', async () => {
    const stage = await open({ forgeMs: ms, apiMs: ms, spec: { scale: { min: 0, max: 10 } } })
    const stopping = stage.controller.stop()
    await stage.clock.advance(seconds(60))
    await stopping
    const object = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
    const parsed = object && parseRunnerSet(object)
    if (!parsed?.ok) throw new Error('the set cannot be read')
    for (let count = 0; count < 10; count++) {
      stage.registry.create('pods', buildPod(parsed.set, `${runnerPrefix(parsed.set)}left${count}`, `${900 + count}`))
    }
    queue(stage, 10)
    stage.controller = stage.start('controller-2')
    expect(await runJobs(stage, 10)).toBeLessThan(15 + 3)
    expect(events(stage, 'runner-failed')).toEqual([])
  })

  it('a new leader whose watch of pods is dead without a sign starts no runner beyond the maximum', async () => {
    const stage = await open({ forgeMs: ms, apiMs: ms, spec: { scale: { min: 0, max: 3 } } })
    await stage.clock.advance(seconds(5))
    const standby = stage.start('controller-2', { transport: deafOnce(stage.transport, /\/pods$/) })
    await stage.clock.advance(seconds(5))
    queue(stage, 6)
    await stage.clock.advance(seconds(10))
    for (const name of podNames(stage)) await takeJob(stage, name)
    const stopping = stage.controller.stop()
    await stage.clock.advance(seconds(20))
    await stopping
    stage.controller = standby
    expect(events(stage, 'leadership-gained').map(({ identity }) => identity)).toContain('controller-2')
    expect(pods(stage)).toHaveLength(3)
    for (const name of podNames(stage)) {
      stage.emulator.control.stub.finish(name, succeeded)
      end(stage, name)
    }
    await stage.clock.advance(seconds(2))
    expect(await runJobs(stage, 3)).toBeLessThan(10)
  })

  it('jobs that end together start no replacements', async () => {
    const stage = await open({ forgeMs: ms, apiMs: ms, spec: { scale: { min: 0, max: 40 } } })
    queue(stage, 20)
    await runJobs(stage, 20)
    await stage.clock.advance(seconds(60))
    confirmDeletions(stage)
    expect(registrations(stage)).toHaveLength(20)
  })
})

it.each([
  ['the number of all pods', { 'count/pods': '2' }],
  ['the processors', { 'requests.cpu': '1' }],
  ['the memory, beside a quota that has room', { 'limits.memory': '1Gi', pods: '50' }],
  ['the Secrets, beside that of the forge', { 'count/secrets': '3' }],
])('a quota of %s is full, and its room is used as soon as a runner has gone', async (_what, hard) => {
  const resources = { requests: { cpu: '500m' }, limits: { cpu: '500m', memory: '512Mi' } }
  const template = { spec: { containers: [{ name: 'runner', resources }] } }
  const stage = await open({ forgeMs: 150, apiMs: 150, spec: { template } })
  stage.registry.create('resourcequotas', { metadata: { name: 'full', namespace }, spec: { hard } })
  queue(stage, 6)
  await stage.clock.advance(seconds(4))
  expect(status(stage)).toMatchObject({ announced: 2, announcedReason: 'quota' })
  expect(await runJobs(stage, 6)).toBeLessThan(9 + 3 * 1.5)
  expect(status(stage)).toMatchObject({ failed: 0 })
})

it.each([150, 300])(
  'ends that come before the messages about their jobs are no failures, at a latency of %i ms',
  async (ms) => {
    const stage = await open({ forgeMs: ms, apiMs: ms, spec: { scale: { min: 0, max: 100 } } })
    // A message has two events, so that the last one about 100 runners comes a minute after its job.
    stage.emulator.control.knobs({ batchMax: 2 })
    queue(stage, 100)
    for (let waited = 0; waited < 60 && secrets(stage).length < 100; waited++) await stage.clock.advance(seconds(1))
    const names = [...secrets(stage)]
    for (const name of names) await takeJob(stage, name)
    for (const name of names) {
      stage.emulator.control.stub.finish(name, succeeded)
      end(stage, name)
    }
    for (let waited = 0; waited < 120; waited++) {
      confirmDeletions(stage)
      await stage.clock.advance(seconds(1))
    }
    expect(registrations(stage)).toHaveLength(100)
    expect(events(stage, 'runner-failed')).toEqual([])
  },
)

it('forty runners of a lost node cost a few lists, and no refused removal', async () => {
  const stage = await open({ spec: { scale: { min: 0, max: 40 } } })
  queue(stage, 40)
  await stage.clock.advance(seconds(10))
  for (const name of podNames(stage)) await takeJob(stage, name)
  await stage.clock.advance(seconds(5))
  const names = podNames(stage)
  const listsOfEvents = () =>
    stage.requestLog.recent().filter(({ verb, resource }) => verb === 'list' && resource === 'events').length
  const before = listsOfEvents()
  for (const name of names) {
    stage.emulator.control.stub.vanish(name)
    stage.registry.delete('pods', namespace, name, { gracePeriodSeconds: 30 })
  }
  await stage.clock.advance(seconds(180))
  expect(status(stage)['problems']).toContainEqual(expect.objectContaining({ kind: 'stuck' }))
  expect(listsOfEvents() - before).toBeLessThan(10)
  for (const name of names) stage.registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
  const listed = lists(stage).length
  await stage.clock.advance(seconds(900))
  expect(stage.emulator.control.registrations().filter(({ name }) => names.includes(name))).toEqual([])
  expect(lists(stage).length - listed).toBeLessThan(25)
  expect(deregistrations(stage).filter((request) => request.status !== 204)).toEqual([])
})
