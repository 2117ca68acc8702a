import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rootCertificates } from 'node:tls'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { type TestApp, testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { selfSignedCertificate } from '@dayfly/kit/certificate'
import { forwardProxy } from '@dayfly/kit/forward-proxy.fixture'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { Forge, ForgeAccess, ForgeExchange, ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { ForgeSource } from '@dayfly/runner-set/model/runner-set'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readForgeEvents } from '../event-reader.fixture.ts'
import { createForges, type ForgesOptions } from './forges.ts'

let app: TestApp
let folder: string
const opened: (() => Promise<void>)[] = []
const tls = selfSignedCertificate(Date.now())
const proxyCredential = { username: 'joe', password: 's3cret-word' }
const set: ForgeSet = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 5 }

beforeAll(async () => {
  app = testApp(1)
  folder = await mkdtemp(path.join(tmpdir(), 'dayfly-forges-'))
})
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function forges(more: Partial<ForgesOptions> = {}) {
  const exchanges: ForgeExchange[] = []
  const made = createForges({
    clock: systemClock(),
    random: seededRandom(1),
    userAgent: 'dayfly/test',
    owner: 'test',
    onAnomaly: () => {},
    onExchange: (exchange) => exchanges.push(exchange),
    environment: {},
    ...more,
  })
  opened.push(made.close)
  return { ...made, exchanges }
}

function sourceAt(url: string, more: Partial<ForgeSource> = {}): ForgeSource {
  const plain = { kind: 'github', credentialsSecret: 'github', runnerGroup: undefined, labels: ['linux'] } as const
  return { ...plain, url, proxy: undefined, ca: undefined, ...more }
}

const ca = { kind: 'config-map', name: 'trust', key: 'ca.crt' } as const
const token: ForgeAccess = { credential: { github_token: 'ghp_x' } }

async function server() {
  const knobs = { longPollMs: 30_000, servicePath: '/_services/pipelines', latencyMs: 50 }
  const emulator = createGitHubEmulator({ clock: systemClock(), random: seededRandom(1), apps: [app.app], tls, knobs })
  const listening = await emulator.listen(0)
  opened.push(listening.close)
  return { emulator, url: `https://localhost:${listening.port}/acme` }
}

describe('an Enterprise Server with a port, a path and a private certificate, behind a proxy that asks for authentication', () => {
  test('runs a job for an App, although the proxy cuts silent polls', async () => {
    const { emulator, url } = await server()
    const proxy = await forwardProxy({ credential: proxyCredential, latencyMs: 50, idleMs: 5_500 })
    opened.push(proxy.close)
    const { forgeFor, exchanges } = forges()
    const source = sourceAt(url, { ca, proxy: { url: proxy.url, credentialsSecret: 'proxy', noProxy: [] } })
    const stop = new AbortController()
    const forge = forgeFor(source, { credential: app.entries(), proxyCredential, ca: tls.cert })
    const link = await forge.open(set, { scaleSetId: '', creating: 'linux' }, stop.signal)
    const reader = readForgeEvents(link)
    // A loaded machine may see several cuts at once.
    await expect.poll(() => proxy.cuts(), { timeout: 20_000 }).toBeGreaterThanOrEqual(1)
    emulator.control.queueJobs([{ labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }])
    await reader.find('demand', ({ demand }) => 'jobs' in demand && demand.jobs === 1)
    expect(await link.register('linux-a')).toMatchObject({ is: 'registered' })
    expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
    await link.close('remove').catch(() => {})
    stop.abort()
    expect(new Set(proxy.passed)).toEqual(new Set([`localhost:${new URL(url).port}`]))
    expect(exchanges.filter(({ operation }) => operation === 'other')).toEqual([])
  }, 40_000)

  test.each([
    [
      'without a credential',
      undefined,
      /asks for a user name and password \(407\), and none is configured.*Check spec\.github\.proxy/,
    ],
    ['with a wrong one', { username: 'joe', password: 'wrong-word' }, /407.*refuses the configured one/],
  ])('fails clearly %s for the proxy', async (_, wrong, sentence) => {
    const { url } = await server()
    const proxy = await forwardProxy({ credential: proxyCredential, latencyMs: 50 })
    opened.push(proxy.close)
    const source = sourceAt(url, { ca, proxy: { url: proxy.url, credentialsSecret: 'proxy', noProxy: [] } })
    const forge = forges().forgeFor(source, { ...token, proxyCredential: wrong, ca: tls.cert })
    const error = await forge.open(set, undefined, new AbortController().signal).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'bad-config', reason: 'proxy-refused' })
    expect(String(error)).toMatch(sentence)
    expect(String(error)).not.toMatch(/wrong-word|ghp_x/)
    expect(proxy.refused).toHaveLength(1)
  })

  test('fails at once without the certificate, and names the setting', async () => {
    const { url, emulator } = await server()
    const forge = forges().forgeFor(sourceAt(url), token)
    const error = await forge.open(set, undefined, new AbortController().signal).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'bad-config', reason: 'certificate-refused' })
    expect(String(error)).toContain('name it in spec.github.ca')
    expect(emulator.control.requests()).toEqual([])
  })
})

test('the certificates of NODE_EXTRA_CA_CERTS stay trusted beside those of a set', async () => {
  const { url } = await server()
  const file = path.join(folder, 'extra.crt')
  await writeFile(file, tls.cert)
  const { forgeFor } = forges({ environment: { NODE_EXTRA_CA_CERTS: file } })
  const other = rootCertificates[0] ?? ''
  const stop = new AbortController()
  expect(await forgeFor(sourceAt(url, { ca }), { ...token, ca: other }).open(set, undefined, stop.signal)).toBeDefined()
  stop.abort()
})

test('sets share an account for the same URL and access: its tokens are asked for once', async () => {
  const clock = virtualClock()
  const emulator = createGitHubEmulator({ clock: systemClock(), random: seededRandom(1), knobs: { latencyMs: 50 } })
  const listening = await emulator.listen(0)
  opened.push(listening.close)
  const { forgeFor, exchanges } = forges({ clock: { ...systemClock(), now: clock.now } })
  const stop = new AbortController()
  const source = sourceAt(`http://127.0.0.1:${listening.port}/acme`)
  const registrations = () => exchanges.filter(({ operation }) => operation === 'create-registration-token').length
  const open = (name: string, access = token) => forgeFor(source, access).open({ ...set, name }, undefined, stop.signal)
  const first = await Promise.all([open('one'), open('two')])
  await open('three')
  expect(registrations()).toBe(1)
  await open('four', { credential: { github_token: 'ghp_y' } })
  expect(registrations()).toBe(2)
  await clock.advance(11 * 60_000)
  await open('five')
  expect(registrations()).toBe(2)
  for (const link of first) await link.close('pause')
  stop.abort()
  await clock.advance(11 * 60_000)
  await forgeFor(source, token).open(set, undefined, new AbortController().signal)
  expect(registrations()).toBe(3)
})

test.each<[string, Partial<ForgeSource>, ForgeAccess, RegExp]>([
  ['an empty Secret', {}, { credential: {} }, /The Secret github has no credential/],
  [
    'a proxy that is not one',
    { proxy: { url: 'socks://x', credentialsSecret: undefined, noProxy: [] } },
    token,
    /spec\.github\.proxy\.url is not the address/,
  ],
  [
    'a proxy Secret without a user name',
    { proxy: { url: 'http://p', credentialsSecret: 'proxy', noProxy: [] } },
    { ...token, proxyCredential: { user: 's3cret-word' } },
    /The Secret proxy of spec\.github\.proxy has no key username/,
  ],
  [
    'a text that is no certificate',
    { ca },
    { ...token, ca: 's3cret-word' },
    /The key ca\.crt of the ConfigMap trust holds no certificate/,
  ],
  ['an enterprise', { url: 'https://github.com/enterprises/acme' }, { credential: {} }, /Secret github/],
])(
  'a configuration that cannot work is refused with its setting and without a secret: %s',
  (_, more, access, sentence) => {
    const refused = () => forges().forgeFor(sourceAt('https://github.com/acme', more), access)
    expect(refused).toThrow(sentence)
    expect(refused).not.toThrow(/s3cret/)
  },
)

test('a proxy variable of the environment that cannot be used is named', () => {
  const { forgeFor } = forges({ environment: { HTTPS_PROXY: 'ftp://proxy' } })
  expect(() => forgeFor(sourceAt('https://github.com/acme'), token)).toThrow(
    /HTTPS_PROXY is not the address of a proxy/,
  )
})

describe('Bitbucket', () => {
  const consumer: ForgeAccess = { credential: { bitbucketOauthClientId: 'key', bitbucketOauthClientSecret: 's3cret' } }
  const bitbucketSet: ForgeSet = { ...set, max: 10 }

  async function bitbucket() {
    const emulator = createBitbucketEmulator({
      clock: systemClock(),
      random: seededRandom(1),
      workspaces: [{ slug: 'acme', repositories: ['app'] }],
      credentials: [{ kind: 'consumer', key: 'key', secret: 's3cret' }],
      knobs: { latencyMs: 50 },
      tls,
    })
    const listening = await emulator.listen(0)
    opened.push(async () => {
      await listening.close()
      emulator.close()
    })
    return { emulator, url: `https://localhost:${listening.port}/acme` }
  }
  const sourceOf = (url: string, more: Partial<ForgeSource> = {}) => sourceAt(url, { kind: 'bitbucket', ...more })

  const connected = async (forge: Forge, until: AbortSignal) => {
    const link = await forge.open(bitbucketSet, undefined, until)
    await readForgeEvents(link).find('demand')
    return link
  }

  test('registers a runner behind a proxy that asks for authentication, with a private certificate', async () => {
    const { emulator, url } = await bitbucket()
    const proxy = await forwardProxy({ credential: proxyCredential, latencyMs: 50 })
    opened.push(proxy.close)
    const { forgeFor, exchanges } = forges()
    const source = sourceOf(url, { ca, proxy: { url: proxy.url, credentialsSecret: 'proxy', noProxy: [] } })
    const forge = forgeFor(source, { ...consumer, proxyCredential, ca: tls.cert })
    const stop = new AbortController()
    const link = await connected(forge, stop.signal)
    expect(await link.register('linux-a')).toMatchObject({ is: 'registered' })
    stop.abort()
    expect(forge.traits.ephemeral).toBe('by-cordon')
    expect(emulator.control.runners().map(({ name }) => name)).toEqual(['linux-a'])
    expect(new Set(proxy.passed)).toEqual(new Set([`localhost:${new URL(url).port}`]))
    expect(exchanges.filter(({ operation }) => operation === 'other')).toEqual([])
  }, 20_000)

  test('the accounts of one credential share one budget, and each exchange states what is left of it', async () => {
    const { url } = await bitbucket()
    const { forgeFor, exchanges } = forges()
    const stop = new AbortController()
    const access = { ...consumer, ca: tls.cert }
    const workspace = await connected(forgeFor(sourceOf(url, { ca }), access), stop.signal)
    expect(await workspace.register('linux-a')).toMatchObject({ is: 'registered' })
    const repository = await connected(forgeFor(sourceOf(`${url}/app`, { ca }), access), stop.signal)
    expect(await repository.register('linux-b')).toMatchObject({ is: 'registered' })
    stop.abort()
    const calls = exchanges.filter(({ operation }) => operation !== 'create-token')
    expect(new Set(calls.map(({ budget }) => budget?.account))).toEqual(new Set([url, `${url}/app`]))
    expect(calls.at(-1)?.budget).toEqual({ account: `${url}/app`, remaining: 1_000 - calls.length })
  }, 20_000)

  test('fails at once without the certificate, and names the setting of its own forge', async () => {
    const { url, emulator } = await bitbucket()
    const error = await forges()
      .forgeFor(sourceOf(url), consumer)
      .open(bitbucketSet, undefined, new AbortController().signal)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'bad-config', port: 'bitbucket' })
    expect(String(error)).toContain('name it in spec.bitbucket.ca')
    expect(emulator.control.requests()).toEqual([])
  })

  test.each<[string, Partial<ForgeSource>, ForgeAccess, RegExp]>([
    ['an empty Secret', {}, { credential: {} }, /The Secret github has no credential for Bitbucket/],
    [
      'a proxy that is not one',
      { proxy: { url: 'socks://x', credentialsSecret: undefined, noProxy: [] } },
      consumer,
      /spec\.bitbucket\.proxy\.url is not the address/,
    ],
    [
      'a proxy Secret without a user name',
      { proxy: { url: 'http://p', credentialsSecret: 'proxy', noProxy: [] } },
      { ...consumer, proxyCredential: { user: 's3cret-word' } },
      /The Secret proxy of spec\.bitbucket\.proxy has no key username/,
    ],
    ['a URL of three parts', { url: 'https://bitbucket.org/a/b/c' }, consumer, /is not the URL of a workspace/],
  ])('a configuration that cannot work is refused without a word of GitHub: %s', (_, more, access, sentence) => {
    const refused = () => forges().forgeFor(sourceOf('https://bitbucket.org/acme', more), access)
    expect(refused).toThrow(sentence)
    expect(refused).not.toThrow(/s3cret|spec\.github/)
  })
})
