import type { KnobChange } from '@dayfly/forge-emulators/github/config'
import { type TestApp, testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { createGitHubEmulator, type GitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import type { Request, Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { oncePolicy, standardPolicy } from '../calls/retry.ts'
import { parseConfigUrl } from '../config-url.ts'
import { readCredential } from './credential.ts'
import { AdminTokens } from './tokens.ts'

let app: TestApp
let stranger: TestApp
const emulators: GitHubEmulator[] = []
beforeAll(() => {
  app = testApp(1)
  stranger = testApp(2)
})
afterEach(() => {
  for (const emulator of emulators.splice(0)) emulator.close()
})

type Options = {
  readonly url?: string
  readonly entries?: SecretEntries
  readonly knobs?: KnobChange
  /** How far GitHub's clock is ahead of ours, in milliseconds. */
  readonly aheadMs?: number
}

/** An account of an App on the emulator, at 150 ms of latency. */
function account({ url = 'http://github.test/acme', entries = app.entries(), knobs, aheadMs = 0 }: Options = {}) {
  const clock = virtualClock()
  const random = seededRandom(1)
  const serverClock = { ...clock, now: () => clock.now() + aheadMs }
  const emulator = createGitHubEmulator({
    clock: serverClock,
    random,
    apps: [app.app],
    latencyMs: 150,
    ...(knobs ? { knobs } : {}),
  })
  emulators.push(emulator)
  const requests: Request[] = []
  const transport: Transport = async (request) => {
    requests.push(request)
    const answer = await emulator.transport(request)
    const date = new Date(serverClock.now()).toUTCString()
    return aheadMs === 0 ? answer : { ...answer, headers: { date, ...answer.headers } }
  }
  const config = parseConfigUrl(url)
  const credential = readCredential(entries, 'github')
  const tokens = new AdminTokens({ net: { transport, clock, random }, config, credential, userAgent: 'dayfly/test' })
  const pass = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false
    const settle = () => {
      settled = true
    }
    promise.then(settle, settle)
    while (!settled) {
      await clock.advance(0)
      if (!settled) await clock.advance(Math.max(0, (clock.next() ?? clock.now()) - clock.now()))
    }
    return promise
  }
  const connect = () => pass(tokens.connection(oncePolicy))
  const paths = () => requests.splice(0).map(({ method, path }) => `${method} ${path}`)
  return { clock, emulator, tokens, requests, connect, paths, pass }
}

const exchange = [
  'POST /api/v3/app/installations/10/access_tokens',
  'POST /api/v3/orgs/acme/actions/runners/registration-token',
  'POST /api/v3/actions/runner-registration',
]

describe('case 5: an App', () => {
  test.each(['pkcs1', 'pkcs8'] as const)(
    'signs its token with a %s key and registers with the installation token',
    async (format) => {
      const { clock, connect, requests } = account({ entries: app.entries({ format }) })
      const now = Math.floor(clock.now() / 1_000)
      expect((await connect()).base.pathname).toContain('/tenant/')
      const [first, second] = requests
      const [head = '', payload = ''] = (first?.headers['authorization'] ?? '').replace('Bearer ', '').split('.')
      const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
      expect(decode(head)).toEqual({ alg: 'RS256', typ: 'JWT' })
      expect(decode(payload)).toEqual({ iat: now - 60, exp: now + 480, iss: '1' })
      expect(first?.body.kind).toBe('none')
      expect(second?.headers['authorization']).toMatch(/^Bearer ghs_/)
    },
  )

  test('keeps its installation token until five minutes before it expires', async () => {
    const { clock, connect, tokens, paths } = account({ knobs: { adminTtlS: 600 } })
    await connect()
    expect(paths()).toEqual(exchange)
    for (const [minutes, expected] of [
      [10, exchange.slice(1)],
      [44, exchange.slice(1)],
      [56, exchange],
    ] as const) {
      await clock.advance(minutes * 60_000 - (clock.now() - Math.floor(clock.now() / 3_600_000) * 3_600_000))
      await connect()
      expect(paths(), `after ${minutes} minutes`).toEqual(expected)
    }
    expect(tokens.limit()).toBeUndefined()
  })

  test('creates a new installation token when GitHub has revoked the old one before its time', async () => {
    const { emulator, clock, connect, paths } = account({ knobs: { adminTtlS: 600 } })
    await connect()
    emulator.control.installation(10, { revokeTokens: true })
    await clock.advance(600_000)
    paths()
    await connect()
    expect(paths()).toEqual([exchange[1], ...exchange])
  })

  test.each([
    ['http://github.test/ACME', '/api/v3/orgs/ACME/installation'],
    ['http://github.test/acme/shop', '/api/v3/repos/acme/shop/installation'],
  ])('finds its installation for %s, once', async (url, path) => {
    const { connect, clock, paths } = account({ url, entries: app.entries({ installationId: false }) })
    await connect()
    expect(paths()[0]).toBe(`GET ${path}`)
    await clock.advance(3_600_000)
    await connect()
    expect(paths()[0]).toBe(exchange[0])
  })

  test('uses the API of its host: at the root of api.HOST, or below /api/v3 of an Enterprise Server with a port', async () => {
    const hosted = account({ url: 'http://github.localhost/acme' })
    await hosted.connect()
    expect(hosted.requests[0]).toMatchObject({ origin: 'http://api.github.localhost', path: exchange[0]?.slice(12) })
    const server = account({ url: 'http://ghes.test:8443/acme/shop', knobs: { servicePath: '/_services/pipelines' } })
    expect((await server.connect()).base.pathname).toMatch(/^\/_services\/pipelines\/tenant\//)
    expect(server.requests[1]).toMatchObject({
      origin: 'http://ghes.test:8443',
      path: '/api/v3/repos/acme/shop/actions/runners/registration-token',
    })
  })

  test('finds its installation again after it was removed and installed', async () => {
    const { emulator, connect, clock } = account({ entries: app.entries({ installationId: false }) })
    await connect()
    emulator.control.installation(10, { removed: true })
    await clock.advance(3_600_000)
    await expect(connect()).rejects.toThrow(/no longer installed: install it again/)
    emulator.control.installation(10, { removed: false })
    expect(await connect()).toBeDefined()
  })

  test.each([3, -3])('registers although this clock is %d hours wrong, and renews its token in time', async (hours) => {
    const { connect, paths, clock } = account({ aheadMs: -hours * 3_600_000, knobs: { adminTtlS: 600 } })
    await connect()
    expect(paths()).toEqual([exchange[0], ...exchange])
    await clock.advance(50 * 60_000)
    await connect()
    expect(paths()).toEqual(exchange.slice(1))
    await clock.advance(10 * 60_000)
    await connect()
    expect(paths()).toEqual(exchange)
  })
})

describe('an App that GitHub refuses is reported with its cause and the next step', () => {
  const refused = (options: Options, change?: (emulator: GitHubEmulator) => void) => {
    const world = account(options)
    change?.(world.emulator)
    return world.pass(world.tokens.connection(standardPolicy).catch((error: unknown) => error))
  }

  test.each([
    [
      'the key of another App',
      () => ({ ...app.entries(), github_app_private_key: stranger.entries()['github_app_private_key'] ?? '' }),
      /does not accept its signature: check that github_app_private_key belongs to the App in github_app_id/,
    ],
    ['an unknown App', () => stranger.entries(), /GitHub knows no App with this id: correct github_app_id/],
    [
      'an unknown installation',
      () => ({ ...app.entries(), github_app_installation_id: '77' }),
      /no installation with this id: correct github_app_installation_id/,
    ],
  ])('%s', async (_, entries, sentence) => {
    const error = await refused({ entries: entries() })
    expect(error).toMatchObject({ kind: 'unauthorized', reason: 'credential-refused' })
    expect(String(error)).toMatch(sentence)
    expect(String(error)).not.toMatch(/eyJ|BEGIN/)
  })

  test('a suspended installation', async () => {
    const error = await refused({}, ({ control }) => void control.installation(10, { suspended: true }))
    expect(String(error)).toMatch(/The App 1 \(github_app_id\) .*suspended.*lift the suspension/)
  })

  test('an App that is not installed at the organization', async () => {
    const error = await refused({ url: 'http://github.test/other', entries: app.entries({ installationId: false }) })
    expect(String(error)).toMatch(/not installed at this organization/)
  })

  test('a missing permission', async () => {
    const answer = {
      kind: 'answer',
      status: 403,
      headers: {},
      body: { message: 'Resource not accessible by integration' },
    } as const
    const match = { method: 'POST', pathRegex: 'registration-token$' }
    const error = await refused({}, ({ control }) => void control.fault({ match, times: 9, action: answer }))
    expect(String(error)).toMatch(/organization permission "Self-hosted runners".*Resource not accessible/)
  })

  test('an installation token without a time', async () => {
    const action = { kind: 'answer', status: 201, headers: {}, body: { token: 'ghs_x' } } as const
    const match = { method: 'POST', pathRegex: 'access_tokens$' }
    const error = await refused({}, ({ control }) => void control.fault({ match, times: 9, action }))
    expect(error).toMatchObject({ kind: 'bad-response' })
    expect(String(error)).not.toContain('ghs_x')
  })
})
