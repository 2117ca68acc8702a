// The message session: created, renewed, lost, deleted.
import { jsonAnswer } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { createBench } from '../bench.fixture.ts'
import {
  agentsPath,
  envelope,
  exception,
  jobMessage,
  jwt,
  list,
  noContent,
  nothing,
  queuePath,
  scaleSet,
  session,
  sessionPath,
  sessionsPath,
  setPath,
  silence,
  statistics,
} from '../scripted-github.fixture.ts'

const ours = { account: 'http://github.test/acme', scaleSetId: '117' }
const sessionId = '4fd0ffb0-d365-4dae-99ff-8dae173984f9'
const taken = exception(409, 'RunnerScaleSetSessionConflictException', 'The scale set already has an active session.')

function createOwnBench() {
  const bench = createBench()
  bench.github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  return bench
}

test('case 40: reports the statistics of a new session as demand before the first poll', async () => {
  const { github, clock, connect } = createOwnBench()
  github.once('POST', sessionsPath, (request) => session(clock, request, { statistics: statistics(7) }))
  let polls = 0
  github.once('GET', queuePath, (request) => {
    polls++
    return silence(request)
  })
  const asked = clock.now()
  const { reader } = await connect(ours)
  expect(reader.events.filter(({ kind }) => kind === 'demand')).toEqual([
    { kind: 'demand', demand: { kind: 'assigned', jobs: 7 }, at: asked },
  ])
  expect(reader.events.findLast(({ kind }) => kind === 'state')).toMatchObject({ state: { ...ours, sessionId } })
  expect(polls).toBeLessThanOrEqual(1)
})

test('case 41: reports and outlasts a session conflict, while other calls work', async () => {
  const { github, clock, open, pass } = createOwnBench()
  github.once('POST', sessionsPath, taken, taken)
  const start = clock.now()
  const link = await open(ours)
  const reader = readForgeEvents(link)
  const failing = await reader.find('failing')
  expect(failing.failure).toMatchObject({ reason: 'session-taken', message: expect.stringContaining('active session') })
  expect(failing.since).toBe(start)
  github.once('GET', agentsPath, list({ id: 5, name: 'r', runnerScaleSetId: 117 }))
  expect(await link.registrations()).toHaveLength(1)
  expect(await link.register('linux-a')).toMatchObject({ is: 'registered' })
  await pass(reader.find('demand'))
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toHaveLength(1)
  expect(clock.now() - start).toBeGreaterThanOrEqual(16_000)
  expect(clock.now() - start).toBeLessThanOrEqual(24_000)
})

test('case 41: retries a conflict about every ten seconds for an hour', async () => {
  const { github, clock, open } = createOwnBench()
  github.always('POST', sessionsPath, taken)
  readForgeEvents(await open(ours))
  await clock.advance(3_600_000)
  expect(github.sent('POST', sessionsPath).length).toBeGreaterThan(300)
  expect(github.sent('POST', sessionsPath).length).toBeLessThan(450)
})

test('case 42: deletes the session of the previous process first', async () => {
  const { github, connect } = createOwnBench()
  await connect({ ...ours, sessionId: 'old-session' })
  const sessions = github.requests.filter(({ path }) => path.includes('/sessions'))
  expect(sessions.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual([
    'DELETE old-session',
    'POST sessions',
  ])
})

test('case 42: continues if the old session cannot be deleted', async () => {
  const { github, connect, anomalies } = createOwnBench()
  github.once('DELETE', sessionPath, jsonAnswer(500, { message: 'redis is gone' }))
  await connect({ ...ours, sessionId: 'old-session' })
  expect(anomalies).toMatchObject([{ kind: 'session-left' }])
})

test('case 43: deletes and reports a session without a queue, requests another and polls nothing', async () => {
  const { github, clock, open, pass } = createOwnBench()
  github.once('POST', sessionsPath, (request) => session(clock, request, { messageQueueUrl: '' }))
  const reader = readForgeEvents(await open(ours))
  await pass(reader.find('failing'))
  expect(github.sent('DELETE', sessionPath)).toHaveLength(1)
  expect(github.requests.at(-1)?.method).toBe('DELETE')
  await pass(reader.find('demand'))
  expect(github.sent('POST', sessionsPath)).toHaveLength(2)
  expect(github.requests.every(({ path }) => path !== '' && path !== '/')).toBe(true)
})

test.each([
  ['no id', { sessionId: '' }],
  ['the zero id', { sessionId: '00000000-0000-0000-0000-000000000000' }],
  ['no token', { messageQueueAccessToken: null }],
])('requests a session again if the first has %s', async (_, more) => {
  const { github, clock, connect } = createOwnBench()
  github.once('POST', sessionsPath, (request) => session(clock, request, more))
  await connect(ours)
  expect(github.sent('POST', sessionsPath)).toHaveLength(2)
})

test('refreshes a session without statistics until demand is known', async () => {
  const { github, clock, open, pass, anomalies } = createOwnBench()
  const mute = (request: Parameters<typeof session>[1]) => session(clock, request, { statistics: null })
  github.once('POST', sessionsPath, mute)
  github.once('PATCH', sessionPath, mute, (request) => session(clock, request, { statistics: statistics(3) }))
  const reader = readForgeEvents(await open(ours))
  const demand = await pass(reader.find('demand'))
  expect(demand?.demand).toEqual({ kind: 'assigned', jobs: 3 })
  expect(reader.events.some(({ kind }) => kind === 'failing')).toBe(true)
  expect(anomalies.at(-1)).toMatchObject({ kind: 'statistics-missing', count: 2 })
  expect(github.sent('POST', sessionsPath)).toHaveLength(1)
})

test.each([
  ['204', noContent],
  ['404', exception(404, 'RunnerScaleSetNotFoundException')],
  ['400', exception(400, 'RunnerScaleSetSessionExpiredException')],
])('case 45: closing aborts the poll, then deletes the session (%s)', async (_, answer) => {
  const { github, clock, connect, pass } = createOwnBench()
  const { link, reader } = await connect(ours)
  await clock.advance(10_000)
  const [poll] = github.sent('GET', queuePath)
  expect(poll?.signal?.aborted).toBe(false)
  github.once('DELETE', sessionPath, (request) => {
    expect(poll?.signal?.aborted).toBe(true)
    expect(request.path).toContain(sessionId)
    return answer
  })
  await pass(link.close('pause'))
  await reader.ended
  expect(github.sent('DELETE', sessionPath)).toHaveLength(1)
  expect(github.sent('DELETE', setPath)).toEqual([])
  expect(clock.next()).toBeUndefined()
})

test('case 45: deletes a session whose creation was in progress', async () => {
  const { github, clock, open, pass } = createOwnBench()
  github.once('POST', sessionsPath, async (request) => {
    await clock.sleep(5_000)
    return session(clock, request)
  })
  const link = await open(ours)
  const reader = readForgeEvents(link)
  await clock.advance(1_000)
  await pass(link.close('pause'))
  await reader.ended
  expect(github.sent('DELETE', sessionPath)).toHaveLength(1)
})

test('case 45: closing works after an abort, and ends within 30 s without a response', async () => {
  const { github, clock, connect, pass, stop } = createOwnBench()
  const { link, reader } = await connect(ours)
  stop.abort(new Error('lost the lease'))
  await reader.ended
  github.always('DELETE', sessionPath, silence)
  const start = clock.now()
  await expect(pass(link.close('pause'))).rejects.toMatchObject({ kind: 'unavailable' })
  expect(clock.now() - start).toBe(30_000)
})

test.each([
  ['404', exception(404, 'RunnerAdminException')],
  ['404 without a type', jsonAnswer(404, {})],
  ['400', exception(400, 'RunnerScaleSetSessionExpiredException')],
])('case 48: replaces a session that is gone at its refresh (%s), with the same cursor', async (_, gone) => {
  const { github, clock, connect, pass } = createOwnBench()
  github.once('GET', queuePath, envelope(41, [jobMessage('JobAssigned', 'a')]), jsonAnswer(401, {}))
  github.once('PATCH', sessionPath, gone)
  const { reader } = await connect(ours)
  await pass(() => github.sent('GET', queuePath).length === 3)
  expect(github.sent('POST', sessionsPath)).toHaveLength(2)
  expect(github.sent('GET', queuePath).map(({ query }) => query['lastMessageId'])).toEqual([undefined, '41', '41'])
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
  expect(clock.now()).toBe(1_767_225_600_000)
})

test('case 49: renews the queue token before it expires', async () => {
  const { github, clock, connect } = createOwnBench()
  github.once('POST', sessionsPath, (request) =>
    session(clock, request, { messageQueueAccessToken: jwt(clock, 300, 'old-queue') }),
  )
  const refused: number[] = []
  const start = clock.now()
  github.always('GET', queuePath, async (request) => {
    const [, claims = ''] = request.headers['authorization']?.split('.') ?? []
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }
    if (exp * 1000 <= clock.now()) {
      refused.push(clock.now() - start)
      return jsonAnswer(401, {})
    }
    await clock.sleep(50_000, request.signal)
    return nothing
  })
  await connect(ours)
  await clock.advance(4 * 3_600_000)
  expect(refused).toEqual([])
  const renewals = github.sent('PATCH', sessionPath).length
  expect(renewals).toBeGreaterThanOrEqual(5)
  expect(renewals).toBeLessThanOrEqual(8)
})

test('does not renew a queue token of five minutes before every poll', async () => {
  const { github, clock, connect } = createOwnBench()
  const short = (request: Parameters<typeof session>[1]) =>
    session(clock, request, { messageQueueAccessToken: jwt(clock, 300, 'queue') })
  github.always('POST', sessionsPath, short)
  github.always('PATCH', sessionPath, short)
  await connect(ours)
  await clock.advance(3_600_000)
  expect(github.sent('PATCH', sessionPath).length).toBeLessThanOrEqual(24)
})

test('pauses before it opens a session again that was lost at once', async () => {
  const { github, clock, connect } = createOwnBench()
  github.always('GET', queuePath, exception(404, 'RunnerAdminException'))
  await connect(ours)
  await clock.advance(600_000)
  expect(github.sent('POST', sessionsPath).length).toBeLessThan(50)
  expect(github.sent('POST', sessionsPath).length).toBeGreaterThan(10)
})
