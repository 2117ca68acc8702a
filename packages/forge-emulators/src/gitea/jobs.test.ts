// The job that a runner gets, and how it ends: labels, levels, order, deletion, the timeouts of the server.
import { beforeEach, expect, test } from 'vitest'
import { field, type RegisteredRunner, type TestServer, testServer } from './test-client.fixture.ts'

let server: TestServer

beforeEach(() => {
  server = testServer()
})

const queue = (labels: readonly string[], repository = 'acme/app') =>
  server.emulator.control.queueJobs([{ repository, labels }])[0] ?? ''
const job = (id: string) => server.emulator.control.job(id)
const fetchTask = (runner: RegisteredRunner) => server.rpc('FetchTask', {}, runner)
const register = (place: string, labels: readonly string[], more: object = {}) =>
  server.register(place, 'r', { labels, ...more })

test.each([
  [[], ['linux'], true],
  [[], [], true],
  [['linux'], ['linux', 'gpu'], true],
  [['linux', 'gpu'], ['linux'], false],
  [['Linux'], ['linux'], false],
  [['linux'], ['linux:docker://node:20'], false],
  [[''], ['linux'], false],
])('a job with the labels %o and a runner with %o match: %o', async (labels, own, isTaken) => {
  const id = queue(labels)
  await fetchTask(await register('/repos/acme/app', own))
  expect(job(id)?.status).toBe(isTaken ? 'running' : 'waiting')
})

test.each([
  ['/admin', ['acme/app', 'acme/site', 'other/tool', 'joe/own']],
  ['/orgs/acme', ['acme/app', 'acme/site']],
  ['/repos/acme/site', ['acme/site']],
  ['/user', []],
])('a runner of %s takes jobs of %o', async (place, served) => {
  const repositories = ['acme/app', 'acme/site', 'other/tool', 'joe/own']
  const ids = repositories.map((repository) => queue(['linux'], repository))
  for (let index = 0; index < ids.length; index++) await fetchTask(await register(place, ['linux']))
  const taken = repositories.filter((_, index) => job(ids[index] ?? '')?.status === 'running')
  expect(taken).toEqual(served)
})

test('a runner takes the oldest job of all its labels, and a job that is queued again is the youngest', async () => {
  const ids = [queue(['linux']), queue(['gpu']), queue(['linux'])]
  const runner = await register('/repos/acme/app', ['linux', 'gpu'], { ephemeral: false })
  const takes = async () => String(field(await fetchTask(runner), 'task.context.run_id'))
  expect(await takes()).toBe(ids[0])
  await server.rpc('UpdateTask', { state: { id: '1', result: 'RESULT_FAILURE' } }, runner)
  await server.clock.advance(1_000)
  expect(server.emulator.control.rerunJob(ids[0] ?? '')).toBe(true)
  expect(job(ids[0] ?? '')).toMatchObject({ status: 'waiting', attempt: 1, runner: undefined })
  expect([await takes(), await takes(), await takes()]).toEqual([ids[1], ids[2], ids[0]])
  expect(job(ids[0] ?? '')?.attempt).toBe(2)
})

test('jobs that became ready in the same second are taken in the order of their ids', async () => {
  const [first, second] = [queue(['linux']), queue(['linux'])]
  server.emulator.control.cancelJob(first)
  server.emulator.control.rerunJob(first)
  await fetchTask(await register('/repos/acme/app', ['linux']))
  expect([job(first)?.status, job(second)?.status]).toEqual(['running', 'waiting'])
})

test('an archived repository hands out its jobs, and one without Actions only to its own runners', async () => {
  const { control } = server.emulator
  control.archive('acme/app')
  control.disableActions('acme/site')
  const ids = [queue(['linux']), queue(['linux'], 'acme/site')]
  const ofOwner = await register('/orgs/acme', ['linux'], { ephemeral: false })
  for (let index = 0; index < 2; index++) await fetchTask(ofOwner)
  expect(ids.map((id) => job(id)?.status)).toEqual(['running', 'waiting'])
  expect(field(await server.rest('GET', '/repos/acme/site/actions/jobs?status=queued'), 'total_count')).toBe(1)
  await fetchTask(await register('/repos/acme/site', ['linux']))
  expect(job(ids[1] ?? '')?.status).toBe('running')
})

test('a runner that is disabled after it took a job finishes it, and then is gone', async () => {
  const id = queue(['linux'])
  const runner = await register('/repos/acme/app', ['linux'])
  const task = field(await fetchTask(runner), 'task.id')
  await server.rest('PATCH', `/repos/acme/app/actions/runners/${runner.id}`, { disabled: true })
  await server.rpc('UpdateTask', { state: { id: task, result: 'RESULT_SUCCESS' } }, runner)
  expect([job(id)?.status, server.emulator.control.runners()]).toEqual(['success', []])
})

test('the job of a deleted runner hangs, no other runner gets it, and the server gives it up after ten minutes', async () => {
  const id = queue(['linux'])
  const runner = await register('/repos/acme/app', ['linux'])
  await fetchTask(runner)
  expect((await server.rest('DELETE', `/repos/acme/app/actions/runners/${runner.id}`)).status).toBe(204)
  expect(field(await fetchTask(runner), 'message')).toContain('unregistered runner')
  await fetchTask(await register('/repos/acme/app', ['linux']))
  expect(job(id)).toMatchObject({ status: 'running', runner: 'r' })
  const shown = await server.rest('GET', `/repos/acme/app/actions/jobs/${id}`)
  expect(shown.body).toMatchObject({ value: { runner_id: runner.id, runner_name: 'r' } })
  await server.clock.advance(10 * 60_000)
  expect(job(id)?.status).toBe('running')
  await server.clock.advance(5 * 60_000)
  expect(job(id)?.status).toBe('failure')
})

test('a silent runner loses its job and its registration, and a report in time keeps both', async () => {
  const id = queue(['linux'])
  const runner = await register('/repos/acme/app', ['linux'])
  const task = field(await fetchTask(runner), 'task.id')
  await server.clock.advance(9 * 60_000)
  await server.rpc('UpdateLog', { taskId: task, index: 0, rows: [{ content: 'x' }] }, runner)
  await server.clock.advance(9 * 60_000)
  await server.rpc('UpdateTask', { state: { id: task } }, runner)
  await server.clock.advance(9 * 60_000)
  expect(job(id)?.status).toBe('running')
  await server.clock.advance(6 * 60_000)
  expect([job(id)?.status, server.emulator.control.runners()]).toEqual(['failure', []])
})

test.each([
  ['stop_zombie_tasks', { zombieMs: 3_000 }, 'failure'],
  ['stop_endless_tasks', { endlessMs: 3_000 }, 'failure'],
  ['cancel_abandoned_jobs', { abandonedMs: 3_000 }, 'running'],
  ['cleanup_actions', { zombieMs: 0 }, 'running'],
] as const)('the cron task %s with %o leaves the job of a silent runner %s', async (task, knobs, status) => {
  server = testServer({ knobs })
  const id = queue(['linux'])
  const runner = await register('/repos/acme/app', ['linux'])
  await fetchTask(runner)
  const run = () => server.rest('POST', `/admin/cron/${task}`)
  await server.clock.advance(3_000)
  await run()
  expect(job(id)?.status).toBe('running')
  await server.clock.advance(1_000)
  expect((await run()).status).toBe(204)
  expect(job(id)?.status).toBe(status)
  expect(server.emulator.control.runners().length).toBe(status === 'running' ? 1 : 0)
})

test('a job that goes on for three hours fails, although its runner reports', async () => {
  const id = queue(['linux'])
  const runner = await register('/repos/acme/app', ['linux'])
  const task = field(await fetchTask(runner), 'task.id')
  for (let minutes = 0; minutes < 180; minutes += 5) {
    await server.rpc('UpdateTask', { state: { id: task } }, runner)
    await server.clock.advance(5 * 60_000)
  }
  expect(job(id)?.status).toBe('running')
  await server.rpc('UpdateTask', { state: { id: task } }, runner)
  await server.clock.advance(30 * 60_000)
  expect(job(id)?.status).toBe('failure')
})

test('a job that waits for a day is cancelled, and no timer is left', async () => {
  const id = queue(['linux'])
  await server.clock.advance(24 * 3_600_000)
  expect(job(id)?.status).toBe('waiting')
  await server.clock.advance(6 * 3_600_000)
  expect(job(id)?.status).toBe('cancelled')
  await server.clock.advance(6 * 3_600_000)
  expect(server.clock.next()).toBeUndefined()
})

test('a deleted repository takes its jobs, its runners, and the used ephemeral runners of its owner with it', async () => {
  const { control } = server.emulator
  const finished: string[] = []
  control.onJob(({ kind, id }) => kind === 'finished' && finished.push(id))
  const [running, waiting] = [queue(['linux']), queue(['gpu'])]
  const other = queue(['gpu'], 'acme/site')
  const [used, unused] = [await register('/orgs/acme', ['linux']), await register('/orgs/acme', ['none'])]
  await register('/repos/acme/app', ['none'])
  const token = field(await server.rest('POST', '/repos/acme/app/actions/runners/registration-token'), 'token')
  await fetchTask(used)
  control.deleteRepository('acme/app')
  expect(control.runners().map(({ id }) => id)).toEqual([unused.id])
  expect([running, waiting, other].map((id) => job(id)?.status)).toEqual([undefined, undefined, 'waiting'])
  expect(finished).toEqual([running, waiting])
  expect((await server.rest('GET', '/repos/acme/app/actions/jobs')).status).toBe(404)
  expect(field(await server.rpc('Register', { name: 'r', token }), 'message')).toContain('token not found')
  expect(() => control.deleteRepository('acme/app')).toThrow('there is no repository acme/app')
})

test('listeners learn when a job is queued, started and finished, with its runner', async () => {
  const events: string[] = []
  const stop = server.emulator.control.onJob(({ kind, id, runner, attempt, tasks, result }) =>
    events.push(`${kind} ${id} ${runner} ${attempt} ${tasks} ${result}`),
  )
  const id = queue(['linux'])
  const runner = await register('/repos/acme/app', ['linux'])
  const task = field(await fetchTask(runner), 'task.id')
  await server.rpc('UpdateTask', { state: { id: task, result: 'RESULT_SUCCESS' } }, runner)
  stop()
  queue(['linux'])
  expect(events).toEqual([
    `queued ${id} undefined 0 0 undefined`,
    `started ${id} r 1 1 undefined`,
    `finished ${id} r 1 1 success`,
  ])
})
