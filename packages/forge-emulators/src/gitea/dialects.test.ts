// The versions of Gitea, and Forgejo: which routes they have, and the forms of their answers. Only 1.26 was compared with a real server.
import { expect, test } from 'vitest'
import type { DialectName } from './dialect.ts'
import { field, list, testServer } from './test-client.fixture.ts'

const place = '/repos/acme/app/actions'
const of = (dialect: DialectName) => testServer({ knobs: { dialect } })

test.each([
  ['gitea-1.24', '1.24.7', [404, 404, 405, 404, 200, 405]],
  ['gitea-1.25', '1.25.5', [200, 200, 405, 404, 200, 405]],
  ['gitea-1.26', '1.26.0', [200, 200, 200, 201, 200, 405]],
  ['gitea-1.27', '1.27.3', [200, 200, 200, 201, 200, 405]],
  ['forgejo-15', '15.0.0+gitea-1.22.0', [404, 404, 405, 404, 405, 201]],
] as const)('%s is the version %s, with its routes', async (dialect, version, statuses) => {
  const { rest, register, emulator } = testServer()
  await register('/repos/acme/app', 'r-1')
  const [job = ''] = emulator.control.queueJobs([{ repository: 'acme/app', labels: ['none'] }])
  emulator.control.cancelJob(job)
  emulator.control.knobs({ dialect })
  expect((await rest('GET', '/version')).body).toEqual({ kind: 'json', value: { version } })
  const answers = [
    await rest('GET', `${place}/jobs`),
    await rest('GET', `${place}/jobs/1`),
    await rest('PATCH', `${place}/runners/1`, { disabled: true }),
    await rest('POST', `${place}/runs/1/rerun`),
    await rest('POST', `${place}/runners/registration-token`),
    await rest('POST', `${place}/runners`, { name: 'r-2' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual(statuses)
})

test.each([
  ['gitea-1.25', 200, 403, undefined, undefined],
  ['gitea-1.26', 404, 200, false, '1'],
] as const)('%s differs in the registration token, in rights, and in members', async (dialect, ...expected) => {
  const member = { token: 'member', user: 'ann', scopes: ['all'], roles: { acme: 'member' } } as const
  const { rest, emulator, register } = testServer({ knobs: { dialect }, credentials: [member] })
  emulator.control.queueJobs([{ repository: 'acme/app', labels: [] }])
  await register('/repos/acme/app', 'r-1')
  const listed = await rest('GET', `${place}/jobs`)
  expect([
    (await rest('GET', `${place}/runners/registration-token`)).status,
    (await rest('GET', '/orgs/acme/actions/jobs', undefined, 'token member')).status,
    field(await rest('GET', `${place}/runners/1`), 'disabled'),
    listed.headers['x-total-count'],
  ]).toEqual(expected)
})

test.each([
  ['gitea-1.27', 'sort=id&order=desc&limit=2', [3, 2]],
  ['gitea-1.27', 'sort=id', [1, 2, 3]],
  ['gitea-1.27', 'order=desc', [1, 2, 3]],
  ['gitea-1.27', 'sort=name', 'Invalid sort mode: "name"'],
  ['gitea-1.27', 'sort=id&order=up', 'Invalid sort order: "up"'],
  ['gitea-1.26', 'sort=id&order=desc', [1, 2, 3]],
] as const)('%s answers to the parameters %s with %o', async (dialect, parameters, expected) => {
  const { rest, emulator } = of(dialect)
  for (const labels of [['a'], ['b'], ['c']]) emulator.control.queueJobs([{ repository: 'acme/app', labels }])
  const answer = await rest('GET', `${place}/jobs?${parameters}`)
  const ids = answer.status === 200 ? list(answer, 'jobs').map(({ id }) => id) : field(answer, 'message')
  expect(ids).toEqual(expected)
})

test('runs of a concurrency group do not wait before 1.26', async () => {
  const { rest } = of('gitea-1.25')
  const text = 'on: push\nconcurrency: g\njobs: {a: {runs-on: x, steps: [{run: a}]}}\n'
  const content = Buffer.from(text).toString('base64')
  for (const file of ['a', 'b'])
    await rest('POST', `/repos/acme/app/contents/.gitea/workflows/${file}.yml`, { content })
  const jobs = list(await rest('GET', `${place}/jobs`), 'jobs')
  expect(jobs.map(({ status }) => status)).toEqual(['queued', 'queued', 'queued'])
})

test('1.27 lists runners by their status, stores contacts at most every 30 s, and disabled ones last', async () => {
  const { rest, rpc, register, clock } = of('gitea-1.27')
  const [a, b, c] = [await register('/user', 'a'), await register('/user', 'b'), await register('/user', 'c')]
  const names = async () => list(await rest('GET', '/user/actions/runners'), 'runners').map(({ name }) => name)
  await rpc('FetchTask', {}, b)
  await clock.advance(29_000)
  await rpc('FetchTask', {}, c)
  await rpc('FetchTask', {}, b)
  expect(await names()).toEqual(['c', 'b', 'a'])
  await rest('PATCH', `/user/actions/runners/${c.id}`, { disabled: true })
  expect(await names()).toEqual(['b', 'c', 'a'])
  // The second contact of b was not stored, so b goes offline first.
  await clock.advance(32_000)
  expect(await names()).toEqual(['c', 'b', 'a'])
  expect(field(await rest('GET', `/user/actions/runners/${b.id}`), 'status')).toBe('offline')
  await rpc('FetchTask', {}, a)
  expect(await names()).toEqual(['a', 'c', 'b'])
})

test('in 1.27 a runner that can clean up keeps a cancelled task, which no filter shows as running', async () => {
  const { rest, rpc, register, emulator } = of('gitea-1.27')
  const runner = await register('/repos/acme/app', 'r-1', { capabilities: ['cancelling'] })
  const [job = ''] = emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  await rpc('FetchTask', {}, runner)
  expect(emulator.control.cancelJob(job)).toBe(true)
  const count = async (filter: string) => field(await rest('GET', `${place}/jobs?status=${filter}`), 'total_count')
  expect([await count('in_progress'), await count('completed')]).toEqual([0, 0])
  expect((await rest('GET', `${place}/jobs/${job}`)).body).toMatchObject({
    value: { status: 'in_progress', runner_id: runner.id },
  })
  const report = (more: object = {}) => rpc('UpdateTask', { state: { id: '1', ...more } }, runner)
  expect(field(await report(), 'state.result')).toBe('RESULT_CANCELLED')
  expect(field(await report({ result: 'RESULT_SUCCESS' }), 'state.result')).toBe('RESULT_CANCELLED')
  expect([emulator.control.job(job)?.status, emulator.control.runners()]).toEqual(['cancelled', []])
})

test.each([
  ['gitea-1.26', ['cancelling'], 0],
  ['gitea-1.27', [], 0],
  ['gitea-1.27', ['cancelling'], 61_000],
] as const)('%s ends a cancelled task at once for a runner with %o that is silent for %i ms', async (...parameters) => {
  const [dialect, capabilities, silentMs] = parameters
  const { rpc, register, emulator, clock } = of(dialect)
  const runner = await register('/repos/acme/app', 'r-1')
  await rpc('Declare', { labels: ['linux'], capabilities }, runner)
  const [job = ''] = emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  await rpc('FetchTask', {}, runner)
  await clock.advance(silentMs)
  emulator.control.cancelJob(job)
  expect([emulator.control.job(job)?.status, emulator.control.runners()]).toEqual(['cancelled', []])
})

test('a run with a cancelled job counts as ended in 1.26, and not in 1.27', async () => {
  for (const [dialect, status] of [
    ['gitea-1.26', 201],
    ['gitea-1.27', 400],
  ] as const) {
    const { rest, emulator } = of(dialect)
    const text = 'on: push\njobs:\n  a: {runs-on: x, steps: [{run: a}]}\n  b: {runs-on: x, steps: [{run: a}]}\n'
    const content = Buffer.from(text).toString('base64')
    await rest('POST', '/repos/acme/app/contents/.gitea/workflows/a.yml', { content })
    emulator.control.cancelJob('1')
    emulator.control.rerunJob('1')
    expect((await rest('POST', `${place}/runs/1/rerun`)).status).toBe(status)
  }
})

test('Forgejo creates a runner by REST, which declares its labels and takes a job', async () => {
  const { rest, rpc, emulator } = of('forgejo-15')
  const created = await rest('POST', `${place}/runners`, { name: 'r-1', ephemeral: true })
  expect(created.body).toEqual({
    kind: 'json',
    value: { id: 1, uuid: expect.any(String), token: expect.stringMatching(/^[0-9a-f]{40}$/) },
  })
  expect((await rest('POST', `${place}/runners`)).status).toBe(422)
  const runner = { uuid: String(field(created, 'uuid')), token: String(field(created, 'token')) }
  await rpc('Declare', { version: 'v', labels: ['linux'] }, runner)
  emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
  expect(field(await rpc('FetchTask', {}, runner), 'task.id')).toBe('1')
  const listed = await rest('GET', `${place}/runners`)
  expect(listed.body).toMatchObject({
    value: [{ id: 1, uuid: runner.uuid, name: 'r-1', version: 'v', owner_id: 0, status: 'idle', labels: ['linux'] }],
  })
  expect(listed.headers['x-total-count']).toBe('1')
  expect((await rest('GET', `${place}/runners/1`)).body).toMatchObject({ value: { uuid: runner.uuid } })
  expect(field(await rest('GET', `${place}/runners/registration-token`), 'token')).toMatch(/^\w{40}$/)
  expect((await rest('DELETE', `${place}/runners/1`)).status).toBe(204)
})

test('Forgejo lists only open jobs, in its own words and without pages, and none is null', async () => {
  const { rest, emulator, register } = of('gitea-1.26')
  await register('/repos/acme/app', 'r-1', { labels: ['a', 'b'] })
  emulator.control.knobs({ dialect: 'forgejo-15' })
  const jobs = async (filter = '') => (await rest('GET', `/orgs/acme/actions/runners/jobs${filter}`)).body
  expect(await jobs()).toEqual({ kind: 'json', value: null })
  for (const labels of [['a'], ['a', 'b'], ['c'], []]) emulator.control.queueJobs([{ repository: 'acme/app', labels }])
  emulator.control.cancelJob('3')
  emulator.control.stub.online('r-1')
  expect(await jobs()).toMatchObject({
    value: [
      { id: 1, attempt: 1, status: 'running', task_id: 1, runs_on: ['a'], needs: null },
      { id: 2, attempt: 0, status: 'waiting', task_id: 0 },
      { id: 4, status: 'waiting', runs_on: [] },
    ],
  })
  const ids = async (filter: string) => Object((await jobs(filter)) as object).value.map(({ id }: { id: number }) => id)
  expect([await ids('?labels=a'), await ids('?labels=b,a')]).toEqual([
    [1, 4],
    [1, 2, 4],
  ])
})

test('Forgejo also shows its version at an address of its own', async () => {
  const call = async (dialect: DialectName) => {
    const { emulator } = of(dialect)
    const path = '/api/forgejo/v1/version'
    const body = { kind: 'none' } as const
    return emulator.transport({ method: 'GET', path, query: {}, headers: {}, body, expect: 'whole' })
  }
  expect(field(await call('forgejo-15'), 'version')).toBe('15.0.0+gitea-1.22.0')
  expect((await call('gitea-1.26')).status).toBe(404)
})
