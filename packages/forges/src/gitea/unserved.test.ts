// The jobs that no set of an account can have: which ones are shown, and at which set.
import { testServer } from '@dayfly/forge-emulators/gitea/test-client.fixture'
import { seededRandom } from '@dayfly/kit/random'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { expect, test } from 'vitest'
import { readForgeEvents } from '../event-reader.fixture.ts'
import { waitVirtually } from '../waiting.fixture.ts'
import { createGiteaForge } from './gitea.ts'
import { unservedIn } from './unserved.ts'
import type { ListedJob, ListedRunner } from './wire.ts'

const now = 1_000_000

function job(id: string, more: Partial<ListedJob> = {}): ListedJob {
  return {
    ...{ id, name: `job ${id}`, repository: 'acme/app', labels: ['arm64'], state: 'ready', conclusion: '' },
    ...{ runnerId: undefined, runnerName: '', createdAt: now - 60_000, startedAt: undefined },
    ...{ run: undefined, branch: undefined, ...more },
  } as ListedJob
}

const set: ForgeSet = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 2 }
const runner: ListedRunner = { id: '1', name: 'other', labels: ['arm64'], isOnline: true, isCordoned: false }

function shown(jobs: readonly ListedJob[], runners: readonly ListedRunner[] = [], sets: readonly ForgeSet[] = [set]) {
  return unservedIn(jobs, { at: now, runners }, sets, (at) => at)
}

test('shows the five oldest jobs and the number of all, with texts that were cut', () => {
  const jobs = ['10', '9', '8', '7', '6', '5'].map((id) => job(id))
  expect(shown(jobs)?.count).toBe(6)
  expect(shown(jobs)?.jobs.map(({ id }) => id)).toEqual(['5', '6', '7', '8', '9'])
  expect(shown(jobs)?.jobs[0]).toEqual({ id: '5', name: 'job 5', repository: 'acme/app', labels: ['arm64'] })
  const labels = Array.from({ length: 20 }, () => 'x'.repeat(300))
  const [long] = shown([job('1', { name: 'n'.repeat(300), labels })])?.jobs ?? []
  expect([long?.name.length, long?.labels.length, long?.labels[0]?.length]).toEqual([200, 16, 200])
})

test.each<[string, Parameters<typeof shown>, number | undefined]>([
  ['a job that has just begun to wait', [[job('1', { createdAt: now - 19_000 })]], undefined],
  ['a job that has waited', [[job('1', { createdAt: now - 20_000 })]], 1],
  ['a job of a server that shows no time', [[job('1', { createdAt: undefined })]], 1],
  ['a job for a runner of another client', [[job('1')], [runner]], undefined],
  ['a job for a runner that is offline', [[job('1')], [{ ...runner, isOnline: false }]], 1],
  ['a job for a runner that takes no more', [[job('1')], [{ ...runner, isCordoned: true }]], 1],
  ['a job for a set that rests', [[job('1')], [], [{ ...set, labels: ['arm64', 'linux'] }]], undefined],
  ['no job', [[]], undefined],
])('counts right: %s', (_, given, count) => {
  expect(shown(...given)?.count).toBe(count)
})

test('the first set of an account by its name shows them, until it leaves; a paused set keeps its own jobs back', async () => {
  const { clock, emulator } = testServer({ knobs: { pickUpMs: 0, latencyMs: 10 } })
  const wait = waitVirtually(clock)
  const stop = new AbortController()
  const forge = createGiteaForge({
    url: 'http://gitea.test/acme',
    token: 'admin',
    transport: emulator.transport,
    clock,
    random: seededRandom(2),
    userAgent: 'dayfly/0.0.0',
  })
  const open = async (name: string) => {
    const own = { ...set, name, runnerPrefix: `${name}-`, labels: [name] }
    const link = await wait(forge.open(own, undefined, stop.signal))
    return { link, read: () => readForgeEvents(link) }
  }
  emulator.control.queueJobs(
    [['gpu', 'arm64'], ['linux'], ['paused']].map((labels) => ({ repository: 'acme/app', name: 'build', labels })),
  )
  await open('paused')
  const [second, first] = [(await open('windows')).read(), await open('linux')]
  const reader = first.read()
  await wait(second.find('demand'))
  await clock.advance(60_000)
  const latest = async (from: typeof reader) => {
    await clock.advance(60_000)
    return (await wait(from.find('demand', ({ at }) => at > clock.now() - 30_000))).unserved
  }
  expect([await latest(second), await latest(reader)]).toEqual([
    undefined,
    { count: 1, jobs: [{ id: '1', name: 'build', repository: 'acme/app', labels: ['gpu', 'arm64'] }] },
  ])
  await wait(first.link.close('pause'))
  expect(await latest(second)).toMatchObject({ count: 2 })
  stop.abort()
})
