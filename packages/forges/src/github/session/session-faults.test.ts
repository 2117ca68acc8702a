// A listener goes on while the session, its refresh or its messages fail. Requests take up to 300 ms.
import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { expect, test } from 'vitest'
import { createBench } from '../bench.fixture.ts'
import {
  envelope,
  exception,
  jobMessage,
  jwt,
  messagePath,
  nothing,
  queuePath,
  scaleSet,
  session,
  sessionPath,
  sessionsPath,
  setPath,
  statistics,
} from '../scripted-github.fixture.ts'

const ours = { account: 'http://github.test/acme', scaleSetId: '117' }
const minuteMs = 60_000
const failedRefresh = jsonAnswer(500, { message: 'redis is gone' })

function createOwnBench(latencyMs = 0) {
  const bench = createBench(latencyMs)
  bench.github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  return bench
}

function demands(events: readonly ForgeEvent[]): number[] {
  return events.flatMap((one) => (one.kind === 'demand' && one.demand.kind === 'assigned' ? [one.demand.jobs] : []))
}

/** Refuses a queue token that has expired, as GitHub does; otherwise waits like a long poll. */
function pollUntilExpiry(clock: ReturnType<typeof createBench>['clock']) {
  return async (request: Request): Promise<Answer> => {
    const claims = request.headers['authorization']?.split('.')[1] ?? ''
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }
    if (exp * 1000 <= clock.now()) return jsonAnswer(401, { message: 'expired' })
    await clock.sleep(50_000, request.signal)
    return nothing
  }
}

test.each([50, 300])('polls go on at %i ms while every refresh fails, and demand is known again', async (latencyMs) => {
  const { github, clock, connect, anomalies } = createOwnBench(latencyMs)
  github.always('PATCH', sessionPath, failedRefresh)
  const bad = textAnswer(502, '<html>')
  github.once('GET', queuePath, bad, bad)
  const { reader } = await connect(ours)
  await clock.advance(10 * minuteMs)
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toHaveLength(1)
  expect(reader.events.at(-1)?.kind).toBe('demand')
  expect(github.sent('GET', queuePath).length).toBeGreaterThanOrEqual(12)
  expect(github.sent('POST', sessionsPath)).toHaveLength(1)
  expect(anomalies).toMatchObject([{ kind: 'refresh-failed' }])
})

test('a renewal that fails while the token is valid is retried once a poll, without an alarm', async () => {
  const { github, clock, connect, anomalies } = createOwnBench(50)
  github.always('PATCH', sessionPath, failedRefresh)
  github.always('GET', queuePath, pollUntilExpiry(clock))
  const { reader } = await connect(ours)
  await clock.advance(59 * minuteMs)
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
  expect(github.sent('GET', queuePath).length).toBeGreaterThan(68)
  const renewals = github.sent('PATCH', sessionPath).length
  expect(renewals).toBeGreaterThan(8)
  expect(renewals).toBeLessThan(14)
  expect(anomalies.at(-1)).toMatchObject({ kind: 'refresh-failed', count: renewals })
})

test('a token that ends while every refresh fails leads to a new session within a minute', async () => {
  const { github, clock, connect } = createOwnBench(300)
  github.always('PATCH', sessionPath, failedRefresh)
  github.always('GET', queuePath, pollUntilExpiry(clock))
  const { reader } = await connect(ours)
  await clock.advance(62 * minuteMs)
  expect(github.sent('POST', sessionsPath)).toHaveLength(2)
  expect(github.sent('DELETE', sessionPath)).toHaveLength(1)
  expect(reader.events.at(-1)?.kind).toBe('demand')
})

test('sessions that cannot be created after a dead token are retried every half minute', async () => {
  const { github, clock, connect } = createOwnBench(50)
  github.always('GET', queuePath, jsonAnswer(401, {}))
  github.always('PATCH', sessionPath, failedRefresh)
  github.once('POST', sessionsPath, (request) => session(clock, request))
  github.always('POST', sessionsPath, failedRefresh)
  await connect(ours)
  await clock.advance(60 * minuteMs)
  const tries = github.sent('POST', sessionsPath).length
  expect(tries).toBeGreaterThan(100)
  expect(tries).toBeLessThan(260)
})

test('the statistics of a renewal are demand', async () => {
  const { github, clock, connect } = createOwnBench(50)
  github.once('POST', sessionsPath, (request) =>
    session(clock, request, { messageQueueAccessToken: jwt(clock, 900, 'queue') }),
  )
  github.once('PATCH', sessionPath, (request) => session(clock, request, { statistics: statistics(6) }))
  const { reader } = await connect(ours)
  await clock.advance(8 * minuteMs)
  expect(demands(reader.events)).toContain(6)
  expect(demands(reader.events).at(-1)).toBe(6)
})

test.each([0, 50, 300])('polls that return nothing at once are spaced out at %i ms of latency', async (latencyMs) => {
  const { github, clock, connect } = createOwnBench(latencyMs)
  github.always('GET', queuePath, nothing)
  await connect(ours)
  await clock.advance(minuteMs)
  expect(github.sent('GET', queuePath).length).toBeLessThan(20)
})

const exactId = '9007199254740993'
const started = JSON.stringify([jobMessage('JobStarted', 'a', { runnerName: 'r1' })])
const unreadable: readonly (readonly [string, Answer, string | undefined])[] = [
  ['JSON that is cut off', textAnswer(200, '{"messageId":5,"messageType":"RunnerScaleSetJobMessages","bo'), '5'],
  ['an HTML page', textAnswer(200, '<html>Please sign in</html>'), undefined],
  ['an id that is no number', jsonAnswer(200, { messageId: 'none', body: started }), undefined],
  [
    'an id above 2^53',
    textAnswer(200, `{"messageId":${exactId},"messageType":"RunnerScaleSetJobMessages","body":"[]"}`),
    exactId,
  ],
]

test.each(unreadable)('%s at every delivery is counted, passed over and does not block the set', async (_, bad, id) => {
  const { github, clock, connect, anomalies } = createOwnBench(50)
  const isPassed = () =>
    id !== undefined && github.sent('DELETE', messagePath).some(({ path }) => path.endsWith(`/${id}`))
  github.always('GET', queuePath, async (request) => {
    if (!isPassed()) return bad
    if (request.query['lastMessageId'] === id)
      return envelope(6, [jobMessage('JobStarted', 'b', { runnerName: 'r2' })], 4)
    await clock.sleep(50_000, request.signal)
    return nothing
  })
  github.always('POST', sessionsPath, (request) => session(clock, request, { statistics: statistics(3) }))
  github.always('PATCH', sessionPath, (request) => session(clock, request, { statistics: statistics(4) }))
  const { reader } = await connect(ours)
  await clock.advance(10 * minuteMs)
  const deliveries = anomalies.filter(({ kind }) => kind === 'message-unreadable')
  expect(deliveries.length).toBeGreaterThanOrEqual(3)
  expect(deliveries.at(-1)?.count).toBe(deliveries.length)
  expect(github.sent('POST', sessionsPath).length).toBeGreaterThanOrEqual(2)
  expect(github.sent('GET', queuePath).length).toBeLessThan(60)
  if (id === undefined) {
    expect(github.sent('DELETE', messagePath)).toEqual([])
    expect(demands(reader.events).filter((jobs) => jobs === 3).length).toBeGreaterThan(2)
  } else {
    expect(reader.events.filter(({ kind }) => kind === 'job-started')).toMatchObject([{ runner: 'r2' }])
    expect(demands(reader.events).at(-1)).toBe(4)
  }
})

test.each([50, 300])(
  'a session without statistics is polled all the same: a message brings them, at %i ms of latency',
  async (latencyMs) => {
    const { github, clock, connect } = createOwnBench(latencyMs)
    github.always('POST', sessionsPath, (request) => session(clock, request, { statistics: null }))
    github.always('PATCH', sessionPath, (request) => session(clock, request, { statistics: null }))
    github.once('GET', queuePath, nothing, envelope(5, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })], 3))
    const { reader } = await connect(ours)
    await clock.advance(30_000)
    expect(reader.events.find(({ kind }) => kind === 'failing')).toBeDefined()
    expect(demands(reader.events).at(-1)).toBe(3)
  },
)

test('a message that waited for a session is older than its statistics: the next silence asks for the current ones', async () => {
  const { github, clock, connect } = createOwnBench(50)
  github.once('GET', queuePath, envelope(5, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })], 3))
  github.always('GET', queuePath, async (request) => {
    await clock.sleep(50_000, request.signal)
    return nothing
  })
  github.always('POST', sessionsPath, (request) => session(clock, request, { statistics: statistics(1) }))
  github.always('PATCH', sessionPath, (request) => session(clock, request, { statistics: statistics(1) }))
  const { reader } = await connect(ours)
  await clock.advance(45_000)
  expect(demands(reader.events)).toEqual([1, 3])
  await clock.advance(5 * minuteMs)
  expect(demands(reader.events).at(-1)).toBe(1)
  expect(github.sent('PATCH', sessionPath)).toHaveLength(1)
})

test('a delivery that is cut off once loses nothing', async () => {
  const { github, connect, pass } = createOwnBench(50)
  const whole = envelope(5, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })], 1)
  github.once('GET', queuePath, textAnswer(200, '{"messageId":5,"mess'), whole)
  const { reader } = await connect(ours)
  await pass(reader.find('job-started'))
  await pass(() => github.sent('DELETE', messagePath).length === 1)
  expect(github.sent('POST', sessionsPath)).toHaveLength(1)
})

test('message ids that start again in a new session are new messages', async () => {
  const { github, clock, connect, pass, anomalies } = createOwnBench(50)
  const first = envelope(1, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })], 1)
  const second = envelope(1, [jobMessage('JobStarted', 'b', { runnerName: 'r2' })], 2)
  let opened = 0
  github.always('POST', sessionsPath, (request) => session(clock, request, { sessionId: `session-${++opened}` }))
  github.once('GET', queuePath, first, exception(404, 'RunnerAdminException'), second)
  const { reader } = await connect(ours)
  await pass(reader.find('job-started', ({ runner }) => runner === 'r2'))
  expect(demands(reader.events).at(-1)).toBe(2)
  expect(anomalies).toEqual([])
})

test('a message that a new session delivers again has no second effect', async () => {
  const { github, clock, connect, pass, anomalies } = createOwnBench(50)
  const message = envelope(1, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })], 1)
  let opened = 0
  github.always('POST', sessionsPath, (request) => session(clock, request, { sessionId: `session-${++opened}` }))
  github.once('GET', queuePath, message, exception(404, 'RunnerAdminException'), message, envelope(2, [], 2))
  const { reader } = await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 3)
  expect(reader.events.filter(({ kind }) => kind === 'job-started')).toHaveLength(1)
  expect(anomalies).toMatchObject([{ kind: 'message-repeated' }])
})
