// The cases of Atlassian's autoscaler that concern its client and its cleaner, with their ids (docs/reference/bitbucket.md#s5).
// Dayfly does the same where it is right, and better where the autoscaler ends its process or removes what is not its own.
import { describe, expect, test } from 'vitest'
import { bitbucketBench, errorOf, startRunner } from './bench.fixture.ts'
import { readCredential } from './credential.ts'

const headers = { authorization: 'Bearer wat' }
const runners = '/2.0/workspaces/acme/pipelines-config/runners'
const expired = { kind: 'answer', status: 429, body: { type: 'error', error: { message: 'Rate limit' } } } as const

describe('the client', () => {
  test('A01 joins the pages of a list', async () => {
    const bench = bitbucketBench({ knobs: { pageMax: 2 } })
    const { link } = await bench.open()
    for (const name of ['linux-a', 'linux-b', 'linux-c']) await bench.wait(link.register(name))
    const listed = await bench.wait(link.registrations())
    expect(listed.map(({ name }) => name)).toEqual(['linux-a', 'linux-b', 'linux-c'])
  })

  test('A02 prefers the OAuth consumer to any other credential', () => {
    const entries = {
      ...{ bitbucketOauthClientId: 'k', bitbucketOauthClientSecret: 's' },
      ...{ bitbucketUsername: 'u', bitbucketAppPassword: 'p', bitbucketAccessToken: 't' },
    }
    expect(readCredential(entries, 'bitbucket')).toMatchObject({ kind: 'consumer' })
  })

  test('A03 registers a runner with its name and its labels, and A04 keeps the id and the secret of its client', async () => {
    const bench = bitbucketBench()
    const { link } = await bench.open()
    const outcome = await bench.wait(link.register('linux-a'))
    const [sent] = bench.emulator.control.requests().filter(({ method, path }) => method === 'POST' && path === runners)
    expect(sent?.body).toEqual({ name: 'linux-a', labels: ['self.hosted', 'linux'] })
    if (outcome.is !== 'registered') throw new Error('it is registered')
    expect(outcome.credential.reveal()).toMatchObject({
      RUNNER_UUID: outcome.registration.id,
      OAUTH_CLIENT_ID: expect.stringMatching(/^.+$/),
      OAUTH_CLIENT_SECRET: expect.stringMatching(/^.+$/),
    })
  })

  test('A05 disables a runner with a PUT of its state, and A06 takes 204 without a body for a removal', async () => {
    const bench = bitbucketBench()
    const { link } = await bench.open()
    const registration = await startRunner(bench, link, 'linux-a')
    await bench.wait(link.cordon(registration))
    expect(bench.sent('PUT', /\/internal\/.*\/state$/)).toBe(1)
    expect(bench.emulator.control.runners()).toMatchObject([{ status: 'DISABLED' }])
    expect(await bench.wait(link.deregister(registration))).toBe('removed')
    expect(bench.sent('DELETE', /runners/)).toBe(1)
  })

  test('C24 accepts an access token alone, and names every pair of keys otherwise', () => {
    expect(readCredential({ bitbucketAccessToken: 't' }, 'bitbucket')).toMatchObject({ kind: 'access-token' })
    expect(() => readCredential({}, 'bitbucket')).toThrow(/bitbucketOauthClientId.*atlassianAccountEmail/)
  })

  test('C26 waits after a 429 during the look-up, and goes on by itself', async () => {
    const bench = bitbucketBench()
    bench.emulator.control.fault({ match: { pathRegex: '^/2.0/workspaces/acme$' }, times: 1, action: expired })
    const { link } = await bench.open()
    expect(await bench.wait(link.registrations())).toEqual([])
  })

  test('C27 lets a set go on while the calls of another account fail', async () => {
    const bench = bitbucketBench()
    const first = await bench.open('linux')
    const failing = await bench.open('other', bench.connect('acme/app'))
    bench.emulator.control.fault({ match: { pathRegex: '/repositories/' }, times: 100, action: expired })
    await bench.wait(failing.reader.find('failing'))
    expect(await bench.wait(first.link.register('linux-a'))).toMatchObject({ is: 'registered' })
  })
})

describe('the removal of runners', () => {
  test('K10 leaves the runners of another set alone', async () => {
    const bench = bitbucketBench()
    const [first, other] = [await bench.open('linux'), await bench.open('other')]
    await bench.wait(other.link.register('other-a'))
    await bench.wait(first.link.close('remove'))
    expect(bench.emulator.control.runners()).toMatchObject([{ name: 'other-a' }])
  })

  test('K11 takes a runner that another client removed for gone', async () => {
    const bench = bitbucketBench()
    const { link } = await bench.open()
    const registration = await startRunner(bench, link, 'linux-a')
    const path = `${runners}/${encodeURIComponent(registration.id)}`
    const body = { kind: 'none' } as const
    await bench.wait(bench.emulator.transport({ method: 'DELETE', path, query: {}, headers, body, expect: 'whole' }))
    expect(await bench.wait(link.deregister(registration))).toBe('absent')
  })

  test('K08 keeps an offline runner that has a step', async () => {
    const bench = bitbucketBench({ knobs: { silentS: 10 } })
    const { link } = await bench.open()
    const registration = await startRunner(bench, link, 'linux-a')
    bench.queue()
    await bench.clock.advance(40_000)
    bench.emulator.control.stub.vanish('linux-a')
    await bench.clock.advance(20_000)
    expect(bench.emulator.control.runners()).toMatchObject([{ status: 'OFFLINE' }])
    expect(await bench.wait(link.deregister(registration))).toBe('busy')
  })

  test('a cordon of a runner that is gone is an error of its own, and no other one is touched', async () => {
    const bench = bitbucketBench()
    const { link } = await bench.open()
    const gone = { id: '{0}', name: 'linux-x', status: 'unknown', busy: 'unknown' } as const
    expect((await errorOf(bench, link.cordon(gone))).kind).toBe('not-found')
  })
})
