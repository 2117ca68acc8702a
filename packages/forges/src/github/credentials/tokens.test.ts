import { jsonAnswer } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { createBench } from '../bench.fixture.ts'
import { actionsService } from '../calls/actions-api.ts'
import { oncePolicy, standardPolicy } from '../calls/retry.ts'
import { parseConfigUrl } from '../config-url.ts'
import {
  agentsPath,
  jwt,
  list,
  originOf,
  registrationPath,
  scaleSet,
  setPath,
  setsPath,
  silence,
  tokenPath,
} from '../scripted-github.fixture.ts'
import { AdminTokens } from './tokens.ts'

function createTokens(url = 'http://github.test/acme') {
  const bench = createBench()
  const net = { transport: bench.github.transport, clock: bench.clock, random: bench.options.random }
  const config = parseConfigUrl(url)
  const tokens = new AdminTokens({ net, config, credential: bench.options.credential, userAgent: 'dayfly/0.0.0' })
  const service = actionsService(net, tokens, () => 'dayfly/0.0.0')
  return { ...bench, tokens, service, listed: () => service.call({ method: 'GET', path: '/_apis/x/agents' }) }
}

test('case 4: a token gets a registration token of its organization, then the admin connection', async () => {
  const { github, pass, tokens } = createTokens('http://github.test/acme/')
  await pass(tokens.connection(standardPolicy))
  const [first, second] = github.requests
  expect(first?.path).toBe('/api/v3/orgs/acme/actions/runners/registration-token')
  expect(first?.headers).toMatchObject({
    authorization: 'Bearer ghp_secretsecret',
    'content-type': 'application/vnd.github.v3+json',
  })
  expect(first?.body.kind).toBe('none')
  expect(second?.path).toBe('/api/v3/actions/runner-registration')
  expect(second?.headers['authorization']).toBe('RemoteAuth AABBREGISTRATION')
  expect(second?.body).toEqual({ kind: 'json', value: { url: 'http://github.test/acme', runner_event: 'register' } })
})

test('case 7: rejects after one 404 for the registration token', async () => {
  const { github, open, stop } = createBench()
  github.always('POST', tokenPath, jsonAnswer(404, { message: 'Not Found' }))
  const refused = expect(open()).rejects.toMatchObject({ kind: 'unauthorized', reason: 'credential-refused' })
  await refused
  expect(github.requests).toHaveLength(1)
  stop.abort()
})

test('case 7: a rate limit on the registration token is not a refusal', async () => {
  const { github, clock, pass, tokens } = createTokens()
  const reset = Math.floor(clock.now() / 1000) + 600
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
  github.always('POST', tokenPath, jsonAnswer(403, { message: 'API rate limit exceeded' }, headers))
  await expect(pass(tokens.connection(oncePolicy))).rejects.toMatchObject({
    kind: 'rate-limited',
    retryAt: reset * 1000,
  })
})

test('case 8: repeats the registration while GitHub does not know the new token everywhere', async () => {
  const { github, clock, pass, tokens } = createTokens()
  const unknown = jsonAnswer(401, { message: 'unknown token' })
  github.once('POST', registrationPath, unknown, jsonAnswer(403, {}), unknown, unknown, (request) =>
    jsonAnswer(201, { url: `${originOf(request)}/tenant/9/`, token: jwt(clock, 3_600) }),
  )
  const connection = await pass(tokens.connection(standardPolicy))
  expect(connection?.base.pathname).toBe('/tenant/9/')
  expect(github.sent('POST', registrationPath)).toHaveLength(5)
})

test('does not repeat a token that the response echoes', async () => {
  const { github, pass, tokens } = createTokens()
  github.always('POST', registrationPath, jsonAnswer(400, { message: 'AABBREGISTRATION is not for you' }))
  await expect(pass(tokens.connection(oncePolicy))).rejects.toThrow(/\[token\] is not for you/)
})

test.each([
  ['no url', { token: 'x' }],
  ['an empty token', { url: 'http://github.test/', token: '' }],
  ['a relative url', { url: '/tenant', token: 'x' }],
])('case 10: rejects an admin connection with %s', async (_, answer) => {
  const { github, pass, tokens } = createTokens()
  github.always('POST', registrationPath, jsonAnswer(200, answer))
  await expect(pass(tokens.connection(oncePolicy))).rejects.toMatchObject({ kind: 'bad-response' })
})

test('case 12: makes one refresh for twenty calls with an expired token', async () => {
  const { github, clock, pass, listed, service } = createTokens()
  github.always('GET', agentsPath, list())
  await pass(listed())
  await clock.advance(3_541_000)
  await pass(Promise.all(Array.from({ length: 20 }, listed)))
  expect(github.sent('POST', tokenPath)).toHaveLength(2)
  expect(github.sent('POST', registrationPath)).toHaveLength(2)
  await pass(service.call({ method: 'GET', path: '/_apis/x/agents' }))
  expect(github.sent('POST', tokenPath)).toHaveLength(2)
})

test('a refresh brings a new address, and a failed refresh keeps the old one', async () => {
  const { github, clock, pass, listed } = createTokens()
  github.always('GET', agentsPath, list())
  await pass(listed())
  await clock.advance(3_550_000)
  github.once('POST', registrationPath, jsonAnswer(400, { message: 'no' }), (request) =>
    jsonAnswer(200, { url: `${originOf(request)}/elsewhere`, token: jwt(clock, 3_600) }),
  )
  await expect(pass(listed())).rejects.toMatchObject({ kind: 'bad-response' })
  await pass(listed())
  expect(github.sent('GET', agentsPath).map(({ path }) => path)).toEqual([
    '/tenant/123/_apis/x/agents',
    '/elsewhere/_apis/x/agents',
  ])
})

test('a refresh stops when no caller waits for it, and the next call starts a new one', async () => {
  const { github, clock, pass, tokens } = createTokens()
  github.once('POST', tokenPath, silence)
  const first = new AbortController()
  const second = new AbortController()
  const waiting = [tokens.connection(oncePolicy, first.signal), tokens.connection(oncePolicy, second.signal)]
  const all = Promise.allSettled(waiting)
  await clock.advance(1)
  first.abort(new Error('first'))
  await clock.advance(1)
  expect(github.requests[0]?.signal?.aborted).toBe(false)
  second.abort(new Error('second'))
  await pass(all)
  expect(github.requests[0]?.signal?.aborted).toBe(true)
  expect(await pass(tokens.connection(oncePolicy))).toBeDefined()
  expect(clock.next()).toBeUndefined()
})

test.each([
  ['not a token', 'opaque'],
  ['three parts of noise', 'a.b.c'],
  ['no exp', `x.${Buffer.from('{}').toString('base64url')}.y`],
  ['exp as text', `x.${Buffer.from('{"exp":"soon"}').toString('base64url')}.y`],
])('case 14: rejects an admin token that is %s', async (_, token) => {
  const { github, pass, tokens } = createTokens()
  github.always('POST', registrationPath, jsonAnswer(200, { url: 'http://github.test/tenant', token }))
  const refused = await pass(tokens.connection(oncePolicy).catch((error: unknown) => error))
  expect(refused).toMatchObject({ kind: 'bad-response' })
  expect(String(refused)).not.toContain(token)
})

test('case 15: refreshes the token once and repeats a refused admin call once', async () => {
  const { github, pass, service } = createTokens()
  const call = () => service.call({ method: 'GET', path: '/_apis/runtime/runnerscalesets/117' })
  const refused = jsonAnswer(401, { message: 'expired' })
  github.once('GET', setPath, refused, jsonAnswer(200, scaleSet(117, 'linux')), refused, refused)
  expect((await pass(call()))?.status).toBe(200)
  expect(github.sent('POST', tokenPath)).toHaveLength(2)
  await expect(pass(call())).rejects.toMatchObject({ kind: 'unauthorized', reason: 'token-refused' })
  expect(github.sent('POST', tokenPath)).toHaveLength(3)
  expect(github.sent('GET', setPath)).toHaveLength(4)
  expect(github.sent('GET', setsPath)).toEqual([])
})
