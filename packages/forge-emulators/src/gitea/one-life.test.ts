// Lives one ephemeral runner in a repository of its own, as a script against a real server does, from the registration to the log.
import { expect, test } from 'vitest'
import { field, list, type TestServer, testServer } from './test-client.fixture.ts'

const workflow =
  'on: [push, workflow_dispatch]\njobs:\n  greet:\n    runs-on: one\n    steps:\n      - run: echo hello\n'

const now = '2026-01-01T00:00:00Z'
const fetchAny = { tasksVersion: '0' }

async function createRepository({ rest }: TestServer) {
  const created = await rest('POST', '/user/repos', { name: 'one', auto_init: true, default_branch: 'main' })
  expect([created.status, field(created, 'full_name')]).toEqual([201, 'root/one'])
  const place = '/repos/root/one'
  const content = Buffer.from(workflow).toString('base64')
  const file = { content, message: 'workflow', branch: 'main' }
  expect((await rest('POST', `${place}/contents/.gitea/workflows/one.yml`, file)).status).toBe(201)
  const jobs = (status: string) => rest('GET', `${place}/actions/jobs?limit=50&status=${status}`)
  return { place, jobs }
}

test('a runner registers, runs the job of a push, and is gone with its end', async () => {
  const server = testServer()
  const { rest, rpc, register } = server
  const { place, jobs } = await createRepository(server)
  expect(list(await jobs('queued'), 'jobs')).toMatchObject([{ name: 'greet', labels: ['one'], status: 'queued' }])
  const runner = await register(place, 'one', { labels: ['one'], version: 'test' })
  const find = async () => list(await rest('GET', `${place}/actions/runners`), 'runners')[0]
  expect(await find()).toMatchObject({ id: runner.id, status: 'offline', ephemeral: true })
  expect((await rpc('Declare', { version: 'test', labels: ['one'] }, runner)).status).toBe(200)
  expect((await find())?.['status']).toBe('online')

  const fetched = await rpc('FetchTask', fetchAny, runner)
  const id = field(fetched, 'task.id')
  expect(field(fetched, 'task.context.repository')).toBe('root/one')
  const [running] = list(await jobs('in_progress'), 'jobs')
  expect(running).toMatchObject({ runner_id: runner.id, runner_name: 'one', run_attempt: 1 })
  expect((await find())?.['busy']).toBe(false)
  expect(field(await rpc('FetchTask', fetchAny, runner), 'task')).toBeUndefined()

  const rows = [{ time: now, content: 'hello' }]
  const log = await rpc('UpdateLog', { taskId: id, index: '0', rows, noMore: true }, runner)
  expect(field(log, 'ackIndex')).toBe('1')
  const result = 'RESULT_SUCCESS'
  const step = { id: '0', result, startedAt: now, stoppedAt: now, logIndex: '0', logLength: '1' }
  const state = { id, result, startedAt: now, stoppedAt: now, steps: [step] }
  expect(field(await rpc('UpdateTask', { state }, runner), 'state.result')).toBe(result)

  expect((await rest('GET', `${place}/actions/runners/${runner.id}`)).status).toBe(404)
  expect(await rpc('FetchTask', fetchAny, runner)).toMatchObject({
    status: 500,
    body: { value: { code: 'unknown', message: 'rpc error: code = Unauthenticated desc = unregistered runner' } },
  })
  const [done] = list(await jobs('completed'), 'jobs')
  expect(done).toMatchObject({ conclusion: 'success', runner_id: runner.id, runner_name: 'one', completed_at: now })
  expect((await rest('GET', `${place}/actions/jobs/${done?.['id']}/logs`)).body).toEqual({
    kind: 'text',
    text: '2026-01-01T00:00:00.0000000Z hello\n',
  })
})

test('a disabled runner gets no job and is deleted once, and its job waits on', async () => {
  const server = testServer()
  const { rest, rpc, register } = server
  const { place, jobs } = await createRepository(server)
  const runner = await register(place, 'two', { labels: ['one'] })
  const url = `${place}/actions/runners/${runner.id}`
  expect(field(await rest('PATCH', url, { disabled: true }), 'disabled')).toBe(true)
  expect((await rest('POST', `${place}/actions/workflows/one.yml/dispatches`, { ref: 'main' })).status).toBe(204)
  expect(field(await rpc('FetchTask', fetchAny, runner), 'task')).toBeUndefined()
  expect([(await rest('DELETE', url)).status, (await rest('DELETE', url)).status]).toEqual([204, 404])
  expect(field(await jobs('queued'), 'total_count')).toBe(2)
  expect((await rest('DELETE', place)).status).toBe(204)
  expect((await rest('GET', `${place}/actions/jobs`)).status).toBe(404)
})
