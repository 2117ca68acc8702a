// The runner API of packages/forge-emulators/src/github/runner-wire.md: lost connections, removed registrations, cancelled jobs.
import type { Answer, Method } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobEvent } from './emulation.ts'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { scriptJob } from './script-job.ts'
import { connectClient, field, type Queue, queueOf, type TestClient } from './test-client.fixture.ts'

let clock: VirtualClock
let emulator: GitHubEmulator
let github: TestClient
let set: number
let queue: Queue
let jobEvents: JobEvent[]

beforeEach(async () => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1) })
  github = await connectClient(emulator.transport)
  set = await github.scaleSet('linux')
  queue = queueOf(await github.session(set))
  const poll = github.poll(queue)
  await clock.advance(50_000)
  await poll
  jobEvents = []
  emulator.control.onJob((item) => jobEvents.push(item))
})

afterEach(() => emulator.close())

type Call = (method: Method, path: string, body?: unknown, signal?: AbortSignal) => Promise<Answer>

/** Registers a runner. Returns a function that sends its calls. */
async function register(name: string): Promise<Call> {
  const jit = await github.admin('POST', `_apis/runtime/runnerscalesets/${set}/generatejitconfig`, { name })
  const files = JSON.parse(Buffer.from(String(field(jit, 'encodedJITConfig')), 'base64').toString())
  const read = (file: string) => JSON.parse(Buffer.from(files[file], 'base64').toString())
  const authorization = `Bearer ${read('.credentials').Data.AccessToken}`
  return (method, path, body, signal) => {
    const { pathname, searchParams } = new URL(path, read('.runner').ServerUrlV2)
    const query = Object.fromEntries(searchParams)
    const sent = body === undefined ? ({ kind: 'none' } as const) : ({ kind: 'json', value: body } as const)
    const headers = { authorization }
    return emulator.transport({ method, path: pathname, query, headers, body: sent, expect: 'whole', signal })
  }
}

async function connect(runner: Call): Promise<string> {
  return String(field(await runner('POST', 'session', {}), 'sessionId'))
}

const agent = (version: string) => ({ ownerName: 'r', agent: { version } })
const message = (session: unknown) => `message?sessionId=${session}&status=Online`

test('answers when a version ends, and 404 for a version that it does not know', async () => {
  emulator.control.knobs({
    versionEnds: {
      '2.330.0': { runtime: '2026-03-13T18:34:13Z', registration: null },
      '2.337.0': { runtime: null, registration: null },
      '2.331.0': { runtime: null, registration: '2026-05-01T00:00:00Z' },
    },
  })
  const ask = async (version: string, scope = 'orgs/my-org') => {
    const path = `/api/v3/${scope}/actions/runners/deprecations/${version}`
    const headers = { authorization: 'Bearer pat' }
    return emulator.transport({ method: 'GET', path, query: {}, headers, body: { kind: 'none' }, expect: 'whole' })
  }
  const value = async (version: string, scope?: string) => {
    const { status, body } = await ask(version, scope)
    return [status, body.kind === 'json' && status === 200 ? body.value : undefined]
  }
  const known = { runner_version: '2.330.0', runtime_deprecates_at: '2026-03-13T18:34:13Z' }
  for (const scope of ['orgs/my-org', 'repos/my-org/shop', 'enterprises/my-company']) {
    expect(await value('2.330.0', scope)).toEqual([200, known])
  }
  expect(await value('2.337.0')).toEqual([200, { runner_version: '2.337.0', runtime_deprecates_at: null }])
  expect(await value('2.331.0')).toMatchObject([200, { registration_deprecates_at: '2026-05-01T00:00:00Z' }])
  expect(await value('9.9.9')).toEqual([404, undefined])
})

test.each([
  ['below the lowest version', '2.328.0'],
  ['past the end of registrations', '2.330.0'],
])('a runner %s cannot connect', async (_title, version) => {
  const past = '2026-01-01T00:00:00Z'
  emulator.control.knobs({ versionEnds: { '2.330.0': { runtime: null, registration: past } } })
  const runner = await register('r')
  const refused = await runner('POST', 'session', agent(version))
  expect([refused.status, field(refused, 'errorKind')]).toEqual([403, 'RunnerVersionTooOld'])
  expect(emulator.control.registration('r')).toMatchObject({ online: false })
})

test('a runner past the end of its version is refused at its poll, or stays online and gets no job', async () => {
  emulator.control.knobs({ versionEnds: { '2.330.0': { runtime: '2026-01-01T00:00:00Z', registration: null } } })
  const runner = await register('r')
  const session = field(await runner('POST', 'session', agent('2.330.0')), 'sessionId')
  const refused = await runner('GET', message(session))
  expect([refused.status, field(refused, 'errorKind')]).toEqual([403, 'RunnerVersionTooOld'])
  emulator.control.knobs({ endedVersions: 'silent' })
  queueJob()
  const poll = runner('GET', message(session))
  await clock.advance(50_000)
  expect((await poll).status).toBe(202)
  expect(emulator.control.registration('r')).toMatchObject({ online: true, busy: false })
  emulator.control.knobs({ versionEnds: {} })
  expect((await runner('GET', message(session))).status).toBe(200)
})

function queueJob(): string {
  const [job] = emulator.control.queueJobs([
    { labels: ['linux'], name: 'a', message: scriptJob('a', [{ run: 'true' }]) },
  ])
  return job?.id ?? ''
}

/** Returns a runner that has acquired a job. */
async function running(name: string): Promise<{ runner: Call; session: string; at: string; jobId: string }> {
  const jobId = queueJob()
  const runner = await register(name)
  const session = await connect(runner)
  const message = await runner('GET', `message?sessionId=${session}`)
  const at: string = JSON.parse(String(field(message, 'body'))).run_service_url
  expect((await runner('POST', `${at}acquirejob`, {})).status).toBe(200)
  return { runner, session, at, jobId }
}

test('redelivers a job request until it is acknowledged', async () => {
  const runner = await register('r-1')
  const session = await connect(runner)
  const held = runner('GET', `message?sessionId=${session}`)
  await clock.advance(0)
  const runnerRequestId = queueJob()
  const first = await held
  expect((await runner('GET', `message?sessionId=${session}`)).body).toEqual(first.body)
  expect((await runner('POST', `acknowledge?sessionId=${session}`, { runnerRequestId })).status).toBe(200)
  const quiet = runner('GET', `message?sessionId=${session}`)
  await clock.advance(50_000)
  expect((await quiet).status).toBe(202)
})

test('ends the held poll of a removed runner', async () => {
  const runner = await register('r-1')
  const session = await connect(runner)
  const held = runner('GET', `message?sessionId=${session}`)
  await clock.advance(0)
  expect((await github.admin('DELETE', '_apis/distributedtask/pools/0/agents/1')).status).toBe(204)
  const answer = await held
  expect(answer.status).toBe(404)
  expect(field(answer, 'errorKind')).toBe('RunnerNotFound')
  expect((await runner('POST', 'session', {})).status).toBe(404)
  expect((await runner('DELETE', `session?sessionId=${session}`)).status).toBe(204)
})

test('accepts a credential once, and no other kind of token', async () => {
  const runner = await register('r-1')
  const session = await connect(runner)
  await runner('DELETE', `session?sessionId=${session}`)
  expect((await runner('POST', 'session', {})).status).toBe(409)
  const path = new URL('http://127.0.0.1/runner/session').pathname
  const headers = { authorization: `Bearer ${github.adminToken}` }
  const body = { kind: 'none' } as const
  const foreign = await emulator.transport({ method: 'POST', path, query: {}, headers, body, expect: 'whole' })
  expect(foreign.status).toBe(401)
})

test('a job is acquired once, by its own runner', async () => {
  const { runner, at } = await running('r-1')
  expect((await runner('POST', `${at}acquirejob`, {})).status).toBe(409)
  const other = await register('r-2')
  await connect(other)
  expect((await other('POST', `${at}acquirejob`, {})).status).toBe(409)
  expect((await other('POST', `${at}completejob`, { conclusion: 'success' })).status).toBe(404)
  expect(jobEvents.map(({ kind, runs }) => `${kind} ${runs}`)).toEqual(['queued 0', 'assigned 0', 'started 1'])
})

test('a step that starts again counts as a second run of the job', async () => {
  const { runner, at, jobId } = await running('r-1')
  const step = { id: 's', name: 's', status: 'started' }
  await runner('POST', `${at}steps`, { ...step, at: 7 })
  await runner('POST', `${at}steps`, { ...step, id: 't', at: 8 })
  await runner('POST', `${at}steps`, { ...step, at: 7 })
  expect(emulator.control.job(jobId)).toMatchObject({ runs: 1, times: { firstStepAt: 7 } })
  await runner('POST', `${at}steps`, { ...step, at: 9 })
  expect(emulator.control.job(jobId)).toMatchObject({ runs: 2, times: { firstStepAt: 7 } })
})

test('a silent runner stays busy until the lease ends; then its job fails and it is removed', async () => {
  const { runner, at, jobId } = await running('r-1')
  await clock.advance(500_000)
  expect(field(await runner('POST', `${at}renewjob`, {}), 'cancelled')).toBe(false)
  await clock.advance(599_999)
  expect(emulator.control.registrations()).toMatchObject([{ name: 'r-1', online: false, busy: true }])
  await clock.advance(1)
  expect(emulator.control.registrations()).toEqual([])
  expect(jobEvents.at(-1)).toMatchObject({ kind: 'finished', id: jobId, result: 'failed', runner: 'r-1' })
  expect(jobEvents.at(-1)?.report?.note).toContain('lost communication')
  expect((await runner('POST', `${at}renewjob`, {})).status).toBe(404)
})

test('an idle runner without requests is offline, and online again with its next poll', async () => {
  const runner = await register('r-1')
  const session = await connect(runner)
  await clock.advance(120_000)
  expect(emulator.control.registrations()).toMatchObject([{ online: false }])
  const held = runner('GET', `message?sessionId=${session}`)
  await clock.advance(0)
  expect(emulator.control.registrations()).toMatchObject([{ online: true }])
  queueJob()
  expect((await held).status).toBe(200)
})

test('a cancelled job notifies its runner by message and by renewal, and ends after cancelS', async () => {
  const { runner, session, at, jobId } = await running('r-1')
  const held = runner('GET', `message?sessionId=${session}&status=Busy`)
  await clock.advance(0)
  expect(emulator.control.cancel(jobId)).toBe(true)
  const message = await held
  expect(field(message, 'messageType')).toBe('JobCancellation')
  expect(JSON.parse(String(field(message, 'body')))).toMatchObject({ jobId })
  expect(field(await runner('POST', `${at}renewjob`, {}), 'cancelled')).toBe(true)
  await clock.advance(300_000)
  expect(jobEvents.at(-1)).toMatchObject({ kind: 'finished', result: 'canceled' })
})

test('a runner whose poll has broken off gets no job', async () => {
  const dead = await register('dead')
  const leave = new AbortController()
  const poll = dead('GET', `message?sessionId=${await connect(dead)}`, undefined, leave.signal)
  await clock.advance(0)
  leave.abort(new Error('killed'))
  await expect(poll).rejects.toThrow('killed')
  queueJob()
  expect((await github.admin('DELETE', '_apis/distributedtask/pools/0/agents/1')).status).toBe(204)
  const live = await register('live')
  expect((await live('GET', `message?sessionId=${await connect(live)}`)).status).toBe(200)
})

test('a job that is cancelled before it starts is withdrawn, and its runner gets the next one', async () => {
  const jobId = queueJob()
  const runner = await register('r-1')
  const session = await connect(runner)
  expect((await runner('GET', `message?sessionId=${session}`)).status).toBe(200)
  emulator.control.cancel(jobId)
  const gone = await runner('POST', `acknowledge?sessionId=${session}`, { runnerRequestId: jobId })
  expect(field(gone, 'errorKind')).toBe('AcknowledgeJobNotFound')
  expect((await runner('POST', `jobs/${jobId}/acquirejob`, {})).status).toBe(404)
  queueJob()
  expect((await runner('GET', `message?sessionId=${session}`)).status).toBe(200)
})

test('keeps only the last lines of a log', async () => {
  const { runner, at, jobId } = await running('r-1')
  for (let part = 0; part < 3; part++) {
    const lines = Array.from({ length: 600 }, (_, line) => `${part}/${line}`)
    expect((await runner('POST', `${at}logs`, { lines })).status).toBe(200)
  }
  const kept = emulator.control.job(jobId)?.log.lines
  expect(kept).toHaveLength(1_000)
  expect(kept?.at(-1)).toBe('2/599')
  await runner('POST', `${at}logs`, { lines: ['x'.repeat(60_000), 'y'.repeat(60_000)] })
  expect(emulator.control.job(jobId)?.log.lines.map((line) => line[0])).toEqual(['y'])
})

test('refuses an invalid report, and the job continues', async () => {
  const { runner, at } = await running('r-1')
  expect((await runner('POST', `${at}completejob`, { conclusion: 'great' })).status).toBe(422)
  expect((await runner('POST', `${at}completejob`, { conclusion: 'failure', note: null })).status).toBe(200)
  expect(jobEvents.at(-1)).toMatchObject({ kind: 'finished', result: 'failed', report: { outputs: {}, steps: [] } })
  expect(clock.next(), 'no timer of the job or its runner is left').toBeUndefined()
})
