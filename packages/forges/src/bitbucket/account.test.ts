// The account port on the emulated Bitbucket: the doctor's view of the registrations.
import { seededRandom } from '@dayfly/kit/random'
import { expect, test } from 'vitest'
import { createBitbucketAccount } from './account.ts'
import { accessToken, type BitbucketBench, bitbucketBench, errorOf, startRunner } from './bench.fixture.ts'

function accountOf(bench: BitbucketBench) {
  return createBitbucketAccount({
    url: 'http://bitbucket.test/acme/',
    credential: accessToken,
    transport: bench.emulator.transport,
    clock: bench.clock,
    random: seededRandom(3),
    userAgent: 'dayfly/0.0.0',
  })
}

test('lists the registrations of all sets with their status and age, and finds one by its name', async () => {
  const bench = bitbucketBench({ knobs: { pageMax: 2 } })
  const { link } = await bench.open()
  await startRunner(bench, link, 'linux-a')
  bench.queue()
  await bench.wait(link.register('linux-b'))
  await bench.wait((await bench.open('other')).link.register('other-a'))
  const account = accountOf(bench)
  expect(account.url).toBe('http://bitbucket.test/acme')
  const listed = await bench.wait(account.registrations())
  expect(listed).toMatchObject([
    { name: 'linux-a', status: 'online', busy: true, set: undefined, createdAt: expect.any(Number) },
    { name: 'linux-b', status: 'offline', busy: false },
    { name: 'other-a', status: 'offline', busy: false },
  ])
  expect((await bench.wait(account.find('linux-b')))?.id).toBe(listed[1]?.id)
  expect(await bench.wait(account.find('none'))).toBeUndefined()
})

test('a name that two runners have is a conflict', async () => {
  const bench = bitbucketBench()
  const headers = { authorization: 'Bearer wat' }
  const path = '/2.0/workspaces/acme/pipelines-config/runners'
  const body = { kind: 'json', value: { name: 'twin' } } as const
  for (let count = 0; count < 2; count++)
    await bench.wait(bench.emulator.transport({ method: 'POST', path, query: {}, headers, body, expect: 'whole' }))
  expect((await errorOf(bench, accountOf(bench).find('twin'))).kind).toBe('conflict')
})

test('removes an idle registration, keeps a busy one, and has no sets', async () => {
  const bench = bitbucketBench()
  const { link } = await bench.open()
  const busy = await startRunner(bench, link, 'linux-a')
  bench.queue()
  const idle = await bench.wait(link.register('linux-b'))
  const account = accountOf(bench)
  expect(await bench.wait(account.deregister(busy.id))).toBe('busy')
  expect(idle.is === 'registered' && (await bench.wait(account.deregister(idle.registration.id)))).toBe('removed')
  expect(await bench.wait(account.deregister('{0}'))).toBe('absent')
  expect(bench.emulator.control.runners()).toMatchObject([{ name: 'linux-a' }])
  expect([await account.set('1'), await account.findSet('linux', undefined)]).toEqual([undefined, undefined])
  expect((await errorOf(bench, account.removeSet('1'))).kind).toBe('not-found')
})
