import { appJwt } from '@dayfly/forges/github/credentials/app-jwt'
import { readCredential } from '@dayfly/forges/github/credentials/credential'
import { type Answer, noBody, type Request } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './emulated-apps.fixture.ts'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { field } from './test-client.fixture.ts'

let app: TestApp
let stranger: TestApp
let clock: VirtualClock
let emulator: GitHubEmulator
beforeAll(() => {
  app = testApp(1)
  stranger = testApp(2)
})
beforeEach(() => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1), apps: [app.app], tokens: ['pat'] })
})

function send(method: Request['method'], path: string, bearer: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}` }
  const request = {
    method,
    origin: 'http://github.test',
    path,
    query: {},
    headers,
    body: noBody,
    expect: 'whole',
  } as const
  return emulator.transport(request)
}

/** The App's token as it would be signed at another time, by another id or with another key. */
function jwt({ aheadMs = 0, id = '1', key = app }: { aheadMs?: number; id?: string; key?: TestApp } = {}): string {
  const credential = readCredential(key.entries(), 'github')
  if (credential.kind !== 'apps' || !credential.apps[0]) throw new Error('no App')
  return appJwt(id, credential.apps[0].privateKey, clock.now() + aheadMs)
}

const tokensPath = '/app/installations/10/access_tokens'
const registrationPath = '/api/v3/orgs/acme/actions/runners/registration-token'

async function installationToken(): Promise<string> {
  return String(field(await send('POST', `/api/v3${tokensPath}`, jwt()), 'token'))
}

describe('an App', () => {
  test.each(['', '/api/v3'])(
    'shows itself and its installations below "%s", by its id or its client id',
    async (base) => {
      expect(field(await send('GET', `${base}/app`, jwt({ id: 'Iv1.1' })), 'id')).toBe(1)
      const listed = await send('GET', `${base}/app/installations`, jwt())
      expect(listed.body).toMatchObject({ value: [{ id: 10, account: { login: 'acme' } }] })
      for (const path of ['/orgs/Acme/installation', '/users/acme/installation', '/repos/acme/shop/installation']) {
        expect(field(await send('GET', `${base}${path}`, jwt()), 'id')).toBe(10)
      }
      expect((await send('GET', `${base}/orgs/other/installation`, jwt())).status).toBe(404)
    },
  )

  test.each([
    ['from the future', () => jwt({ aheadMs: 120_000 }), 401, /'Issued at' claim/],
    ['that has expired', () => jwt({ aheadMs: -600_000 }), 401, /must be a numeric value representing the future/],
    ['with another key', () => jwt({ key: stranger }), 401, /could not be decoded/],
    ['of another App', () => jwt({ id: '2', key: stranger }), 404, /Integration not found/],
    ['that is no token', () => 'ghp_x', 401, /could not be decoded/],
  ])('is refused a token %s', async (_, token, status, message) => {
    const answer = await send('POST', tokensPath, token())
    expect([answer.status, String(field(answer, 'message'))]).toEqual([status, expect.stringMatching(message)])
  })
})

describe('the token of an installation', () => {
  test('reaches its own account for an hour, and no enterprise', async () => {
    const token = await installationToken()
    expect(token).toMatch(/^ghs_/)
    expect((await send('POST', registrationPath, token)).status).toBe(201)
    expect((await send('POST', registrationPath.replace('acme', 'other'), token)).status).toBe(404)
    expect((await send('POST', '/enterprises/acme/actions/runners/registration-token', token)).status).toBe(403)
    await clock.advance(3_600_000)
    expect((await send('POST', registrationPath, token)).status).toBe(401)
    expect(JSON.stringify(emulator.control.requests())).not.toContain(token)
  })

  test('ends when the installation is suspended or removed, or its tokens are revoked', async () => {
    const token = await installationToken()
    emulator.control.installation(10, { suspended: true })
    expect((await send('POST', registrationPath, token)).status).toBe(403)
    expect((await send('POST', tokensPath, jwt())).status).toBe(403)
    emulator.control.installation(10, { suspended: false, revokeTokens: true })
    expect((await send('POST', registrationPath, token)).status).toBe(401)
    emulator.control.installation(10, { removed: true })
    expect((await send('POST', tokensPath, jwt())).status).toBe(404)
    expect(emulator.control.installation(11, {})).toBe(false)
  })
})

describe('the budget of a credential', () => {
  test('is in the headers of each response, ends with 403, and is renewed after an hour', async () => {
    emulator.control.installation(10, { remaining: 2 })
    const token = await installationToken()
    const left = async () => {
      const { status, headers } = await send('POST', registrationPath, token)
      return [status, headers['x-ratelimit-remaining']]
    }
    expect([await left(), await left(), await left()]).toEqual([
      [201, '1'],
      [201, '0'],
      [403, '0'],
    ])
    expect((await send('POST', registrationPath, 'pat')).headers['x-ratelimit-remaining']).toBe('4999')
    await clock.advance(3_600_000)
    expect((await send('POST', registrationPath, await installationToken())).headers['x-ratelimit-remaining']).toBe(
      '4999',
    )
  })

  test('does not exist at an Enterprise Server, unless the knob sets one', async () => {
    emulator = createGitHubEmulator({ clock, random: seededRandom(1), knobs: { mode: 'legacy' } })
    expect((await send('POST', registrationPath, 'pat')).headers).not.toHaveProperty('x-ratelimit-remaining')
    emulator.control.knobs({ restBudget: 60 })
    expect((await send('POST', registrationPath, 'pat')).headers['x-ratelimit-limit']).toBe('60')
  })
})
