// How often a request is repeated, how long the client waits for GitHub, and which redirects it follows.
import { type Answer, jsonAnswer, textAnswer } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { createBench } from '../bench.fixture.ts'
import { parseConfigUrl } from '../config-url.ts'
import { AdminTokens } from '../credentials/tokens.ts'
import { listRunners } from '../scale-set/runners.ts'
import {
  agentsPath,
  envelope,
  jitPath,
  jwt,
  list,
  originOf,
  queuePath,
  registrationPath,
  scaleSet,
  setPath,
  tokenPath,
} from '../scripted-github.fixture.ts'
import { actionsService } from './actions-api.ts'
import { oncePolicy } from './retry.ts'

const ours = { account: 'http://github.test/acme', scaleSetId: '117' }
const tenMinutesMs = 600_000

function createService(latencyMs = 0) {
  const bench = createBench(latencyMs)
  const { options, clock } = bench
  const net = { transport: options.transport, clock, random: options.random }
  const config = parseConfigUrl(options.url)
  const tokens = new AdminTokens({ net, config, credential: options.credential, userAgent: 'dayfly/0.0.0' })
  const service = actionsService(net, tokens, () => 'dayfly/0.0.0')
  return { ...bench, tokens, service, listed: () => listRunners(service, bench.stop.signal) }
}

test.each([
  [503, 2],
  [500, 2],
  [501, 1],
  [404, 1],
])('case 19: %i with one repeat allowed is sent %i times', async (status, requests) => {
  const { github, pass, service } = createService()
  github.always('GET', agentsPath, jsonAnswer(status, {}))
  const call = service.call({ method: 'GET', path: '/agents', policy: { attempts: 2, timeoutMs: 30_000 } })
  await expect(pass(call)).rejects.toMatchObject({ status })
  expect(github.sent('GET', agentsPath)).toHaveLength(requests)
})

const at = (ms: number) => new Date(ms).toUTCString()
const start = 1_767_225_600_000

/** The wait between the two requests lies within these bounds, in milliseconds. */
const waits: readonly (readonly [string, number, Readonly<Record<string, string>>, number, number])[] = [
  ['2 seconds', 429, { 'retry-after': '2' }, 2_000, 2_250],
  ['a date', 503, { 'retry-after': at(start + 12_000) }, 12_000, 12_250],
  ['zero', 429, { 'retry-after': '0' }, 500, 1_000],
  ['a date that has passed', 503, { 'retry-after': at(start - 3_600_000) }, 500, 1_000],
  ['no time', 429, {}, 500, 1_000],
  ['nonsense', 429, { 'retry-after': 'soon' }, 500, 1_000],
  [
    'a date of a clock that is ten minutes ahead',
    429,
    { 'retry-after': at(start + tenMinutesMs + 5_000), date: at(start + tenMinutesMs) },
    5_000,
    5_250,
  ],
  [
    'a date of a clock that is ten minutes behind',
    429,
    { 'retry-after': at(start - tenMinutesMs + 5_000), date: at(start - tenMinutesMs) },
    5_000,
    5_250,
  ],
  [
    'the reset of a budget by a clock that is ten minutes ahead',
    429,
    {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String((start + tenMinutesMs + 5_000) / 1_000),
      date: at(start + tenMinutesMs),
    },
    5_000,
    5_250,
  ],
]

test.each(waits)('case 19: Retry-After with %s (%i) is waited for', async (_, status, headers, min, max) => {
  const { github, clock, pass, listed } = createService()
  const times: number[] = []
  const timed = (answer: Answer) => () => {
    times.push(clock.now())
    return answer
  }
  github.once('GET', agentsPath, timed(textAnswer(status, '', headers)), timed(list()))
  await pass(listed())
  expect(times).toHaveLength(2)
  const waited = (times[1] ?? 0) - (times[0] ?? 0)
  expect(waited).toBeGreaterThanOrEqual(min)
  expect(waited).toBeLessThanOrEqual(max)
})

test.each([
  ['600 seconds', { 'retry-after': '600' }, 600_000],
  ['a date in the year 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 3_600_000],
  ['a number of 30 digits', { 'retry-after': '9'.repeat(30) }, 3_600_000],
  ['zero', { 'retry-after': '0' }, 5_000],
  ['a date that has passed', { 'retry-after': at(start - 1_000) }, 5_000],
  ['no time', {}, 60_000],
])('a limit with %s is returned with the time to retry, at most an hour ahead', async (_, headers, waitMs) => {
  const { github, clock, pass, service } = createService()
  github.always('GET', agentsPath, textAnswer(429, '', headers))
  const call = service.call({ method: 'GET', path: '/agents', policy: oncePolicy })
  await expect(pass(call)).rejects.toMatchObject({ kind: 'rate-limited', retryAt: clock.now() + waitMs })
  expect(github.sent('GET', agentsPath)).toHaveLength(1)
})

test('a wait that is too long is not slept: the call rejects with the time to retry', async () => {
  const { github, clock, pass, listed } = createService()
  github.once('GET', agentsPath, textAnswer(429, '', { 'retry-after': '600' }))
  await expect(pass(listed())).rejects.toMatchObject({ kind: 'rate-limited', retryAt: clock.now() + 600_000 })
  expect(github.sent('GET', agentsPath)).toHaveLength(1)
})

test.each([
  ['zero', { 'retry-after': '0' }, 25, 60],
  ['a date in the year 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 2, 4],
  [
    'a date of a clock that is ten minutes behind',
    { 'retry-after': at(start - tenMinutesMs + 30_000), date: at(start - tenMinutesMs) },
    18,
    24,
  ],
])('polls that are limited with %s neither flood nor stall', async (_, headers, min, max) => {
  const { github, clock, connect } = createService(300)
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  github.always('GET', queuePath, textAnswer(429, 'slow down', headers))
  await connect(ours)
  await clock.advance(tenMinutesMs)
  const polls = github.sent('GET', queuePath).length
  expect(polls).toBeGreaterThanOrEqual(min)
  expect(polls).toBeLessThanOrEqual(max)
})

test.each([-tenMinutesMs, tenMinutesMs])(
  'tokens of a clock that differs by %i ms are renewed as often as others',
  async (skewMs) => {
    const { github, clock, connect } = createService(50)
    const skewed = { now: () => clock.now() + skewMs } as typeof clock
    const headers = () => ({ date: at(clock.now() + skewMs) })
    github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
    github.always('POST', registrationPath, (request) =>
      jsonAnswer(200, { url: `${originOf(request)}/tenant/9/`, token: jwt(skewed, 300) }, headers()),
    )
    github.always('GET', queuePath, async () => {
      await clock.sleep(50_000)
      return envelope(1, [], 1)
    })
    const { link } = await connect(ours)
    for (let turn = 0; turn < 60; turn++) {
      await clock.advance(10_000)
      void link.registrations()
    }
    await clock.advance(1_000)
    const minted = github.sent('POST', registrationPath).length
    expect(minted).toBeGreaterThanOrEqual(3)
    expect(minted).toBeLessThanOrEqual(4)
  },
)

const redirect = (status: number, location: string): Answer => ({
  status,
  headers: { location },
  body: { kind: 'text', text: '' },
})
const elsewhere = '/api/v4/elsewhere'

test.each([307, 308])('a %i within the same host is followed with method, body and credential', async (status) => {
  const { github, pass, tokens } = createService()
  github.once('POST', tokenPath, redirect(status, '/moved/registration-token?from=1'))
  github.once('POST', registrationPath, redirect(status, 'http://github.test/moved/runner-registration'))
  await pass(tokens.connection(oncePolicy))
  const [, moved] = github.sent('POST', tokenPath)
  expect(moved?.path).toBe('/moved/registration-token')
  expect(moved?.query).toEqual({ from: '1' })
  expect(moved?.headers['authorization']).toBe('Bearer ghp_secretsecret')
  const [first, second] = github.sent('POST', registrationPath)
  expect(second?.body).toEqual(first?.body)
  expect(second?.body.kind).toBe('json')
})

test.each([301, 302])('a %i of a GET within the same host is followed', async (status) => {
  const { github, pass, listed } = createService()
  github.once('GET', agentsPath, redirect(status, '/moved/agents'))
  expect(await pass(listed())).toEqual([])
  expect(github.sent('GET', agentsPath).map(({ path }) => path)).toContain('/moved/agents')
})

test.each([
  ['301 of a POST', redirect(301, elsewhere), 'http://github.test/api/v4/elsewhere'],
  ['302 of a POST', redirect(302, elsewhere), 'http://github.test/api/v4/elsewhere'],
  ['307 to another host', redirect(307, 'https://evil.test/steal?token=ghp_echo'), 'https://evil.test/steal'],
  ['308 to another port', redirect(308, 'http://github.test:8080/x'), 'http://github.test:8080/x'],
  ['303', redirect(303, elsewhere), 'http://github.test/api/v4/elsewhere'],
])('a %s is an error that names its target and sends the credential nowhere', async (_, answer, target) => {
  const { github, pass, tokens } = createService()
  github.always('POST', tokenPath, answer)
  const error = await pass(tokens.connection(oncePolicy).catch((thrown: unknown) => thrown))
  expect(error).toMatchObject({ kind: 'bad-response', message: expect.stringContaining(target) })
  expect(String(error)).not.toContain('ghp_')
  expect(github.requests).toHaveLength(1)
})

test('redirects in a circle end', async () => {
  const { github, pass, listed } = createService()
  github.always('GET', agentsPath, redirect(302, '/again/agents'))
  await expect(pass(listed())).rejects.toMatchObject({ kind: 'bad-response' })
  expect(github.sent('GET', agentsPath)).toHaveLength(6)
})

test('a registration that is limited with a time of zero is held back for seconds, not repeated at once', async () => {
  const { github, clock, open, pass } = createService(50)
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  github.always('POST', jitPath, textAnswer(429, '', { 'retry-after': '0' }))
  const link = await open(ours)
  const outcome = await pass(link.register('linux-a'))
  const until = clock.now() + 5_000
  expect(outcome).toEqual({ is: 'limited', reason: 'asked', until })
  expect(link.allowance()).toEqual({ now: 0, nextAt: until, limit: { reason: 'asked', until } })
})
