// Stub runners and the control API of the emulated Gitea, as tests and users drive them.
import type { Answer, Method } from '@dayfly/kit/http'
import { beforeEach, expect, test } from 'vitest'
import { field, list, sender, type TestServer, testServer } from './test-client.fixture.ts'

let server: TestServer

beforeEach(() => {
  server = testServer()
})

const place = '/repos/acme/app'
const control = () => server.emulator.control
const register = (name: string, labels: readonly string[] = ['linux'], more: object = {}) =>
  server.register(place, name, { labels, ...more })
const queue = (more: object = {}) =>
  control().queueJobs([{ repository: 'acme/app', labels: ['linux'], ...more }])[0] ?? ''
const status = (id: string) => control().job(id)?.status

test('a stub takes a waiting job as soon as it is online, and its end takes the registration', async () => {
  await register('r-1')
  const id = queue()
  expect([control().stub.online('none'), control().stub.online('r-1')]).toEqual([false, true])
  expect(control().stub.online('r-1')).toBe(false)
  expect(control().runner('r-1')).toMatchObject({ status: 'idle', job: id, jobs: 1, place: 'acme/app' })
  expect(control().stub.finish('r-1', 'failure')).toBe(true)
  expect([status(id), control().runners(), control().stub.finish('r-1', 'success')]).toEqual(['failure', [], false])
})

test('an idle stub asks in its interval, and a job without one is taken by the next that comes', async () => {
  await register('r-1')
  control().stub.online('r-1')
  await server.clock.advance(1_500)
  const [first, second] = [queue(), queue()]
  expect(status(first)).toBe('waiting')
  await server.clock.advance(500)
  expect([status(first), status(second)]).toEqual(['running', 'waiting'])
  await register('r-2')
  control().stub.online('r-2')
  expect(status(second)).toBe('running')
})

test('an idle stub takes each job at once if the interval is 0', async () => {
  control().knobs({ pickUpMs: 0 })
  await register('r-1', ['linux'], { ephemeral: false })
  control().stub.online('r-1')
  const [first, second] = [queue(), queue()]
  expect([status(first), status(second)]).toEqual(['running', 'waiting'])
  control().stub.finish('r-1', 'success')
  expect([status(second), control().runner('r-1')?.jobs]).toEqual(['running', 2])
})

test('a job with a duration ends by itself with its result', async () => {
  await register('r-1')
  control().stub.online('r-1')
  const id = queue({ durationMs: 5_000, result: 'failure' })
  await server.clock.advance(6_999)
  expect(status(id)).toBe('running')
  await server.clock.advance(1)
  expect([status(id), control().runners()]).toEqual(['failure', []])
})

test.each([
  ['is deleted', (id: number) => server.rest('DELETE', `${place}/actions/runners/${id}`)],
  ['is disabled', (id: number) => server.rest('PATCH', `${place}/actions/runners/${id}`, { disabled: true })],
  ['vanishes', async () => void control().stub.vanish('r-1')],
])('another stub takes the job if the one that was about to take it %s', async (_, change) => {
  const { id } = await register('r-1')
  await register('r-2')
  for (const name of ['r-1', 'r-2']) control().stub.online(name)
  const job = queue()
  await change(id)
  await server.clock.advance(4_000)
  expect(control().job(job)).toMatchObject({ status: 'running', runner: 'r-2' })
})

test('a disabled stub takes no job until it is enabled', async () => {
  const { id } = await register('r-1')
  const disable = (disabled: boolean) => server.rest('PATCH', `${place}/actions/runners/${id}`, { disabled })
  await disable(true)
  control().stub.online('r-1')
  const job = queue()
  await server.clock.advance(10_000)
  expect(status(job)).toBe('waiting')
  await disable(false)
  expect(status(job)).toBe('running')
})

test('an idle stub stays online, and a busy one shows as busy from its first report', async () => {
  await register('r-1')
  control().stub.online('r-1')
  await server.clock.advance(3_600_000)
  expect(control().runner('r-1')?.status).toBe('idle')
  queue()
  await server.clock.advance(2_000)
  expect(control().runner('r-1')).toMatchObject({ status: 'idle', jobs: 1 })
  await server.clock.advance(5_000)
  expect(control().runner('r-1')?.status).toBe('active')
  await server.clock.advance(3 * 3_600_000 - 10_000)
  expect(control().runner('r-1')?.status).toBe('active')
})

test('a stub that never reports is never busy, goes offline, and loses its job', async () => {
  control().knobs({ reportMs: 0 })
  await register('r-1')
  control().stub.online('r-1')
  const id = queue()
  await server.clock.advance(30_000)
  expect(control().runner('r-1')).toMatchObject({ status: 'idle', job: id })
  await server.clock.advance(60_000)
  expect(control().runner('r-1')).toMatchObject({ status: 'offline', job: id })
  await server.clock.advance(15 * 60_000)
  expect([status(id), control().runners()]).toEqual(['failure', []])
})

test('a stub that vanishes keeps its job and its registration until the server gives both up', async () => {
  await register('r-1')
  control().stub.online('r-1')
  const id = queue({ durationMs: 60_000 })
  await server.clock.advance(20_000)
  expect([control().stub.vanish('r-1'), control().stub.vanish('r-1')]).toEqual([true, false])
  await server.clock.advance(61_000)
  expect(control().runner('r-1')).toMatchObject({ status: 'offline', job: id })
  expect(control().stub.online('r-1')).toBe(true)
  await server.clock.advance(1_000)
  expect(control().runner('r-1')).toMatchObject({ status: 'idle', job: id, jobs: 1 })
  await server.clock.advance(15 * 60_000)
  expect([status(id), control().runners()]).toEqual(['failure', []])
})

test('a cancelled job ends on its stub, and a job that waits for it is taken', async () => {
  await register('r-1', ['linux'], { ephemeral: false })
  control().stub.online('r-1')
  const [first, second] = [queue({ durationMs: 60_000 }), queue()]
  await server.clock.advance(2_000)
  expect([control().cancelJob(first), control().cancelJob(first), control().cancelJob('99')]).toEqual([
    true,
    false,
    false,
  ])
  expect([status(first), status(second)]).toEqual(['cancelled', 'running'])
})

test('a runner is found by its UUID, its id or its name, and of two with one name the older one', async () => {
  const [one, other] = [await register('r-1'), await register('r-1')]
  expect(control().runner('r-1')?.id).toBe(one.id)
  expect(control().runner(other.uuid)?.id).toBe(other.id)
  expect(control().runner(String(other.id))?.uuid).toBe(other.uuid)
  await server.rest('DELETE', `${place}/actions/runners/${one.id}`)
  expect([control().runner('r-1')?.id, control().runner(one.uuid)]).toEqual([other.id, undefined])
})

function call(method: Method, url: string, body?: unknown): Promise<Answer> {
  return sender(server.emulator.transport)(method, url, body)
}

test('the control API queues jobs, drives runners, and shows the state without secrets', async () => {
  const runner = await register('r-1')
  const queued = await call('POST', '/_emulator/jobs', { count: 2, labels: ['linux'], steps: [{ run: 'make' }] })
  expect(queued.body).toMatchObject({ value: [{ id: '1', status: 'waiting' }, { id: '2' }] })
  expect((await call('POST', '/_emulator/runners/r-1/online')).status).toBe(204)
  expect((await call('POST', '/_emulator/runners/r-1/finish', { result: 'cancelled' })).status).toBe(204)
  expect((await call('POST', '/_emulator/runners/r-1/vanish')).status).toBe(404)
  expect((await call('POST', '/_emulator/jobs/1/rerun')).status).toBe(204)
  expect((await call('POST', '/_emulator/jobs/2/cancel')).status).toBe(204)
  expect((await call('GET', '/_emulator/jobs/2/log')).body).toEqual({ kind: 'json', value: { lines: [] } })
  expect((await call('PUT', '/_emulator/knobs', { pageMax: 9 })).status).toBe(204)
  const state = await call('GET', '/_emulator/state')
  expect(state.body).toMatchObject({
    value: {
      knobs: { pageMax: 9 },
      owners: [{ name: 'acme', repositories: [{ name: 'acme/app' }, { name: 'acme/site' }] }, {}, {}, {}],
      runners: [],
      jobs: [
        { id: '1', status: 'waiting', attempt: 1 },
        { id: '2', status: 'cancelled' },
      ],
    },
  })
  expect(JSON.stringify(state.body)).not.toContain(runner.token)
  expect((await call('POST', '/_emulator/reset')).status).toBe(204)
  expect((await call('GET', '/_emulator/state')).body).toMatchObject({ value: { runners: [], jobs: [] } })
  expect((await call('POST', '/_emulator/jobs')).body).toMatchObject({ value: [{ id: '1' }] })
})

test('the control API changes repositories, tokens and times', async () => {
  const posted = async (url: string, body?: object) => (await call('POST', url, body)).status
  const runner = await register('r-1')
  expect(await posted('/_emulator/repositories/acme/app/rename', { name: 'web' })).toBe(204)
  expect(await posted('/_emulator/repositories/acme/web/archive')).toBe(204)
  expect(await posted('/_emulator/repositories/acme/web/disable-actions')).toBe(204)
  expect(await posted('/_emulator/reset-registration-token', { place: 'acme/web' })).toBe(204)
  expect(await posted('/_emulator/cron/stop_zombie_tasks')).toBe(204)
  expect(await posted('/_emulator/revoke', { token: 'admin' })).toBe(204)
  expect((await server.rest('GET', '/version')).status).toBe(401)
  expect((await call('DELETE', '/_emulator/repositories/acme/web')).status).toBe(204)
  expect((await server.rpc('FetchTask', {}, runner)).status).toBe(500)
})

test('the control API runs a workflow file in a repository of choice', async () => {
  const text =
    'on: push\njobs:\n  a: {runs-on: linux, steps: [{run: echo}]}\n  b: {needs: a, runs-on: x, steps: [{run: a}]}\n'
  const started = await call('POST', '/_emulator/workflows?repository=joe/own', text)
  expect(started).toMatchObject({
    status: 201,
    body: { value: { id: 1, jobs: [{ id: '1', name: 'a', status: 'waiting' }, { status: 'blocked' }] } },
  })
  expect(list(await server.rest('GET', '/repos/joe/own/actions/jobs'), 'jobs').length).toBe(2)
})

const matrix = 'on: push\njobs: {a: {runs-on: x, strategy: {matrix: "${{ fromJSON(needs) }}"}, steps: [{run: a}]}}\n'

test.each([
  ['POST', '/_emulator/jobs', { repository: 'none/none' }, 404, 'repository'],
  ['POST', '/_emulator/jobs', { count: 0 }, 400, 'count'],
  ['POST', '/_emulator/workflows', 'jobs: [', 400, ''],
  ['POST', '/_emulator/workflows', matrix, 400, 'fromJSON(needs)'],
  ['POST', '/_emulator/workflows?repository=none', matrix, 404, 'repository'],
  ['POST', '/_emulator/jobs/9/cancel', undefined, 404, ''],
  ['POST', '/_emulator/jobs/9/rerun', undefined, 404, ''],
  ['GET', '/_emulator/jobs/9/log', undefined, 404, 'job'],
  ['PUT', '/_emulator/knobs', { dialect: 'gitea-1.0' }, 400, 'dialect'],
  ['PUT', '/_emulator/knobs', { rootPath: 'git' }, 400, 'rootPath'],
  ['POST', '/_emulator/cron/none', undefined, 404, 'cron task'],
  ['POST', '/_emulator/runners/r-1/finish', { result: 'none' }, 400, 'result'],
  ['DELETE', '/_emulator/repositories/none/none', undefined, 404, 'repository'],
  ['POST', '/_emulator/reset-registration-token', { place: 'none' }, 404, 'place'],
] as const)('%s %s %o is refused with %i', async (method, url, body, expected, word) => {
  const answer = await call(method, url, body)
  expect(answer.status).toBe(expected)
  expect(String(field(answer, 'error'))).toContain(word)
})
