// The REST API of the emulated Gitea: lists and their pages, levels, tokens and their rights, refusals.
import { httpClient } from '@dayfly/kit/http-client'
import { expect, test } from 'vitest'
import type { EmulatedCredential } from './credentials.ts'
import { field, list, testServer } from './test-client.fixture.ts'

const runners = '/repos/acme/app/actions/runners'
const jobs = '/repos/acme/app/actions/jobs'
const waiting = (count: number) => Array.from({ length: count }, () => ({ repository: 'acme/app', labels: ['linux'] }))

test('a list of jobs cuts the limit to 50 without an error, and its links repeat the limit', async () => {
  const { rest, emulator } = testServer()
  emulator.control.queueJobs(waiting(70))
  const page = await rest('GET', `${jobs}?status=queued&limit=1000`)
  expect([list(page, 'jobs').length, field(page, 'total_count')]).toEqual([50, 70])
  const to = (number: number) => `<http://127.0.0.1/api/v1${jobs}?limit=1000&page=${number}&status=queued>`
  expect(page.headers).toMatchObject({
    link: `${to(2)}; rel="next",${to(2)}; rel="last"`,
    'x-total-count': '70',
    'content-type': 'application/json;charset=utf-8',
  })
  const second = await rest('GET', `${jobs}?status=queued&limit=1000&page=2`)
  expect(list(second, 'jobs').length).toBe(20)
  expect(second.headers['link']).toBe(`${to(1)}; rel="first",${to(1)}; rel="prev"`)
  expect(list(await rest('GET', jobs), 'jobs').length).toBe(30)
  expect((await rest('GET', `${jobs}?page=99`)).body).toMatchObject({ value: { jobs: [], total_count: 70 } })
})

test('an operator may set shorter pages than a client asks for', async () => {
  const { rest, emulator, register } = testServer({ knobs: { pageMax: 10, pageDefault: 4 } })
  emulator.control.queueJobs(waiting(11))
  const page = await rest('GET', `${jobs}?limit=50`)
  expect([list(page, 'jobs').length, field(page, 'total_count')]).toEqual([10, 11])
  for (let index = 0; index < 5; index++) await register('/repos/acme/app', `r-${index}`)
  expect(list(await rest('GET', runners), 'runners').length).toBe(4)
})

test.each([
  ['status=queued', ['ready']],
  ['status=waiting', ['needs ready']],
  ['status=pending', ['needs ready']],
  ['status=in_progress', ['running']],
  ['status=completed', ['failed', 'passed']],
  ['status=failure', ['failed']],
  ['status=neutral', []],
  ['status=queued&status=in_progress', ['ready', 'running']],
  ['status=success&status=queued&status=waiting', ['needs ready', 'passed', 'ready']],
  ['', ['failed', 'needs ready', 'passed', 'ready', 'running']],
] as const)('the filter %o selects %o at every level', async (filter, names) => {
  const { rest } = await fiveJobs()
  for (const place of ['/admin', '/orgs/acme', '/repos/acme/app']) {
    const answer = await rest('GET', `${place}/actions/jobs?${filter}`)
    expect(field(answer, 'total_count'), place).toBe(names.length)
    expect(
      list(answer, 'jobs')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names)
  }
  expect(field(await rest('GET', '/user/actions/jobs'), 'total_count')).toBe(0)
  expect(field(await rest('GET', '/orgs/other/actions/jobs'), 'total_count')).toBe(0)
})

async function fiveJobs() {
  const server = testServer()
  const { control } = server.emulator
  const queue = (name: string) => control.queueJobs([{ repository: 'acme/app', labels: ['linux'], name }])
  for (const [name, result] of [
    ['failed', 'failure'],
    ['passed', 'success'],
    ['running', undefined],
  ] as const) {
    queue(name)
    await server.register('/repos/acme/app', name)
    control.stub.online(name)
    if (result) control.stub.finish(name, result)
  }
  const rest = 'runs-on: x, steps: [{run: a}]'
  const file = `on: push\njobs:\n  ready: {${rest}}\n  second: {name: needs ready, needs: ready, ${rest}}\n`
  const content = Buffer.from(file).toString('base64')
  await server.rest('POST', '/repos/acme/app/contents/.gitea/workflows/a.yml', { content })
  return server
}

test('a job has no repository and no time that is not set, and a running one names its runner', async () => {
  const { rest } = await fiveJobs()
  const [queued] = list(await rest('GET', `${jobs}?status=queued`), 'jobs')
  expect(queued).toMatchObject({
    url: `http://127.0.0.1/api/v1${jobs}/${queued?.['id']}`,
    run_attempt: 0,
    status: 'queued',
    steps: [],
    started_at: '1970-01-01T00:00:00Z',
    completed_at: '1970-01-01T00:00:00Z',
  })
  expect(Object.keys(queued ?? {})).not.toContain('runner_id')
  expect(Object.keys(queued ?? {})).not.toContain('repository')
  const [running] = list(await rest('GET', `${jobs}?status=in_progress`), 'jobs')
  expect(running).toMatchObject({ runner_name: 'running', run_attempt: 1, steps: [{ status: 'in_progress' }] })
  expect((await rest('GET', `${jobs}/${running?.['id']}`)).body).toEqual({ kind: 'json', value: running })
})

test('a new runner is offline, a call makes it online for a minute, and a report busy for ten seconds', async () => {
  const { rest, rpc, register, clock, emulator } = testServer()
  const runner = await register('/repos/acme/app', 'r-1')
  emulator.control.queueJobs(waiting(1))
  const facts = async () => {
    const shown = await rest('GET', `${runners}/${runner.id}`)
    return [field(shown, 'status'), field(shown, 'busy')]
  }
  expect(await facts()).toEqual(['offline', false])
  const fetched = await rpc('FetchTask', {}, runner)
  expect(await facts()).toEqual(['online', false])
  await clock.advance(50_000)
  await rpc('UpdateTask', { state: { id: field(fetched, 'task.id') } }, runner)
  expect(await facts()).toEqual(['online', true])
  await clock.advance(10_001)
  expect(await facts()).toEqual(['online', false])
  await clock.advance(50_000)
  expect(await facts()).toEqual(['offline', false])
})

test('the list of runners is sorted by last contact, and has a total but no headers of pages', async () => {
  const { rest, rpc, register, clock } = testServer()
  const all = [await register('/repos/acme/app', 'a'), await register('/repos/acme/app', 'b')]
  const names = async () => list(await rest('GET', runners), 'runners').map(({ name }) => name)
  expect(await names()).toEqual(['a', 'b'])
  await rpc('FetchTask', {}, all[1])
  expect(await names()).toEqual(['b', 'a'])
  await clock.advance(1_000)
  await rpc('FetchTask', {}, all[0])
  const answer = await rest('GET', `${runners}?limit=1`)
  expect(answer.body).toMatchObject({ value: { runners: [{ name: 'a' }], total_count: 2 } })
  expect([answer.headers['link'], answer.headers['x-total-count']]).toEqual([undefined, undefined])
})

test('each level lists only its own runners, and only the administrator reaches those of others', async () => {
  const { rest, register } = testServer()
  const prefixes = ['/admin', '/orgs/acme', '/user', '/repos/acme/app']
  for (const prefix of prefixes) await register(prefix, prefix)
  const names = async (prefix: string) =>
    list(await rest('GET', `${prefix}/actions/runners`), 'runners').map(({ name }) => name)
  expect(await names('/admin')).toEqual(prefixes)
  for (const prefix of prefixes.slice(1)) expect(await names(prefix)).toEqual([prefix])
  expect(await rest('DELETE', '/orgs/acme/actions/runners/4')).toMatchObject({
    status: 404,
    body: { value: { message: 'No permission to access this runner' } },
  })
  expect((await rest('DELETE', '/admin/actions/runners/4')).status).toBe(204)
  expect(field(await rest('GET', `${runners}/4`), 'message')).toBe('Runner not found')
})

test('two runners may have one name, and a long name is shortened', async () => {
  const { rest, register } = testServer()
  const [one, other] = [await register('/user', 'r'), await register('/user', 'r')]
  expect(one.id).not.toBe(other.id)
  const long = await register('/user', 'x'.repeat(300))
  expect(field(await rest('GET', `/user/actions/runners/${long.id}`), 'name')).toBe(`${'x'.repeat(252)}…`)
})

test('a runner is disabled and enabled, and the filter finds it', async () => {
  const { rest, register } = testServer()
  const { id } = await register('/repos/acme/app', 'r-1')
  const patch = (body?: object) => rest('PATCH', `${runners}/${id}`, body)
  for (const body of [undefined, {}, { disabled: 'yes' }]) expect((await patch(body)).status).toBe(422)
  expect(field(await patch({ disabled: true }), 'disabled')).toBe(true)
  const count = async (filter: string) => field(await rest('GET', `${runners}?disabled=${filter}`), 'total_count')
  expect([await count('true'), await count('false'), await count('')]).toEqual([1, 0, 1])
  expect(field(await patch({ disabled: false }), 'disabled')).toBe(false)
})

const users: readonly EmulatedCredential[] = [
  { token: 'owner', user: 'owen', scopes: ['write:organization', 'write:repository'], roles: { acme: 'owner' } },
  { token: 'member', user: 'ann', scopes: ['write:organization', 'write:repository'], roles: { acme: 'member' } },
  { token: 'collaborator', user: 'bob', scopes: ['write:repository'], roles: { 'acme/app': 'member' } },
  { token: 'stranger', user: 'zed', scopes: ['all'], roles: {} },
  { token: 'reader', user: 'owen', scopes: ['read:repository', 'read:admin'] },
  { token: 'site', user: 'root', scopes: ['write:admin'], isSiteAdmin: true },
]
const needs = (scope: string, given: string) =>
  `token does not have at least one of required scope(s), required=[${scope}], token scope=${given}`

test.each([
  ['owner', 'GET', '/orgs/acme/actions/runners', 200, undefined],
  ['owner', 'POST', `${runners}/registration-token`, 200, undefined],
  ['owner', 'GET', '/admin/actions/runners', 403, needs('read:admin', 'write:organization,write:repository')],
  ['member', 'GET', '/orgs/acme/actions/jobs', 200, undefined],
  ['member', 'GET', '/orgs/acme/actions/runners', 403, 'Must be an organization owner'],
  ['member', 'GET', jobs, 200, undefined],
  ['collaborator', 'GET', jobs, 200, undefined],
  ['collaborator', 'GET', runners, 403, 'user should be the owner of the repo'],
  ['collaborator', 'GET', '/repos/acme/site/actions/jobs', 404, 'not found'],
  ['stranger', 'GET', jobs, 404, 'not found'],
  ['stranger', 'GET', '/orgs/acme/actions/jobs', 403, 'Must be an organization member'],
  ['stranger', 'GET', '/admin/actions/jobs', 403, 'user should be the site admin'],
  ['stranger', 'GET', '/user/actions/jobs', 200, undefined],
  ['reader', 'GET', runners, 200, undefined],
  ['reader', 'DELETE', `${runners}/1`, 403, needs('write:repository', 'read:admin,read:repository')],
  ['site', 'GET', '/admin/actions/jobs', 200, undefined],
  ['site', 'GET', jobs, 403, needs('read:repository', 'write:admin')],
  ['unknown', 'GET', '/version', 401, 'invalid username, password or token'],
  ['', 'GET', '/admin/actions/jobs', 401, 'token is required'],
  ['', 'GET', '/version', 200, undefined],
] as const)('the token %o gets for %s %s the status %i', async (token, method, url, status, message) => {
  const { rest } = testServer({ credentials: users })
  const answer = await rest(method, url, undefined, token && `Bearer ${token}`)
  expect([answer.status, field(answer, 'message')]).toEqual([status, message])
})

test('a token is refused as soon as it is revoked', async () => {
  const { rest, emulator } = testServer()
  emulator.control.revoke('admin')
  expect((await rest('GET', jobs)).status).toBe(401)
  emulator.control.reset()
  expect((await rest('GET', jobs)).status).toBe(200)
})

test('the user of a token has an account, but an organization is no user', () => {
  const credentials = [{ token: 't', user: 'acme', scopes: [] }]
  expect(() => testServer({ credentials })).toThrow('acme is an organization')
})

test.each([
  ['GET', '/nothing', 404, undefined],
  ['GET', '/orgs/none/actions/runners', 404, 'GetOrgByName'],
  ['GET', '/orgs/joe/actions/runners', 404, 'GetOrgByName'],
  ['GET', '/repos/none/app/actions/jobs', 404, 'GetUserByName'],
  ['GET', '/repos/acme/none/actions/jobs', 404, 'not found'],
  ['GET', `${runners}/registration-token`, 404, 'Runner not found'],
  ['GET', `${runners}/jobs`, 404, 'Runner not found'],
  ['PUT', `${runners}/1`, 405, undefined],
  ['GET', `${jobs}?status=blocked`, 400, 'Invalid status blocked'],
  ['GET', `${jobs}?status=`, 400, 'Invalid status '],
  ['GET', `${jobs}/9`, 404, 'not found'],
  ['GET', `${jobs}/9/logs`, 404, 'not found'],
  ['POST', '/repos/acme/app/actions/runs/9/rerun', 404, 'not found'],
  ['POST', '/repos/acme/app/actions/runs/9/cancel', 404, undefined],
  ['POST', '/admin/cron/none', 404, 'not found'],
  ['POST', '/repos/acme/app/actions/workflows/none.yml/dispatches', 404, 'workflow "none.yml" doesn\'t exist'],
  ['POST', '/user/repos', 422, '[Name]: Required'],
  ['POST', '/repos/acme/app/contents/.gitea/workflows/a.yml', 422, '[Content]: Required'],
] as const)('%s %s is refused with %i and %o', async (method, url, status, message) => {
  const answer = await testServer().rest(method, url)
  expect([answer.status, field(answer, 'message')]).toEqual([status, message])
})

test('the old path of a renamed repository redirects every method, and its runners stay', async () => {
  const { rest, rpc, register, emulator } = testServer()
  const runner = await register('/repos/acme/app', 'r-1')
  const token = field(await rest('POST', `${runners}/registration-token`), 'token')
  emulator.control.renameRepository('acme/app', 'web')
  for (const [method, path] of [
    ['GET', '1?limit=5'],
    ['POST', 'registration-token'],
    ['PATCH', '1'],
    ['DELETE', '1'],
  ] as const) {
    const answer = await rest(method, `${runners}/${path}`)
    const location = `/api/v1/repos/acme/web/actions/runners/${path}`
    expect([answer.status, answer.headers['location']]).toEqual([301, location])
  }
  const moved = '/repos/acme/web/actions/runners'
  expect(field(await rest('GET', moved), 'total_count')).toBe(1)
  expect(field(await rest('POST', `${moved}/registration-token`), 'token')).toBe(token)
  expect((await rpc('FetchTask', {}, runner)).status).toBe(200)
})

test('with a root path, both APIs lie below it, and links and redirects begin with it', async () => {
  const { rest, emulator } = testServer({ knobs: { rootPath: '/git' } })
  expect((await rest('GET', '/version')).status).toBe(404)
  const call = (path: string) =>
    emulator.transport({
      ...{ method: 'GET', path, query: { limit: '1' }, headers: { authorization: 'token admin', host: 'forge:3000' } },
      ...{ body: { kind: 'none' }, expect: 'whole' },
    })
  emulator.control.queueJobs(waiting(2))
  const page = await call(`/git/api/v1${jobs}`)
  expect(page.headers['link']).toContain(`<http://forge:3000/git/api/v1${jobs}?limit=1&page=2>`)
  expect(list(page, 'jobs')[0]?.['url']).toBe(`http://forge:3000/git/api/v1${jobs}/1`)
  expect((await call('/git/api/actions/ping.v1.PingService/Ping')).status).toBe(405)
  emulator.control.renameRepository('acme/app', 'web')
  const location = '/git/api/v1/repos/acme/web/actions/jobs?limit=1'
  expect((await call(`/git/api/v1${jobs}`)).headers['location']).toBe(location)
})

test('latency, faults and the request log apply to both APIs, and the log has no secret', async () => {
  const { rest, rpc, register, emulator, clock } = testServer()
  const runner = await register('/repos/acme/app', 'r-1')
  const token = field(await rest('POST', `${runners}/registration-token`), 'token')
  emulator.control.fault({ match: { pathRegex: 'Register$' }, action: { kind: 'reset', when: 'after' } })
  await expect(rpc('Register', { name: 'lost', token })).rejects.toThrow('connection reset')
  expect(emulator.control.runners().map(({ name }) => name)).toEqual(['r-1', 'lost'])
  const log = JSON.stringify(emulator.control.requests())
  for (const secret of [token, runner.token, 'token admin']) expect(log).not.toContain(secret)
  expect(log).toContain('"name":"lost","token":"[secret]"')
  emulator.control.knobs({ latencyMs: 200 })
  const slow = rest('GET', jobs)
  await clock.advance(200)
  expect((await slow).headers['date']).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
})

test('it serves over HTTP, and the filters of a query add up', async () => {
  const { emulator } = await fiveJobs()
  const server = await emulator.listen(0)
  const client = httpClient({ origin: server.origin })
  try {
    const answer = await client.transport({
      ...{ method: 'GET', path: `/api/v1${jobs}`, query: {}, search: 'status=queued&status=in_progress&limit=1' },
      ...{ headers: { authorization: 'token admin' }, body: { kind: 'none' }, expect: 'whole' },
    })
    expect(field(answer, 'total_count')).toBe(2)
    expect(answer.headers['link']).toContain(
      `<${server.origin}/api/v1${jobs}?limit=1&page=2&status=queued&status=in_progress>`,
    )
  } finally {
    await client.close()
    await server.close()
  }
})
