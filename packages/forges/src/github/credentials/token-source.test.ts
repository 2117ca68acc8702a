import { jsonAnswer } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { createBench } from '../bench.fixture.ts'
import { createGitHubForge } from '../github.ts'
import { tokenPath } from '../scripted-github.fixture.ts'

const urls = {
  repository: 'http://github.test/acme/shop',
  organization: 'http://github.test/acme',
  enterprise: 'http://github.test/enterprises/acme',
}

/** Opens a set with this token against a GitHub that refuses it. Returns the error. */
async function refused(
  token: string,
  scope: keyof typeof urls,
  status: number,
  headers: Record<string, string> = {},
  message = 'Not Found',
) {
  const { github, options, pass, stop } = createBench(150)
  github.always('POST', tokenPath, jsonAnswer(status, { message }, headers))
  const forge = createGitHubForge({ ...options, url: urls[scope], credential: { kind: 'token', token } })
  const set = { name: 'linux', runnerPrefix: 'linux-', labels: [], group: undefined, max: 1 }
  const error = await pass(forge.open(set, undefined, stop.signal).catch((thrown: unknown) => thrown))
  stop.abort()
  expect(error).toMatchObject({ kind: 'unauthorized', reason: 'credential-refused' })
  expect(String(error)).not.toContain(token)
  return String(error)
}

const classic = 'ghp_0123456789abcdef'
const fineGrained = 'github_pat_0123456789abcdef'

test.each([
  [classic, 'repository', 404, {}, /classic token needs the scope repo\..*administer this repository/],
  [classic, 'organization', 403, { 'x-oauth-scopes': 'repo, gist' }, /needs the scope admin:org\. It has repo, gist\./],
  [classic, 'organization', 403, { 'x-oauth-scopes': '' }, /It has none\./],
  [classic, 'enterprise', 403, {}, /needs the scope manage_runners:enterprise/],
  [classic, 'organization', 401, {}, /has expired, was revoked, or is not complete: create a new one/],
  [
    classic,
    'organization',
    403,
    { 'x-github-sso': 'required; url=https://github.com/orgs/acme/sso?x=y' },
    /single sign-on: authorize the token/,
  ],
  [
    fineGrained,
    'repository',
    403,
    {},
    /fine-grained token needs the repository permission "Administration".*resource owner must be the owner of this repository/,
  ],
  [fineGrained, 'organization', 403, {}, /needs the organization permission "Self-hosted runners"/],
  [fineGrained, 'enterprise', 404, {}, /needs a classic token with the scope manage_runners:enterprise instead/],
  [
    'ghs_0123456789abcdef',
    'organization',
    401,
    {},
    /installation token, which lives one hour: store the id and the private key/,
  ],
] as const)(
  'the refusal of %s at the %s with %d says what is missing',
  async (token, scope, status, headers, sentence) => {
    expect(await refused(token, scope, status, headers)).toMatch(sentence)
  },
)

test('a secondary limit is a limit, also without a header', async () => {
  const { github, open, pass, clock, stop } = createBench(150)
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
  github.always('POST', tokenPath, jsonAnswer(403, { message }))
  const link = await open({ scaleSetId: '7', account: 'http://github.test/acme' })
  expect(link.allowance().limit).toEqual({ reason: 'budget', until: expect.any(Number) })
  expect((link.allowance().nextAt ?? 0) - clock.now()).toBeGreaterThan(50_000)
  const failing = await pass(readForgeEvents(link).find('failing'))
  expect(failing?.failure).toMatchObject({
    reason: 'forge-limited',
    message: expect.stringContaining('is spent until'),
  })
  expect(github.requests).toHaveLength(1)
  stop.abort()
})
