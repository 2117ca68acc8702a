// Faults, latency and the request log, on plain values and over real HTTP.
import { connect } from 'node:net'
import type { Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { FaultSpec } from '../server/faults.ts'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { scriptJob } from './script-job.ts'
import { connectClient, field, jobsOf, queueOf, type TestClient } from './test-client.fixture.ts'

let clock: VirtualClock
let emulator: GitHubEmulator
let github: TestClient

beforeEach(async () => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1) })
  github = await connectClient(emulator.transport)
})

afterEach(() => emulator.close())

const sets = '_apis/runtime/runnerscalesets'

function fault(action: FaultSpec['action'], more: Partial<FaultSpec> = {}): number {
  return emulator.control.fault({ match: { method: 'GET', pathRegex: '/runnerscalesets$' }, action, ...more })
}

test('a fault applies from the nth matching request on, `times` times, and to no other request', async () => {
  fault({ kind: 'answer', status: 503 }, { nth: 2, times: 2 })
  const statuses: number[] = []
  for (let call = 0; call < 4; call++) statuses.push((await github.admin('GET', sets)).status)
  expect(statuses).toEqual([200, 503, 503, 200])
  fault({ kind: 'answer', status: 500 })
  expect((await github.admin('GET', `${sets}/7`)).status).toBe(404)
})

test('a removed fault no longer applies', async () => {
  const id = fault({ kind: 'answer', status: 503 })
  expect(emulator.control.removeFault(id)).toBe(true)
  expect(emulator.control.removeFault(id)).toBe(false)
  expect((await github.admin('GET', sets)).status).toBe(200)
})

test('a fixed response may be an exception, plain text, HTML, empty, or a rate limit with Retry-After', async () => {
  const html = { 'content-type': 'text/html' }
  fault({ kind: 'answer', status: 400, body: { typeName: 'JobStillRunningException', message: 'busy' } })
  expect(field(await github.admin('GET', sets), 'typeName')).toBe('JobStillRunningException')
  fault({ kind: 'answer', status: 502, text: '<html>', headers: html })
  expect((await github.admin('GET', sets)).body).toEqual({ kind: 'text', text: '<html>' })
  fault({ kind: 'answer', status: 429, headers: { 'Retry-After': '2' } })
  expect(await github.admin('GET', sets)).toMatchObject({ headers: { 'retry-after': '2' }, body: { kind: 'none' } })
})

const create = { match: { method: 'POST', pathRegex: '/runnerscalesets$' } }

test.each([
  ['before', 0],
  ['after', 1],
  ['mid-body', 1],
] as const)('a reset "%s" loses the response; the scale sets that exist then: %i', async (when, count) => {
  fault({ kind: 'reset', when }, create)
  await expect(github.admin('POST', sets, { name: 'linux', labels: [] })).rejects.toMatchObject({ kind: 'lost' })
  expect(field(await github.admin('GET', sets), 'count')).toBe(count)
  expect(emulator.control.requests().at(-2)?.status).toBe('broken')
})

/** Creates a scale set over a raw socket. Returns every byte that arrives before the connection ends. */
async function createRaw(port: number): Promise<string> {
  const body = '{"name":"linux","labels":[]}'
  const socket = connect(port, '127.0.0.1')
  let bytes = ''
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      bytes += chunk
    })
  const authorization = `authorization: Bearer ${github.adminToken}`
  const head = `POST /tenant/my-org/${sets} HTTP/1.1\r\nhost: x\r\n${authorization}\r\ncontent-type: application/json`
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await new Promise((resolve) => socket.on('close', resolve))
  return bytes
}

test.each([
  ['before', 0],
  ['after', 1],
] as const)(
  'over HTTP a reset "%s" sends no byte of the response; the scale sets that exist then: %i',
  async (when, count) => {
    const server = await emulator.listen(0)
    onTestFinished(() => server.close())
    fault({ kind: 'reset', when }, create)
    expect(await createRaw(server.port)).toBe('')
    expect(field(await github.admin('GET', sets), 'count')).toBe(count)
  },
)

test('over HTTP a reset "mid-body" carries the request out, and sends the head and half of the body', async () => {
  const server = await emulator.listen(0)
  onTestFinished(() => server.close())
  fault({ kind: 'reset', when: 'mid-body' }, create)
  const bytes = await createRaw(server.port)
  expect(bytes).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(bytes).toContain('content-type: application/json\r\n')
  expect(bytes).toContain('"name":"linux"')
  expect(bytes, 'the last chunk is missing').not.toContain('\r\n0\r\n')
  expect(field(await github.admin('GET', sets), 'count')).toBe(1)
})

test('a reset "mid-body" leaves a response without a body whole', async () => {
  fault({ kind: 'reset', when: 'mid-body' }, { match: { method: 'DELETE', pathRegex: '/agents/1$' } })
  expect((await github.admin('DELETE', '_apis/distributedtask/pools/0/agents/1')).status).toBe(204)
})

test('a body is cut in half, dropped, or changed by a byte order mark or other members', async () => {
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

test('a delay and the latency run on the given clock; the control API has no latency', async () => {
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

test('a client that disconnects in mid-poll loses no message', async () => {
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

test('over HTTP a killed client ends its held poll, and its session expires on the clock of the emulator', async () => {
  const server = await emulator.listen(0)
  onTestFinished(() => server.close())
  const set = await github.scaleSet('linux')
  const queue = queueOf(await github.session(set))
  const polling = async () =>
    field(await emulator.handler({ ...get(), path: '/_emulator/state' }), 'scaleSets.0.session.polling')
  const socket = connect(server.port, '127.0.0.1')
  const headers = `host: x\r\nauthorization: Bearer ${queue.token}\r\nx-scalesetmaxcapacity: 10`
  socket.write(`GET ${new URL(queue.url).pathname} HTTP/1.1\r\n${headers}\r\n\r\n`)
  await expect.poll(polling).toBe(true)
  socket.destroy()
  await expect.poll(polling).toBe(false)
  expect((await github.session(set)).status).toBe(409)
  await clock.advance(60_000)
  expect((await github.session(set)).status).toBe(200)
})

test('every response has both correlation ids, and the log contains no token', async () => {
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

test('over HTTP a reset is a broken connection, and a byte order mark is sent', async () => {
  const server = await emulator.listen(0)
  const client = httpClient({ origin: server.origin })
  try {
    const over = await connectClient(client.transport)
    fault({ kind: 'reset', when: 'after' })
    await expect(over.admin('GET', sets)).rejects.toMatchObject({ kind: 'lost' })
    emulator.control.knobs({ bom: true })
    expect(field(await over.admin('GET', sets), 'count')).toBe(0)
  } finally {
    await client.close()
    await server.close()
  }
})
