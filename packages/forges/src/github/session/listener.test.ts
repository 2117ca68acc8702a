// Messages of a scale set: polled, delivered, acknowledged, redelivered, broken and contradictory.
import { type Answer, jsonAnswer, noBody, TransportError, textAnswer } from '@dayfly/kit/http'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { expect, test } from 'vitest'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { createBench } from '../bench.fixture.ts'
import {
  envelope,
  exception,
  jobMessage,
  messagePath,
  noContent,
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
const acquirePath = /acquirejobs$/
const expired = jsonAnswer(401, { message: 'expired' })

function createOwnBench() {
  const bench = createBench()
  bench.github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  return bench
}

function demands(events: readonly ForgeEvent[]): number[] {
  return events.flatMap((one) => (one.kind === 'demand' && one.demand.kind === 'assigned' ? [one.demand.jobs] : []))
}

test('case 51: polls carry exactly the cursor, the capacity and the query of the queue', async () => {
  const { github, connect, pass } = createOwnBench()
  github.once('GET', queuePath, envelope(100000003, [], 1), nothing)
  await connect(ours)
  await pass(() => github.sent('GET', queuePath).length === 3)
  const polls = github.sent('GET', queuePath)
  expect(polls.map(({ query }) => query)).toEqual([
    { tenant: 'x&y' },
    { tenant: 'x&y', lastMessageId: '100000003' },
    { tenant: 'x&y', lastMessageId: '100000003' },
  ])
  expect(polls[0]?.headers).toEqual({
    authorization: expect.stringMatching(/^Bearer eyJ/),
    accept: 'application/json; api-version=6.0-preview',
    'x-scalesetmaxcapacity': '10',
    'user-agent': 'dayfly/0.0.0 ScaleSetID/117',
  })
  const [acknowledged] = github.sent('DELETE', messagePath)
  expect(acknowledged?.path).toBe('/scalesets/message/100000003')
  expect(acknowledged?.query).toEqual({ tenant: 'x&y' })
  expect(acknowledged?.headers['content-type']).toBe('application/json')
  expect(acknowledged?.headers['authorization']).toBe(polls[0]?.headers['authorization'])
})

test('case 52: a poll without a message repeats the last demand, and the next poll follows at once', async () => {
  const { github, clock, connect } = createOwnBench()
  github.once('POST', sessionsPath, (request) => session(clock, request, { statistics: statistics(4) }))
  const { reader } = await connect(ours)
  await clock.advance(100_000)
  expect(demands(reader.events)).toEqual([4, 4, 4])
  expect(github.sent('GET', queuePath)).toHaveLength(3)
})

test('pauses between polls that return nothing at once', async () => {
  const { github, clock, connect } = createOwnBench()
  github.always('GET', queuePath, nothing)
  await connect(ours)
  await clock.advance(60_000)
  expect(github.sent('GET', queuePath).length).toBeLessThan(20)
})

test('case 54: refreshes the session after a refused poll, and replaces it if the next poll is refused too', async () => {
  const { github, connect, pass } = createOwnBench()
  github.once('GET', queuePath, expired, nothing, expired, expired)
  const { reader } = await connect(ours)
  await pass(() => github.sent('GET', queuePath).length === 2)
  expect(github.sent('PATCH', sessionPath)).toHaveLength(1)
  await pass(() => github.sent('GET', queuePath).length === 5)
  expect(github.sent('PATCH', sessionPath)).toHaveLength(2)
  expect(github.sent('DELETE', sessionPath)).toHaveLength(1)
  expect(github.sent('POST', sessionsPath)).toHaveLength(2)
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
})

test('case 56: skips, counts and acknowledges unknown types', async () => {
  const { github, connect, pass, anomalies } = createOwnBench()
  const strange = { messageId: 6, messageType: 'RunnerScaleSetWeather', body: 'sunny', statistics: null }
  github.once(
    'GET',
    queuePath,
    envelope(5, [jobMessage('JobPondered', 'x'), jobMessage('JobStarted', 'a', { runnerName: 'r1' })], 1),
    jsonAnswer(200, strange),
    jsonAnswer(200, {
      messageId: 7,
      messageType: 'RunnerScaleSetJobMessages',
      body: '[{"half',
      statistics: statistics(2),
    }),
    jsonAnswer(200, { messageId: 8, messageType: 'RunnerScaleSetJobMessages', body: '', statistics: statistics(3) }),
  )
  const { reader } = await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 4)
  expect(reader.events.filter(({ kind }) => kind === 'job-started')).toMatchObject([{ runner: 'r1' }])
  expect(demands(reader.events)).toEqual([0, 1, 1, 2, 3])
  expect(anomalies.map(({ kind, count }) => `${kind} ${count}`)).toEqual([
    'message-unreadable 1',
    'message-unreadable 2',
    'message-unreadable 3',
  ])
  expect(anomalies[0]?.sentence).toContain('JobPondered')
})

test('case 58: delivers unacknowledged events three times, then drops them', async () => {
  const { github, connect, pass, clock, anomalies } = createOwnBench()
  github.once('GET', queuePath, async () => {
    await clock.sleep(1_000)
    return envelope(5, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })])
  })
  const { reader } = await connect(ours)
  reader.clear()
  reader.ackAll = false
  await pass(() => reader.batches.length === 2)
  expect(reader.batches[1]).toBe(reader.batches[0])
  expect(github.sent('DELETE', messagePath)).toEqual([])
  await pass(() => github.sent('DELETE', messagePath).length === 1)
  expect(reader.batches).toHaveLength(3)
  expect(anomalies).toMatchObject([{ kind: 'message-unhandled', count: 1 }])
})

test('case 58: acknowledges a redelivered message again, without events', async () => {
  const { github, connect, pass, anomalies } = createOwnBench()
  const message = envelope(5, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })])
  github.once('GET', queuePath, message, message, message, envelope(6, [], 2))
  const { reader } = await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 4)
  expect(reader.events.filter(({ kind }) => kind === 'job-started')).toHaveLength(1)
  expect(demands(reader.events)).toEqual([0, 1, 2])
  expect(anomalies.map(({ kind }) => kind)).toEqual(['message-repeated', 'message-repeated'])
})

test('case 60: acknowledges in spite of 401, 404 and 500', async () => {
  const { github, connect, pass } = createOwnBench()
  github.once('GET', queuePath, envelope(1, [], 1), envelope(2, [], 2), envelope(3, [], 3))
  github.once('DELETE', messagePath, expired, noContent, jsonAnswer(404, {}), jsonAnswer(500, {}), noContent)
  const { reader } = await connect(ours)
  await pass(() => github.sent('GET', queuePath).length === 4)
  expect(github.sent('DELETE', messagePath).map(({ path }) => path.split('/').at(-1))).toEqual([
    '1',
    '1',
    '2',
    '3',
    '3',
  ])
  expect(github.sent('PATCH', sessionPath)).toHaveLength(1)
  expect(github.sent('GET', queuePath).at(-1)?.query['lastMessageId']).toBe('3')
  expect(demands(reader.events)).toEqual([0, 1, 2, 3])
})

test('passes over a message that cannot be deleted, after one delivery of its events', async () => {
  const { github, connect, pass, anomalies } = createOwnBench()
  const message = envelope(5, [jobMessage('JobStarted', 'a', { runnerName: 'r1' })])
  github.always('GET', queuePath, ({ query }) => (query['lastMessageId'] === '5' ? envelope(6, [], 9) : message))
  github.always('DELETE', /message\/5$/, jsonAnswer(500, {}))
  const { reader } = await connect(ours)
  await pass(reader.find('demand', ({ demand }) => demand.kind === 'assigned' && demand.jobs === 9))
  expect(reader.events.filter(({ kind }) => kind === 'job-started')).toHaveLength(1)
  expect(anomalies.map(({ kind }) => kind)).toContain('acknowledge-failed')
  expect(github.sent('GET', queuePath).filter(({ query }) => query['lastMessageId'] === undefined)).toHaveLength(4)
})

test('case 63: distinguishes jobs that share their run and a request id of 0', async () => {
  const { github, connect, pass } = createOwnBench()
  const jobWorkflowRef = 'acme/shop/.github/workflows/ci.yml@refs/heads/feature/a@b'
  const of = (id: string) => ({ jobDisplayName: `test (${id})`, jobWorkflowRef })
  const messages = ['a', 'b', 'c'].flatMap((id) => [
    jobMessage('JobAssigned', id, of(id)),
    jobMessage('JobStarted', id, { runnerName: `r-${id}`, ...of(id) }),
  ])
  github.once('GET', queuePath, envelope(5, messages))
  const { reader } = await connect(ours)
  await pass(reader.find('job-started', ({ runner }) => runner === 'r-c'))
  const jobs = (kind: string) =>
    reader.events.flatMap((event) => (event.kind === kind && 'job' in event ? [event.job] : []))
  const origin = { workflow: 'ci.yml', ref: 'feature/a@b', run: '7' }
  const expected = ['a', 'b', 'c'].map((id) => ({ id, name: `test (${id})`, repository: 'acme/shop', origin }))
  expect(jobs('job-waits')).toEqual(expected)
  expect(jobs('job-started')).toEqual(expected)
})

test('case 64: unset times are unknown, and no duration is negative', async () => {
  const { github, clock, connect, pass } = createOwnBench()
  const unset = { queueTime: '0001-01-01T00:00:00Z', finishTime: null }
  const late = { queueTime: '2026-01-01T00:00:09Z', runnerAssignTime: '2026-01-01T00:00:05.1234567Z' }
  github.once(
    'GET',
    queuePath,
    envelope(5, [
      jobMessage('JobStarted', 'a', { runnerName: 'r1', ...unset }),
      jobMessage('JobStarted', 'b', { runnerName: 'r2', ...late }),
      jobMessage('JobCompleted', 'a', { runnerName: 'r1', result: 'succeeded', ...unset }),
      jobMessage('JobCompleted', 'c', { runnerName: '', runnerId: 0, result: 'canceled' }),
    ]),
  )
  const { reader } = await connect(ours)
  await pass(reader.find('job-finished'))
  const at = clock.now()
  const job = { name: '', repository: 'acme/shop', origin: { run: '7' } }
  expect(reader.events.filter(({ kind }) => kind.startsWith('job'))).toEqual([
    { kind: 'job-started', runner: 'r1', job: { id: 'a', ...job }, at, queuedAt: undefined },
    {
      kind: 'job-started',
      runner: 'r2',
      job: { id: 'b', ...job },
      at: Date.parse(late.runnerAssignTime),
      queuedAt: undefined,
    },
    { kind: 'job-finished', runner: 'r1', jobId: 'a', job: { id: 'a', ...job }, result: 'succeeded', at },
    { kind: 'job-dropped', jobId: 'c', result: 'canceled' },
  ])
})

test('case 65: only an acquired job takes up room: neither its refused neighbour nor an assigned one does', async () => {
  const { github, connect, pass } = createOwnBench()
  const offer = (id: number) => jobMessage('JobAvailable', '', { runnerRequestId: id })
  const assigned = jobMessage('JobAssigned', 'a', { runnerRequestId: 23 })
  github.once('GET', queuePath, envelope(5, [offer(23), offer(24), offer(25), offer(26)], 8))
  github.once('GET', queuePath, envelope(6, [], 8), envelope(7, [assigned], 9))
  github.once('POST', acquirePath, jsonAnswer(200, { count: 1, value: [23] }))
  github.always('POST', acquirePath, jsonAnswer(200, { count: 0, value: [] }))
  await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 3)
  const requested = github.sent('POST', acquirePath).map(({ body }) => body.kind === 'json' && body.value)
  expect(requested).toEqual([[23, 24], [25], [26]])
})

test('case 65: an acquired job that no message shows stops taking up room after a minute', async () => {
  const { github, clock, connect } = createOwnBench()
  const offer = (id: number) => jobMessage('JobAvailable', '', { runnerRequestId: id })
  const later = async () => {
    await clock.sleep(61_000)
    return envelope(6, [offer(24)], 9)
  }
  github.once('GET', queuePath, envelope(5, [offer(23)], 9), later)
  github.always('POST', acquirePath, ({ body }) => jsonAnswer(200, { value: body.kind === 'json' ? body.value : [] }))
  await connect(ours)
  await clock.advance(120_000)
  const requested = github.sent('POST', acquirePath).map(({ body }) => body.kind === 'json' && body.value)
  expect(requested).toEqual([[23], [24]])
})

test('case 65: offered jobs are requested in one call, with the queue token at the admin address', async () => {
  const { github, connect, pass } = createOwnBench()
  const offers = [23, 24].map((id) => jobMessage('JobAvailable', '', { runnerRequestId: id }))
  github.once('GET', queuePath, envelope(5, offers, 0))
  github.once('POST', acquirePath, jsonAnswer(200, { count: 1, value: [23] }))
  await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 1)
  const [acquired, ...more] = github.sent('POST', acquirePath)
  expect(more).toEqual([])
  expect(acquired?.body).toEqual({ kind: 'json', value: [23, 24] })
  expect(acquired?.path).toBe('/tenant/123/_apis/runtime/runnerscalesets/117/acquirejobs')
  expect(acquired?.query['api-version']).toBe('6.0-preview')
  expect(acquired?.headers['authorization']).toBe(github.sent('GET', queuePath)[0]?.headers['authorization'])
})

test('case 66: refreshes after a 401 of acquirejobs; after a 500 the other events follow and the offer stays open', async () => {
  const { github, connect, pass, anomalies } = createOwnBench()
  const offer = jobMessage('JobAvailable', '', { runnerRequestId: 23 })
  const started = jobMessage('JobStarted', 'a', { runnerName: 'r1', runnerRequestId: 7 })
  github.once('GET', queuePath, envelope(5, [offer, started], 1), envelope(6, [], 1))
  github.once('POST', acquirePath, expired, jsonAnswer(500, {}), jsonAnswer(200, { count: 1, value: [23] }))
  const { reader } = await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 2)
  expect(github.sent('PATCH', sessionPath)).toHaveLength(1)
  expect(github.sent('POST', acquirePath)).toHaveLength(3)
  expect(reader.events.filter(({ kind }) => kind === 'job-started')).toHaveLength(1)
  expect(anomalies).toMatchObject([{ kind: 'acquire-failed' }])
})

test('case 68: requests each offer once, none with the id 0, and no more than there is room for', async () => {
  const { github, connect, pass } = createOwnBench()
  const ids = [0, 5, 5, 6, 7, 8]
  github.once(
    'GET',
    queuePath,
    envelope(
      5,
      ids.map((id) => jobMessage('JobAvailable', '', { runnerRequestId: id })),
      8,
    ),
  )
  github.once('GET', queuePath, envelope(6, [], 9), envelope(7, [], 10))
  github.always('POST', acquirePath, jsonAnswer(200, { count: 0, value: [] }))
  await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 3)
  const asked = github.sent('POST', acquirePath).map(({ body }) => body.kind === 'json' && body.value)
  expect(asked).toEqual([[5, 6], [7]])
})

test('cases 69 and 70: every poll announces the maximum, also when all runners are busy, and never 0', async () => {
  const { github, clock, connect, anomalies } = createOwnBench()
  github.once('GET', queuePath, envelope(5, [], 10), envelope(6, [], 50), nothing)
  const { link } = await connect(ours)
  await clock.advance(120_000)
  link.update({ name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 0 })
  await clock.advance(120_000)
  const announced = github.sent('GET', queuePath).map(({ headers }) => headers['x-scalesetmaxcapacity'])
  expect(announced.length).toBeGreaterThan(5)
  expect(new Set(announced)).toEqual(new Set(['10']))
  expect(anomalies).toMatchObject([{ kind: 'scale-set-differs' }])
})

test('case 69: a new maximum interrupts the poll and is announced at once', async () => {
  const { github, clock, connect } = createOwnBench()
  const { link, reader } = await connect(ours)
  await clock.advance(1_000)
  link.update({ name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 3 })
  await clock.advance(0)
  const [first, second] = github.sent('GET', queuePath)
  expect(first?.signal?.aborted).toBe(true)
  expect(second?.headers['x-scalesetmaxcapacity']).toBe('3')
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
})

test('case 74: ignores statistics of zero beside jobs that were just assigned', async () => {
  const { github, connect, pass } = createOwnBench()
  const assigned = (...ids: string[]) => ids.map((id) => jobMessage('JobAssigned', id))
  github.once(
    'GET',
    queuePath,
    envelope(5, assigned('a', 'b'), 0),
    envelope(6, [...assigned('c'), jobMessage('JobCompleted', 'a', { runnerName: 'r' })], 0),
    envelope(7, [], 0),
    envelope(8, assigned('d'), 5),
    envelope(9, [], 0),
  )
  const { reader } = await connect(ours)
  await pass(() => github.sent('DELETE', messagePath).length === 5)
  expect(demands(reader.events)).toEqual([0, 2, 2, 2, 5, 0])
})

test('case 74: trusts statistics of zero after five minutes', async () => {
  const { github, clock, connect } = createOwnBench()
  github.once('GET', queuePath, envelope(5, [jobMessage('JobAssigned', 'a')], 0))
  const { reader } = await connect(ours)
  await clock.advance(240_000)
  expect(demands(reader.events).at(-1)).toBe(1)
  await clock.advance(120_000)
  expect(demands(reader.events).at(-1)).toBe(0)
})

const broken: readonly (readonly [string, Answer | (() => never)])[] = [
  [
    'a reset',
    () => {
      throw new TransportError('lost', 'connection reset')
    },
  ],
  ['502', textAnswer(502, '<html>')],
  ['half a message', textAnswer(200, '{"messageId":5,"bo')],
]

test.each(broken)('does not report one poll that fails by %s', async (_, answer) => {
  const { github, clock, connect } = createOwnBench()
  github.once('GET', queuePath, answer)
  const { reader } = await connect(ours)
  await clock.advance(60_000)
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
})

test.each(broken)(
  'reports repeated polls that fail by %s, and knows demand after the first that works',
  async (_, answer) => {
    const { github, clock, connect, pass } = createOwnBench()
    github.once('GET', queuePath, answer, answer, answer)
    const { reader } = await connect(ours)
    const start = clock.now()
    const failing = await pass(reader.find('failing'))
    expect(failing).toMatchObject({ failure: { reason: 'forge-unreachable' }, since: start })
    expect(clock.now() - start).toBeLessThan(45_000)
    reader.clear()
    await pass(reader.find('demand'))
    expect(clock.now() - start).toBeLessThan(10_000)
  },
)

test('treats an empty response like no message', async () => {
  const { github, clock, connect, anomalies } = createOwnBench()
  github.once('GET', queuePath, { status: 200, headers: {}, body: noBody })
  const { reader } = await connect(ours)
  await clock.advance(60_000)
  expect(demands(reader.events)).toEqual([0, 0, 0])
  expect(anomalies).toMatchObject([{ kind: 'answer-empty' }])
})

test('reports a forge that is unreachable while the set opens, and connects later', async () => {
  const { github, clock, open, pass } = createOwnBench()
  const refused = () => {
    throw new TransportError('connect', 'connection refused')
  }
  for (let times = 0; times < 8; times++) github.once('POST', /registration-token$/, refused)
  const start = clock.now()
  const link = await open(ours)
  expect(clock.now()).toBe(start)
  await expect(link.register('linux-a')).rejects.toMatchObject({ kind: 'unavailable' })
  const reader = readForgeEvents(link)
  await reader.find('failing', ({ failure }) => failure.reason === 'forge-unreachable')
  expect(clock.now()).toBe(start)
  await pass(reader.find('demand'))
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toHaveLength(1)
})

test('reports a credential that is withdrawn, and recovers when it is valid again', async () => {
  const { github, connect, pass } = createOwnBench()
  github.once('GET', queuePath, exception(401, 'UnauthorizedException'))
  for (let times = 0; times < 6; times++) github.once('PATCH', sessionPath, jsonAnswer(401, {}))
  for (let times = 0; times < 6; times++)
    github.once('POST', /registration-token$/, jsonAnswer(201, { token: 'x' }), jsonAnswer(401, {}))
  const { reader } = await connect(ours)
  const failing = await pass(reader.find('failing'))
  expect(failing?.failure.reason).toBe('forge-unauthorized')
  reader.clear()
  await pass(reader.find('demand'))
})
