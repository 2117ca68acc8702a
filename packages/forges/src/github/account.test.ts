// An account at the emulated GitHub, over HTTP: all registrations are visible, and no busy runner is removed.
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { httpClient } from '@dayfly/kit/http-client'
import type { HttpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGitHubAccount } from './account.ts'
import { occupy, plantRunners } from './planted-runners.fixture.ts'

const clock = systemClock()
const random = seededRandom(1)
const token = 'ghp_good'

let emulator: GitHubEmulator
let server: HttpServer
let client: ReturnType<typeof httpClient>

beforeEach(async () => {
  emulator = createGitHubEmulator({ clock, random, tokens: [token] })
  server = await emulator.listen(0)
  client = httpClient()
})
afterEach(async () => {
  await client.close()
  await server.close()
})

const planting = () => ({ emulator, url: `${server.origin}/acme`, token, clock, random })
const account = (given = token) =>
  createGitHubAccount({
    url: `${server.origin}/acme/`,
    credential: { kind: 'token', token: given },
    transport: client.transport,
    clock,
    random,
    userAgent: 'test',
  })

test('lists the registrations of every set, with set and age', async () => {
  const before = Date.now() - 1_000
  const linux = await plantRunners(planting(), 'linux', ['linux-a', 'linux-b'])
  const windows = await plantRunners(planting(), 'windows', ['windows-a'])
  emulator.control.stub.online('linux-b')
  const { url, registrations, find, set } = account()
  expect(url).toBe(`${server.origin}/acme`)
  const found = await registrations()
  expect(found.map(({ name, status, busy, set: of }) => [name, status, busy, of])).toEqual([
    ['linux-a', 'offline', false, String(linux)],
    ['linux-b', 'online', false, String(linux)],
    ['windows-a', 'offline', false, String(windows)],
  ])
  for (const { createdAt = 0 } of found) expect(createdAt).toBeGreaterThan(before)
  expect(await find('linux-b')).toEqual(found[1])
  expect(await find('nobody')).toBeUndefined()
  expect(await set(String(linux))).toEqual({ id: String(linux), name: 'linux', assignedJobs: 0, registeredRunners: 2 })
  expect(await set('999')).toBeUndefined()
})

test('removes an idle runner and keeps a busy one', async () => {
  const id = await plantRunners(planting(), 'linux', ['linux-a', 'linux-b'])
  await occupy(planting(), { id, set: 'linux', runner: 'linux-b' })
  const { registrations, deregister, find } = account()
  const [idle, busy] = await registrations()
  expect(busy).toMatchObject({ name: 'linux-b', status: 'online', busy: true })
  expect(await deregister(busy?.id ?? '')).toBe('busy')
  expect(await deregister(idle?.id ?? '')).toBe('removed')
  expect([await find('linux-a'), (await find('linux-b'))?.id]).toEqual([undefined, busy?.id])
})

test('rejects a refused token and a list that is not complete', async () => {
  await plantRunners(planting(), 'linux', ['linux-a'])
  await expect(account('ghp_bad').registrations()).rejects.toMatchObject({ kind: 'unauthorized' })
  emulator.control.fault({
    match: { pathRegex: '/agents$' },
    action: { kind: 'members', members: { count: 7 } },
  })
  await expect(account().registrations()).rejects.toMatchObject({ kind: 'bad-response' })
})
