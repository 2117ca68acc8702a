// The runner protocol of the emulated Gitea: errors as sentences, registration, versions of tasks, reports and logs.
import type { Answer } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { field, list, type RegisteredRunner, type TestServer, testServer } from './test-client.fixture.ts'

const jobs = '/repos/acme/app/actions/jobs'
const unregistered = 'rpc error: code = Unauthenticated desc = unregistered runner'

/** A server with one waiting job and one runner for it. */
async function withRunner(more: object = {}) {
  const server = testServer()
  const runner = await server.register('/repos/acme/app', 'r-1', more)
  const [job = ''] = server.emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  return { ...server, runner, job, status: () => server.emulator.control.job(job)?.status }
}

async function take({ rpc }: Pick<TestServer, 'rpc'>, runner: RegisteredRunner): Promise<string> {
  return String(field(await rpc('FetchTask', {}, runner), 'task.id'))
}

test.each([
  ['Register', {}, 'missing runner token, name'],
  ['Register', { name: 'r' }, 'missing runner token, name'],
  ['Register', { name: 'r', token: 'wrong' }, 'runner registration token not found'],
  ['Declare', {}, unregistered],
  ['FetchTask', {}, unregistered],
  ['UpdateTask', {}, unregistered],
  ['UpdateLog', {}, unregistered],
] as const)(
  '%s with %o and without a credential is HTTP 500 with the sentence %o',
  async (method, message, sentence) => {
    expect(await testServer().rpc(method, message)).toMatchObject({
      status: 500,
      body: { value: { code: 'unknown', message: sentence } },
    })
  },
)

test.each([
  ['a wrong token', (runner: RegisteredRunner) => ({ ...runner, token: 'wrong' })],
  ['a wrong UUID', (runner: RegisteredRunner) => ({ ...runner, uuid: 'wrong' })],
])('%s of a runner is refused and does not make it online', async (_, change) => {
  const { rpc, runner, emulator } = await withRunner()
  expect(field(await rpc('FetchTask', {}, change(runner)), 'message')).toBe(unregistered)
  expect(emulator.control.runners()).toMatchObject([{ status: 'offline' }])
})

test.each([
  ['FetchTask', '{bad', 400],
  ['FetchTask', [], 400],
  ['Register', { name: 5 }, 400],
  ['UpdateTask', { state: { id: 'x' } }, 400],
  ['UpdateTask', { state: { stoppedAt: 'yesterday' } }, 400],
  ['UpdateTask', { state: { result: 'RESULT_UNKNOWN' } }, 400],
  ['Fetch', {}, 404],
] as const)('%s with the body %o gets %i', async (method, body, status) => {
  expect((await testServer().rpc(method, body)).status).toBe(status)
})

const send = ({ emulator }: TestServer, path: string, method: 'GET' | 'POST', type?: string): Promise<Answer> =>
  emulator.transport({
    ...{ method, path: `/api/actions/${path}`, query: {}, expect: 'whole' },
    headers: type === undefined ? {} : { 'content-type': type },
    body: method === 'GET' ? { kind: 'none' } : { kind: 'json', value: { data: 'x' } },
  })

test.each([
  ['ping.v1.PingService/Ping', 'POST', undefined, 200],
  ['ping.v1.PingService/Ping', 'POST', 'application/json; charset=utf-8', 200],
  ['ping.v1.PingService/Ping', 'POST', 'text/plain', 415],
  ['runner.v1.RunnerService/FetchTask', 'POST', 'application/connect+json', 415],
  ['runner.v1.RunnerService/FetchTask', 'GET', undefined, 405],
] as const)('%s by %s with the type %o gets %i', async (path, method, type, status) => {
  const answer = await send(testServer(), path, method, type)
  expect(answer.status).toBe(status)
  if (status === 200) expect(answer.body).toMatchObject({ value: { data: 'Hello, x!' } })
})

test('a call without a body is no message', async () => {
  const { emulator } = testServer()
  const path = '/api/actions/runner.v1.RunnerService/Register'
  const body = { kind: 'none' } as const
  const answer = await emulator.transport({ method: 'POST', path, query: {}, headers: {}, body, expect: 'whole' })
  expect([answer.status, field(answer, 'code')]).toEqual([400, 'invalid_argument'])
})

test('the registration token is the same until it is reset, and each use makes a runner of its level', async () => {
  const { rest, rpc, emulator } = testServer()
  const get = async () => String(field(await rest('POST', '/orgs/acme/actions/runners/registration-token'), 'token'))
  const token = await get()
  expect([token.length, await get()]).toEqual([40, token])
  const register = (name: string, given: string) =>
    rpc('Register', { name, token: given, labels: ['a'], version: 'v', ephemeral: true, unknown: 1 })
  expect((await register('r-1', token)).body).toEqual({
    kind: 'json',
    value: {
      runner: {
        id: '1',
        uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        token: expect.stringMatching(/^[0-9a-f]{40}$/),
        name: 'r-1',
        version: 'v',
        labels: ['a'],
        ephemeral: true,
      },
    },
  })
  emulator.control.resetRegistrationToken('acme')
  expect(field(await register('r-2', token), 'message')).toContain('has been invalidated, please use the latest one')
  expect((await register('r-2', await get())).status).toBe(200)
  expect(emulator.control.runners().map(({ place }) => place)).toEqual(['acme', 'acme'])
})

test('a message lacks the members that have their default value', async () => {
  const { rpc, rest } = testServer()
  const token = field(await rest('POST', '/user/actions/runners/registration-token'), 'token')
  const answer = await rpc('Register', { name: 'r', token, labels: null, ephemeral: false })
  expect(Object.keys(Object(field(answer, 'runner'))).sort()).toEqual(['id', 'name', 'token', 'uuid'])
})

test('a declaration replaces the labels and shows no token', async () => {
  const { rpc, rest, runner, status } = await withRunner()
  const declared = await rpc('Declare', { version: 'v2', labels: ['other'] }, runner)
  expect(field(declared, 'runner')).toEqual({
    id: '1',
    uuid: runner.uuid,
    name: 'r-1',
    version: 'v2',
    labels: ['other'],
  })
  const labels = list(await rest('GET', `/repos/acme/app/actions/runners/${runner.id}`), 'labels')
  expect(labels).toEqual([{ id: 0, name: 'other', type: 'custom' }])
  expect(field(await rpc('FetchTask', {}, runner), 'task')).toBeUndefined()
  expect(status()).toBe('waiting')
})

test('a runner that sends the current version of tasks gets none, even if a job matches', async () => {
  const { rpc, runner, emulator } = await withRunner({ labels: ['other'] })
  const first = await rpc('FetchTask', { tasksVersion: '0' }, runner)
  expect(first.body).toEqual({ kind: 'json', value: { tasksVersion: '1' } })
  await rpc('Declare', { labels: ['linux'] }, runner)
  expect((await rpc('FetchTask', { tasksVersion: '1' }, runner)).body).toEqual(first.body)
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  const next = await rpc('FetchTask', { tasksVersion: 1 }, runner)
  expect([field(next, 'tasksVersion'), field(next, 'task.id')]).toEqual(['2', '1'])
})

test('each level counts its own version: jobs that become ready, and changes of a cordon', async () => {
  const { rest, rpc, register, emulator } = testServer()
  const places = ['/admin', '/orgs/acme', '/orgs/other', '/repos/acme/app', '/repos/acme/site']
  const all = await Promise.all(places.map((place) => register(place, place, { labels: [] })))
  const versions = () =>
    Promise.all(all.map(async (runner) => field(await rpc('FetchTask', { tasksVersion: '0' }, runner), 'tasksVersion')))
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['none'] }])
  expect(await versions()).toEqual(['1', '1', '1', '1', '1'])
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['none'] }])
  expect((await versions()).slice(0, 1)).toEqual(['4'])
  expect((await versions()).slice(1)).toEqual(['2', '1', '2', '1'])
  const cordon = `/repos/acme/site/actions/runners/${all[4]?.id}`
  for (const disabled of [true, true]) await rest('PATCH', cordon, { disabled })
  expect(await versions()).toEqual(['5', '2', '1', '2', '2'])
})

test('the task has one job as a workflow, the context of the run, and two secrets', async () => {
  const { rpc, runner, emulator } = await withRunner()
  const task = Object(field(await rpc('FetchTask', {}, runner), 'task'))
  expect(Object.keys(task).sort()).toEqual(['context', 'id', 'secrets', 'workflowPayload'])
  expect(Buffer.from(task.workflowPayload, 'base64').toString()).toBe(
    'name: job\non: push\njobs:\n  job:\n    name: job\n    runs-on:\n      - linux\n    steps:\n      - run: sleep infinity\n',
  )
  expect(Object.keys(task.context).length).toBe(36)
  expect(task.context).toMatchObject({
    repository: 'acme/app',
    run_id: '1',
    run_number: '1',
    run_attempt: '1',
    server_url: 'http://127.0.0.1/',
    api_url: 'http://127.0.0.1/api/v1',
    ref: 'refs/heads/main',
    gitea_runtime_token: expect.stringMatching(/^\w+\.\w+\.\w+$/),
  })
  expect(task.secrets).toEqual({ GITEA_TOKEN: task.context.token, GITHUB_TOKEN: task.context.token })
  expect(emulator.control.runners()).toMatchObject([{ job: '1', jobs: 1 }])
})

test('an ephemeral runner gets one task, and never the same one again after a lost response', async () => {
  const { rpc, runner, emulator, status } = await withRunner()
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  emulator.control.fault({ match: { pathRegex: 'FetchTask' }, action: { kind: 'reset', when: 'after' } })
  await expect(rpc('FetchTask', {}, runner)).rejects.toThrow('connection reset')
  expect(status()).toBe('running')
  expect((await rpc('FetchTask', {}, runner)).body).toMatchObject({ value: { tasksVersion: '2' } })
  expect(emulator.control.runners()).toMatchObject([{ job: '1', jobs: 1 }])
})

test('a persistent runner stays after its task, and learns the result of a task that has ended', async () => {
  const { rpc, runner, emulator, job, status } = await withRunner({ ephemeral: false })
  const id = await take({ rpc }, runner)
  const report = (more: object = {}) => rpc('UpdateTask', { state: { id, ...more } }, runner)
  expect((await report()).body).toEqual({ kind: 'json', value: { state: { id } } })
  emulator.control.cancelJob(job)
  expect((await report()).body).toEqual({ kind: 'json', value: { state: { id, result: 'RESULT_CANCELLED' } } })
  expect(field(await report({ result: 'RESULT_SUCCESS' }), 'state.result')).toBe('RESULT_CANCELLED')
  expect(status()).toBe('cancelled')
  expect(emulator.control.runners()).toMatchObject([{ job: undefined, jobs: 1 }])
})

test('a cancelled job takes the registration of its ephemeral runner', async () => {
  const { rpc, runner, emulator, job } = await withRunner()
  const id = await take({ rpc }, runner)
  emulator.control.cancelJob(job)
  expect(field(await rpc('UpdateTask', { state: { id } }, runner), 'message')).toBe(unregistered)
  expect(emulator.control.runners()).toEqual([])
})

test.each([
  ['RESULT_SUCCESS', 'success'],
  [2, 'failure'],
  ['RESULT_CANCELLED', 'cancelled'],
  ['RESULT_SKIPPED', 'skipped'],
])('a report with the result %o ends the job as %o', async (result, conclusion) => {
  const { rpc, runner, rest, job } = await withRunner()
  const id = Number(await take({ rpc }, runner))
  await rpc('UpdateTask', { state: { id, result } }, runner)
  expect((await rest('GET', `${jobs}/${job}`)).body).toMatchObject({ value: { status: 'completed', conclusion } })
})

test('the end of a job is the time of the runner, and the beginning of 1970 without one', async () => {
  for (const [stoppedAt, shown] of [
    ['2020-02-03T04:05:06.789+01:00', '2020-02-03T03:05:06Z'],
    [undefined, '1970-01-01T00:00:00Z'],
  ]) {
    const { rpc, runner, rest, job } = await withRunner()
    const id = await take({ rpc }, runner)
    await rpc('UpdateTask', { state: { id, result: 'RESULT_SUCCESS', stoppedAt } }, runner)
    expect(field(await rest('GET', `${jobs}/${job}`), 'completed_at')).toBe(shown)
  }
})

test('a report about the task of another runner, or about none, is refused', async () => {
  const { rpc, runner, register, status } = await withRunner()
  const id = await take({ rpc }, runner)
  const other = await register('/repos/acme/app', 'r-2')
  const message = async (method: string, body: object) => field(await rpc(method, body, other), 'message')
  const internal = 'rpc error: code = Internal desc ='
  const rows = [{ content: 'x' }]
  const done = { id, result: 'RESULT_SUCCESS' }
  expect(await message('UpdateTask', { state: done })).toBe(`${internal} update task: invalid runner for task`)
  expect(await message('UpdateTask', {})).toBe(`${internal} update task: resource does not exist`)
  expect(await message('UpdateLog', { taskId: id, rows })).toBe(`${internal} invalid runner for task`)
  expect(await message('UpdateLog', { taskId: '9', rows })).toContain('get task: task with id 9')
  expect(status()).toBe('running')
})

test('outputs are acknowledged, the first value stays, and those that are too long are ignored', async () => {
  const { rpc, runner } = await withRunner({ ephemeral: false })
  const id = await take({ rpc }, runner)
  const report = async (outputs: object) =>
    field(await rpc('UpdateTask', { state: { id }, outputs }, runner), 'sentOutputs')
  expect(await report({ a: '1', ['k'.repeat(256)]: 'x', big: 'x'.repeat(1024 * 1024 + 1) })).toEqual(['a'])
  expect(await report({ a: '2', b: '' })).toEqual(['a', 'b'])
})

test('a log takes rows after the acknowledged ones, and none once it is archived', async () => {
  const { rpc, runner, rest, job, emulator } = await withRunner()
  const taskId = await take({ rpc }, runner)
  expect((await rest('GET', `${jobs}/${job}/logs`)).status).toBe(500)
  const log = async (index: number, contents: readonly string[], noMore = false) => {
    const rows = contents.map((content) => ({ time: '2026-01-02T03:04:05.678Z', content }))
    const answer = await rpc('UpdateLog', { taskId, index, rows, noMore }, runner)
    return field(answer, 'ackIndex') ?? field(answer, 'message')
  }
  expect(await log(0, ['one', 'two'])).toBe('2')
  expect(await log(1, ['two', 'three'])).toBe('3')
  for (const index of [0, 5]) expect(await log(index, ['again'])).toBe('3')
  expect(await log(3, [], true)).toBe('3')
  expect(await log(3, ['four'], true)).toBe('4')
  expect(await log(4, ['late'])).toBe('rpc error: code = AlreadyExists desc = log file has been archived')
  const lines = ['one', 'two', 'three', 'four'].map((line) => `2026-01-02T03:04:05.6780000Z ${line}`)
  expect(emulator.control.jobLog(job)).toEqual(lines)
  expect((await rest('GET', `${jobs}/${job}/logs`)).body).toEqual({ kind: 'text', text: `${lines.join('\n')}\n` })
})
