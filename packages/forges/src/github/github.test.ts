// The emulator over real HTTP: the order of requests, broken polls, connections.
import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { FaultSpec } from '@dayfly/forge-emulators/server/faults'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { afterEach, expect, test } from 'vitest'
import { readForgeEvents } from '../event-reader.fixture.ts'
import { createGitHubForge } from './github.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function createWorld(knobs: KnobChange, connections = 16) {
  const clock = systemClock()
  const { control, listen } = createGitHubEmulator({ clock, random: seededRandom(1), knobs })
  const server = await listen(0)
  const client = httpClient({ connections })
  cleanups.push(server.close, client.close)
  const forge = createGitHubForge({
    url: `${server.origin}/acme`,
    credential: { kind: 'token', token: 'pat' },
    transport: client.transport,
    clock,
    random: seededRandom(2),
    userAgent: 'dayfly/0.0.0',
  })
  const open = async (name = 'linux') => {
    const set: ForgeSet = { name, runnerPrefix: `${name}-`, labels: [name], group: undefined, max: 10 }
    const link = await forge.open(set, undefined, new AbortController().signal)
    const reader = readForgeEvents(link)
    await reader.find('demand')
    return { link, reader }
  }
  const queue = () =>
    control.queueJobs([{ labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }])
  return { control, open, queue }
}

test('one job makes exactly the requests of the protocol', async () => {
  const { control, open, queue } = await createWorld({ longPollMs: 5_000 })
  const { link, reader } = await open()
  queue()
  await reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 1)
  await link.register('linux-a')
  control.stub.online('linux-a')
  control.stub.start('linux-a')
  await reader.find('job-started')
  control.stub.finish('linux-a', { conclusion: 'success', outputs: {}, steps: [], note: undefined })
  await reader.find('job-finished')
  await reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 0)
  await link.close('pause')
  await reader.ended
  const sent = control.requests().map(({ method, path, status }) => `${method} ${path} ${status}`)
  const [polls, calls] = [
    sent.filter((line) => line.includes('/scalesets/')),
    sent.filter((line) => !line.includes('/scalesets/')),
  ]
  const sets = '/tenant/acme/_apis/runtime/runnerscalesets'
  expect(calls.map((line) => line.replace(/sessions\/[\w-]+/, 'sessions/ID'))).toEqual([
    'POST /api/v3/orgs/acme/actions/runners/registration-token 201',
    'POST /api/v3/actions/runner-registration 201',
    'GET /tenant/acme/_apis/runtime/runnergroups/ 200',
    `GET ${sets} 200`,
    `POST ${sets} 200`,
    `POST ${sets}/1/sessions 200`,
    `POST ${sets}/1/generatejitconfig 200`,
    `DELETE ${sets}/1/sessions/ID 204`,
  ])
  const acknowledged = [1, 2, 3].map((id) => `DELETE /scalesets/message/10000000${id} 204`)
  expect(polls.filter((line) => line.startsWith('DELETE'))).toEqual(acknowledged)
})

const faults: readonly (readonly [string, FaultSpec['action']])[] = [
  ['broken before it is carried out', { kind: 'reset', when: 'before' }],
  ['broken after it is carried out', { kind: 'reset', when: 'after' }],
  ['cut in half', { kind: 'truncate' }],
  ['left empty', { kind: 'empty' }],
  ['given a byte order mark', { kind: 'bom' }],
  ['answered by a proxy', { kind: 'answer', status: 502, headers: { 'content-type': 'text/html' }, text: '<html>' }],
]

test.each(faults)('loses nothing if a poll is %s', async (_, action) => {
  const { control, open, queue } = await createWorld({ longPollMs: 5_000 })
  const { link, reader } = await open()
  control.fault({ match: { method: 'GET', pathRegex: '/scalesets/message' }, nth: 2, action })
  queue()
  await reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 1)
  queue()
  await reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 2)
  expect(reader.events.some(({ kind }) => kind === 'failing')).toBe(false)
  await link.close('remove')
})

test('polls of many sets leave the connections free for other calls', async () => {
  const { control, open } = await createWorld({ longPollMs: 30_000 }, 2)
  const opened = await Promise.all(Array.from({ length: 12 }, (_, index) => open(`linux-${index}`)))
  await expect.poll(() => control.requests().filter(({ status }) => status === undefined)).toHaveLength(12)
  const registered = await Promise.all(opened.map(({ link }, index) => link.register(`runner-${index}`)))
  expect(registered.every(({ is }) => is === 'registered')).toBe(true)
  await Promise.all(opened.map(({ link }) => link.close('remove')))
})
