// Faults, latency and the request log, on plain values and over real HTTP.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Transport } from '../../lib/http.ts'
import { httpClient } from '../../lib/http-client.ts'
import { seededRandom } from '../../lib/random.ts'
import { type VirtualClock, virtualClock } from '../../lib/virtual-clock.fixture.ts'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import type { FaultSpec } from './faults.ts'
import { scriptJob } from './script-job.ts'
import { field, jobsOf, queueOf, type Visitor, visit } from './visitor.ts'

let clock: VirtualClock
let emulator: GitHubEmulator
let github: Visitor

beforeEach(async () => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1) })
  github = await visit(emulator.transport)
})

afterEach(() => emulator.close())

const sets = '_apis/runtime/runnerscalesets'

function fault(action: FaultSpec['action'], more: Partial<FaultSpec> = {}): number {
  return emulator.control.fault({ match: { method: 'GET', pathRegex: '/runnerscalesets$' }, action, ...more })
}

test('a fault happens from the nth match on, so many times, and to no other request', async () => {
  fault({ kind: 'answer', status: 503 }, { nth: 2, times: 2 })
  const statuses: number[] = []
  for (let call = 0; call < 4; call++) statuses.push((await github.admin('GET', sets)).status)
  expect(statuses).toEqual([200, 503, 503, 200])
  fault({ kind: 'answer', status: 500 })
  expect((await github.admin('GET', `${sets}/7`)).status).toBe(404)
})

test('a removed fault does not happen', async () => {
  const id = fault({ kind: 'answer', status: 503 })
  expect(emulator.control.unfault(id)).toBe(true)
  expect(emulator.control.unfault(id)).toBe(false)
  expect((await github.admin('GET', sets)).status).toBe(200)
})

test('an answer may be an exception, plain text, HTML, empty, or a limit with Retry-After', async () => {
  const html = { 'content-type': 'text/html' }
  fault({ kind: 'answer', status: 400, body: { typeName: 'JobStillRunningException', message: 'busy' } })
  expect(field(await github.admin('GET', sets), 'typeName')).toBe('JobStillRunningException')
  fault({ kind: 'answer', status: 502, text: '<html>', headers: html })
  expect((await github.admin('GET', sets)).body).toEqual({ kind: 'text', text: '<html>' })
  fault({ kind: 'answer', status: 429, headers: { 'Retry-After': '2' } })
  expect(await github.admin('GET', sets)).toMatchObject({ headers: { 'retry-after': '2' }, body: { kind: 'none' } })
})

test('a connection is reset before the request is carried out, or after', async () => {
  const create = { match: { method: 'POST', pathRegex: '/runnerscalesets$' } }
  const body = { name: 'linux', labels: [] }
  for (const [when, count] of [
    ['before', 0],
    ['after', 1],
  ] as const) {
    fault({ kind: 'reset', when }, create)
    await expect(github.admin('POST', sets, body)).rejects.toMatchObject({ kind: 'lost' })
    expect(field(await github.admin('GET', sets), 'count')).toBe(count)
  }
})

test('an answer is cut in half, left out, given a byte order mark, or other members', async () => {
  fault({ kind: 'truncate' })
  expect((await github.admin('GET', sets)).body).toEqual({ kind: 'text', text: '{"count":0,' })
  fault({ kind: 'empty' })
  expect(await github.admin('GET', sets)).toMatchObject({ status: 200, body: { kind: 'none' } })
  fault({ kind: 'bom' })
  const answer = await emulator.handler(get())
  expect(answer.body).toEqual({ kind: 'text', text: '\uFEFF{"count":0,"value":[]}' })
  fault({ kind: 'members', members: { count: 9 } })
  expect((await github.admin('GET', sets)).body).toEqual({ kind: 'json', value: { count: 9, value: [] } })
})

function get() {
  const headers = { authorization: `Bearer ${github.adminToken}` }
  const path = `/tenant/my-org/${sets}`
  return { method: 'GET', path, query: {}, headers, body: { kind: 'none' }, expect: 'whole' } as const
}

test('a delay and the latency take the time of the clock; the control API is never slow', async () => {
  const started = clock.now()
  emulator.control.knobs({ latencyMs: 100 })
  fault({ kind: 'delay', ms: 1_000 })
  let status: number | undefined
  const call = github.admin('GET', sets).then((answer) => {
    status = answer.status
  })
  await clock.advance(1_099)
  expect(status).toBeUndefined()
  await clock.advance(1)
  await call
  expect(clock.now() - started).toBe(1_100)
  expect((await emulator.handler({ ...get(), path: '/_emulator/state' })).status).toBe(200)
})

test('a client that leaves a held poll takes no message with it', async () => {
  const set = await github.scaleSet('linux')
  const session = await github.session(set)
  const queue = queueOf(session)
  const leave = new AbortController()
  const leaving: Transport = (request) => emulator.transport({ ...request, signal: leave.signal })
  const url = new URL(queue.url)
  const poll = leaving({
    ...get(),
    path: url.pathname,
    headers: { authorization: `Bearer ${queue.token}`, 'x-scalesetmaxcapacity': '10' },
  })
  await clock.advance(0)
  leave.abort(new Error('left'))
  await expect(poll).rejects.toThrow('left')
  emulator.control.queueJobs([{ labels: ['linux'], name: 'a', message: scriptJob('a', [{ run: 'true' }]) }])
  expect(jobsOf(await github.poll(queue))).toHaveLength(1)
})

test('every answer carries both ids, and the log has no token in it', async () => {
  const set = await github.scaleSet('linux')
  const session = await github.session(set)
  const queue = queueOf(session)
  await github.acknowledge(queue, 1)
  const missing = await github.admin('GET', `${sets}/99`)
  for (const answer of [session, missing]) {
    expect(answer.headers['activityid']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers['x-github-request-id']).toMatch(/^[0-9A-F:]+$/)
  }
  const log = emulator.control.requests()
  expect(log.map(({ method, status }) => `${method} ${status}`)).toEqual([
    'POST 201',
    'POST 201',
    'POST 200',
    'POST 200',
    'DELETE 204',
    'GET 404',
  ])
  expect(log.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer [pat]',
    'RemoteAuth [registration]',
    'Bearer [admin]',
    'Bearer [admin]',
    'Bearer [queue]',
    'Bearer [admin]',
  ])
  expect(JSON.stringify(log)).not.toContain('eyJ')
  expect(emulator.control.requests(log[3]?.n)).toHaveLength(2)
})

test('over HTTP a reset is a broken connection and a byte order mark is there', async () => {
  const server = await emulator.listen(0)
  const client = httpClient({ origin: server.origin })
  try {
    const over = await visit(client.transport)
    fault({ kind: 'reset', when: 'after' })
    await expect(over.admin('GET', sets)).rejects.toMatchObject({ kind: 'lost' })
    emulator.control.knobs({ bom: true })
    expect(field(await over.admin('GET', sets), 'count')).toBe(0)
  } finally {
    await client.close()
    await server.close()
  }
})
