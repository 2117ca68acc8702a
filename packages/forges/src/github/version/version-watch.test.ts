// The version of a set's runner and its end, at the emulator with a latency of 150 ms, over virtual days.
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { FaultSpec } from '@dayfly/forge-emulators/server/faults'
import type { Request, Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { expect, onTestFinished, test } from 'vitest'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { createGitHubForge } from '../github.ts'

const minute = 60_000
const day = 24 * 60 * minute
const ends = { runtime: '2026-03-13T18:34:13Z', registration: null }
const schedule = { runtimeEndsAt: Date.parse(ends.runtime), registrationEndsAt: undefined }
const tagged = { image: 'actions-runner:2.330.0', version: '2.330.0' }
const floating = { image: 'actions-runner:latest', version: undefined }

function createWorld(url = 'http://127.0.0.1:9/acme') {
  const clock = virtualClock()
  const random = seededRandom(1)
  const emulator = createGitHubEmulator({ clock, random, knobs: { latencyMs: 150, versionEnds: { '2.330.0': ends } } })
  const { control } = emulator
  const sent: Request[] = []
  const transport: Transport = (request) => {
    sent.push(request)
    return emulator.transport(request)
  }
  const credential = { kind: 'token', token: 'pat' } as const
  const forge = createGitHubForge({ url, credential, transport, clock, random, userAgent: 'dayfly/0' })
  onTestFinished(() => emulator.close())
  const open = async (runner: ForgeSet['runner'], name = 'linux') => {
    const set = {
      name,
      runnerPrefix: `${name}-`,
      labels: [name],
      group: undefined,
      max: 10,
      ...(runner ? { runner } : {}),
    }
    const opening = forge.open(set, undefined, new AbortController().signal)
    await clock.advance(2_000)
    const link = await opening
    const reader = readForgeEvents(link)
    onTestFinished(async () => {
      const closing = link.close('pause')
      await clock.advance(40_000)
      await closing
    })
    await clock.advance(2_000)
    const versions = () => reader.events.flatMap((event) => (event.kind === 'runner-version' ? [event.version] : []))
    return { set, link, reader, versions }
  }
  const register = async (link: Awaited<ReturnType<typeof open>>['link'], name: string, version: string) => {
    const registering = link.register(name)
    await clock.advance(1_000)
    await registering
    control.stub.online(name, version)
  }
  const list = async (link: Awaited<ReturnType<typeof open>>['link']) => {
    const listing = link.registrations()
    await clock.advance(1_000)
    await listing
    await clock.advance(2 * minute)
  }
  const calls = (path: RegExp) => sent.filter((request) => path.test(request.path))
  return { clock, control, open, register, list, calls }
}

const deprecations = /\/deprecations\//

test('asks for the version of the tag once a day, for all sets of an account, and reports it once', async () => {
  const { clock, open, calls } = createWorld()
  const [one, other] = [await open(tagged), await open(tagged, 'other')]
  await clock.advance(2 * minute)
  const known = { version: '2.330.0', from: 'image', schedule, minimum: undefined }
  expect([one.versions(), other.versions()]).toEqual([[known], [known]])
  expect(calls(deprecations)).toMatchObject([{ path: '/api/v3/orgs/acme/actions/runners/deprecations/2.330.0' }])
  await clock.advance(day)
  expect(calls(deprecations)).toHaveLength(2)
  expect(one.versions()).toHaveLength(1)
})

test('knows the lowest version at github.com, and reports a changed schedule a day later', async () => {
  const { clock, control, open } = createWorld('https://github.com/acme')
  const { versions } = await open(tagged)
  await clock.advance(2 * minute)
  control.knobs({ versionEnds: { '2.330.0': { runtime: null, registration: '2026-05-01T00:00:00Z' } } })
  await clock.advance(day)
  expect(versions()).toMatchObject([
    { minimum: '2.329.0', schedule },
    { schedule: { runtimeEndsAt: undefined, registrationEndsAt: Date.parse('2026-05-01T00:00:00Z') } },
  ])
})

const unplanned = { runner_version: '2.330.0', runtime_deprecates_at: 'soon' }

test.each<[string, FaultSpec['action'], number]>([
  ['403', { kind: 'answer', status: 403, body: { message: 'Must have admin rights' } }, day],
  ['404', { kind: 'answer', status: 404, body: { message: 'Not Found' } }, day],
  ['a time that cannot be read', { kind: 'answer', status: 200, body: unplanned }, day],
  ['401', { kind: 'answer', status: 401, body: { message: 'Bad credentials' } }, 10 * minute],
  ['429', { kind: 'answer', status: 429, headers: { 'retry-after': '1800' } }, 30 * minute],
  ['403 at a limit', { kind: 'answer', status: 403, headers: { 'retry-after': '1800' } }, 30 * minute],
  ['503', { kind: 'answer', status: 503 }, 10 * minute],
  ['a broken connection', { kind: 'reset', when: 'before' }, 10 * minute],
])('%s is no failure of the set, and is asked again only later', async (_title, action, laterMs) => {
  const { clock, control, open, calls } = createWorld()
  control.fault({ match: { pathRegex: '/deprecations/' }, times: 1, action })
  const { versions, reader } = await open(tagged)
  await clock.advance(2 * minute)
  expect(versions()).toEqual([{ version: '2.330.0', from: 'image', schedule: undefined, minimum: undefined }])
  await clock.advance(laterMs - 4 * minute)
  expect(calls(deprecations)).toHaveLength(1)
  await clock.advance(6 * minute)
  expect(calls(deprecations)).toHaveLength(2)
  expect(versions().at(-1)?.schedule).toEqual(schedule)
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
})

test('reads the newest version in a list, and none before a runner has connected', async () => {
  const { open, register, list, versions } = await opened()
  await list()
  expect(versions()).toEqual([])
  await register('linux-a', '2.330.0')
  await register('linux-b', '2.331.0')
  await list()
  await open.control.stub.vanish('linux-a')
  await list()
  expect(versions()).toMatchObject([{ version: '2.331.0', from: 'runner', schedule: undefined }])
})

test('after a change of the image, runners of the older image no longer count', async () => {
  const { open, link, set, register, list, versions } = await opened()
  await register('linux-a', '2.330.0')
  await list()
  await register('linux-b', '2.330.0')
  link.update({ ...set, runner: { image: 'acme/runner@sha256:00', version: undefined } })
  await list()
  expect(versions()).toMatchObject([{ version: '2.330.0', schedule }, undefined])
  await register('linux-c', '2.337.0')
  await list()
  expect(versions().at(-1)).toMatchObject({ version: '2.337.0' })
  expect(open.calls(deprecations).map(({ path }) => path.split('/').at(-1))).toEqual(['2.330.0', '2.337.0'])
})

test('looks up the runner of a job, because its registration may be gone before a list: once a day', async () => {
  const { open, register, versions } = await opened()
  const message = scriptJob('test', [])
  for (const name of ['linux-a', 'linux-b', 'linux-c']) {
    open.control.queueJobs([{ labels: ['linux'], name: 'test', message }])
    await open.clock.advance(1_000)
    await register(name, '2.330.0')
    open.control.stub.start(name)
    await open.clock.advance(2 * minute)
  }
  expect(open.calls(/\/agents$/)).toHaveLength(1)
  expect(versions()).toMatchObject([{ version: '2.330.0', from: 'runner', schedule }])
})

/** One set with a floating tag. */
async function opened() {
  const open = createWorld()
  const { link, set, versions } = await open.open(floating)
  return {
    ...{ open, link, set, versions },
    register: (name: string, version: string) => open.register(link, name, version),
    list: () => open.list(link),
  }
}
