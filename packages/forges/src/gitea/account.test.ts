// The account port on the emulated Gitea: the doctor's and the sweep's view of the registrations.
import type { KnobChange } from '@dayfly/forge-emulators/gitea/config'
import { type TestServer, testServer } from '@dayfly/forge-emulators/gitea/test-client.fixture'
import { seededRandom } from '@dayfly/kit/random'
import { expect, test } from 'vitest'
import { waitVirtually } from '../waiting.fixture.ts'
import { createGiteaAccount } from './account.ts'

const hourMs = 3_600_000

function bench(knobs: KnobChange = {}) {
  const server = testServer({ knobs: { pickUpMs: 0, ...knobs } })
  const { clock, emulator } = server
  const account = createGiteaAccount({
    url: 'http://gitea.test/acme/',
    token: 'admin',
    transport: emulator.transport,
    clock,
    random: seededRandom(2),
    userAgent: 'dayfly/0.0.0',
  })
  return { ...server, account, wait: waitVirtually(clock) }
}

/** Lets a runner of its own take each of the jobs, one after the other, so many milliseconds apart. */
async function live(server: TestServer, jobs: number, apartMs: number): Promise<void> {
  const { emulator, clock, register } = server
  for (let job = 0; job < jobs; job++) {
    await register('/orgs/acme', `ended-${job}`)
    emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'], durationMs: 1 }])
    emulator.control.stub.online(`ended-${job}`)
    await clock.advance(apartMs)
  }
}

test('lists the registrations of the level with their labels, and finds one of two with one name', async () => {
  const { account, wait, register, emulator } = bench()
  const first = await register('/orgs/acme', 'twin', { labels: ['linux', 'arm'] })
  await register('/orgs/acme', 'twin')
  await register('/orgs/other', 'elsewhere')
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['arm'] }])
  emulator.control.stub.online(first.uuid)
  expect(account.url).toBe('http://gitea.test/acme')
  const listed = await wait(account.registrations())
  expect(listed.map(({ id }) => id).sort()).toEqual(['1', '2'])
  const busy = listed.find(({ id }) => id === '1')
  expect(busy).toMatchObject({ name: 'twin', status: 'online', busy: true, set: undefined, labels: ['linux', 'arm'] })
  expect((await wait(account.find('twin', undefined, '2')))?.id).toBe('2')
  expect(await wait(account.find('none'))).toBeUndefined()
  await expect(wait(account.find('twin'))).rejects.toMatchObject({ kind: 'conflict' })
})

test('a silent runner is as old as the job of a later one, also of one that runs, and without such a job its age is unknown', async () => {
  const server = bench()
  const { account, wait, register, emulator, clock } = server
  await register('/orgs/acme', 'left')
  const begun = clock.now()
  await live(server, 1, 3 * hourMs)
  await register('/orgs/acme', 'second')
  await register('/orgs/acme', 'working')
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  emulator.control.stub.online('working')
  const working = clock.now()
  await clock.advance(hourMs)
  await register('/orgs/acme', 'young')
  const ages = new Map((await wait(account.registrations())).map(({ name, createdAt }) => [name, createdAt]))
  expect(ages).toEqual(
    new Map([
      ['left', begun],
      ['second', working],
      ['working', undefined],
      ['young', undefined],
    ]),
  )
})

test('goes back through many ended jobs with a few requests, and no further than a job can show an age', async () => {
  const server = bench()
  await live(server, 400, 1_000)
  await server.register('/orgs/acme', 'left')
  const registered = server.clock.now()
  await live(server, 1_000, 1_000)
  const before = server.emulator.control.requests().length
  const [left] = await server.wait(server.account.registrations())
  const pages = server.emulator.control.requests().slice(before)
  const ended = pages.filter(({ query }) => JSON.stringify(query).includes('completed')).length
  // 28 pages: the first, the last, and those 1, 2, 4, 8 and 16 before the last, one of them with the jobs of the right time.
  expect(ended).toBeLessThanOrEqual(7)
  expect(left?.createdAt).toBeGreaterThanOrEqual(registered)
  expect(left?.createdAt).toBeLessThan(registered + 500_000)
})

test('a server whose runners have no jobs in its list shows no age', async () => {
  const { account, wait, emulator } = bench({ dialect: 'forgejo-15' })
  const body = { name: 'left', ephemeral: true }
  const headers = { authorization: 'token admin' }
  const path = '/api/v1/orgs/acme/actions/runners'
  await emulator.transport({
    method: 'POST',
    path,
    query: {},
    headers,
    body: { kind: 'json', value: body },
    expect: 'whole',
  })
  expect(await wait(account.registrations())).toMatchObject([{ name: 'left', status: 'offline', createdAt: undefined }])
})

test('removes an idle registration, keeps a busy one, and has no sets', async () => {
  const { account, wait, register, emulator } = bench()
  await register('/orgs/acme', 'busy')
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  emulator.control.stub.online('busy')
  await register('/orgs/acme', 'idle')
  expect(await wait(account.deregister('1'))).toBe('busy')
  expect(await wait(account.deregister('2'))).toBe('removed')
  expect(await wait(account.deregister('3'))).toBe('absent')
  expect(emulator.control.runners()).toMatchObject([{ name: 'busy' }])
  expect([await account.set('1'), await account.findSet('linux', undefined)]).toEqual([undefined, undefined])
  await expect(account.removeSet('1')).rejects.toMatchObject({ kind: 'not-found' })
})

test('without a cordon, removes only a runner that is silent and has no job', async () => {
  const { account, wait, register, emulator, clock } = bench({ dialect: 'gitea-1.25' })
  for (const name of ['lost', 'idle', 'silent']) await register('/orgs/acme', name)
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  emulator.control.stub.online('lost')
  emulator.control.stub.vanish('lost')
  await clock.advance(2 * 60_000)
  emulator.control.stub.online('idle')
  expect(emulator.control.runner('lost')).toMatchObject({ status: 'offline', job: '1' })
  expect(await wait(account.deregister('1'))).toBe('busy')
  expect(await wait(account.deregister('2'))).toBe('busy')
  expect(await wait(account.deregister('3'))).toBe('removed')
  expect(emulator.control.runners().map(({ name }) => name)).toEqual(['lost', 'idle'])
})
