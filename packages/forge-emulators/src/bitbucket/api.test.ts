// The API of the emulated Bitbucket: shapes, pages, credentials, limits, faults (docs/reference/bitbucket.md#s2).
import { httpClient } from '@dayfly/kit/http-client'
import { expect, test } from 'vitest'
import { apiToken, basic, field, runnersUrl, testWorkspace } from './test-client.fixture.ts'

const internalUrl = runnersUrl.replace('/2.0/', '/internal/')
const repositoryUrl = '/2.0/repositories/acme/app/pipelines-config/runners'

test('the creation alone returns the secret, and the new runner is not registered yet', async () => {
  const { call } = testWorkspace()
  const created = await call('POST', runnersUrl, { name: 'r-1', labels: ['linux', 'gpu'] })
  expect(created).toMatchObject({
    status: 200,
    body: {
      value: {
        type: 'pipeline_runner',
        uuid: expect.stringMatching(/^\{[0-9a-f-]{36}\}$/),
        name: 'r-1',
        labels: ['self.hosted', 'linux', 'gpu'],
        state: { status: 'UNREGISTERED', cordoned: false, version: { current: expect.any(String) } },
        oauth_client: { id: expect.any(String), secret: expect.any(String), audience: 'api.atlassian.com' },
      },
    },
  })
  const read = await call('GET', `${runnersUrl}/${encodeURIComponent(String(field(created, 'uuid')))}`)
  expect(field(read, 'oauth_client.secret')).toBeUndefined()
  expect(field(read, 'state.step')).toBeUndefined()
})

test('a list has pages of ten by default, and the links reach every runner once', async () => {
  const { call, register } = testWorkspace()
  for (let index = 0; index < 23; index++) await register(`r-${index}`)
  const names: unknown[] = []
  let pages = 0
  for (let url: string | undefined = runnersUrl; url !== undefined; ) {
    const page = await call('GET', url)
    expect(field(page, 'size')).toBe(23)
    names.push(...(field(page, 'values') as { name: string }[]).map(({ name }) => name))
    url = field(page, 'next') as string | undefined
    pages++
  }
  expect([pages, new Set(names).size, names.length]).toEqual([3, 23, 23])
  expect(field(await call('GET', `${runnersUrl}?pagelen=100`), 'next')).toBeUndefined()
  expect((await call('GET', `${runnersUrl}?page=-1`)).status).toBe(400)
})

test('runners of a workspace and of a repository are separate, by slug and by UUID', async () => {
  const { call, register } = testWorkspace()
  await register('of-workspace')
  await call('POST', repositoryUrl, { name: 'of-repository' })
  const workspace = field(await call('GET', '/2.0/workspaces/acme'), 'uuid')
  const repository = field(await call('GET', '/2.0/repositories/acme/app'), 'uuid')
  expect(field(await call('GET', '/2.0/repositories/acme/app'), 'workspace.uuid')).toBe(workspace)
  const of = async (path: string) => field(await call('GET', `${path}/pipelines-config/runners`), 'values.0.name')
  const [ws, repo] = [workspace, repository].map((uuid) => encodeURIComponent(String(uuid)))
  expect(await of(`/2.0/workspaces/${ws}`)).toBe('of-workspace')
  expect(await of(`/internal/workspaces/${ws}`)).toBe('of-workspace')
  expect(await of(`/internal/repositories/${ws}/${repo}`)).toBe('of-repository')
  expect(await of('/2.0/repositories/acme/site')).toBeUndefined()
  const uuid = field(await call('GET', repositoryUrl), 'values.0.uuid')
  expect((await call('DELETE', `${runnersUrl}/${uuid}`)).status).toBe(404)
})

test.each([
  ['POST', runnersUrl, { labels: ['linux'] }, 400],
  ['POST', runnersUrl, { name: 'r', labels: ['GPU'] }, 400],
  ['POST', runnersUrl, { name: 'r', labels: 'abcdefghijk'.split('') }, 400],
  ['POST', runnersUrl, 'name=r', 400],
  ['GET', `${runnersUrl}/{0}`, undefined, 404],
  ['GET', `${runnersUrl}/0`, undefined, 404],
  ['PUT', `${runnersUrl}/{0}`, { name: 'r' }, 404],
  ['DELETE', `${runnersUrl}/{0}`, undefined, 404],
  ['GET', '/2.0/workspaces/nobody', undefined, 404],
  ['GET', '/2.0/repositories/acme/none/pipelines-config/runners', undefined, 404],
  ['GET', '/3.0/workspaces/acme', undefined, 404],
  ['PUT', `${runnersUrl}/{0}/state`, { status: 'DISABLED' }, 404],
] as const)('%s %s %o is refused with %i', async (method, url, body, status) => {
  const answer = await testWorkspace().call(method, url, body)
  expect(answer.status).toBe(status)
  expect([field(answer, 'type'), field(answer, 'error.message')]).toEqual(['error', expect.any(String)])
})

test.each([
  ['internal', {}, 'DISABLED'],
  ['internal', { internalApi: false }, 'UNREGISTERED'],
  ['public', {}, 'UNREGISTERED'],
  ['public', { publicState: 'accepted' }, 'DISABLED'],
  ['public', { publicState: 'refused' }, 'UNREGISTERED'],
] as const)('a cordon at the %s API with %o leaves the runner %s', async (api, knobs, status) => {
  const { call, register } = testWorkspace(knobs)
  const uuid = encodeURIComponent(await register('r-1'))
  if (api === 'internal') await call('PUT', `${internalUrl}/${uuid}/state`, { status: 'DISABLED' })
  else await call('PUT', `${runnersUrl}/${uuid}`, { state: { status: 'DISABLED' } })
  const runner = await call('GET', `${runnersUrl}/${uuid}`)
  expect([field(runner, 'state.status'), field(runner, 'state.cordoned')]).toEqual([status, status === 'DISABLED'])
})

test('an update changes name and labels', async () => {
  const { call, register } = testWorkspace()
  const uuid = encodeURIComponent(await register('r-1'))
  await call('PUT', `${runnersUrl}/${uuid}`, { name: 'r-2', labels: ['linux.arm64', 'gpu'] })
  const runner = await call('GET', `${runnersUrl}/${uuid}`)
  expect([field(runner, 'name'), field(runner, 'labels')]).toEqual(['r-2', ['self.hosted', 'linux.arm64', 'gpu']])
})

test('an OAuth consumer gets a token that expires, and no other grant is accepted', async () => {
  const { call, clock } = testWorkspace()
  const tokenUrl = '/site/oauth2/access_token'
  const grant = 'grant_type=client_credentials'
  expect((await call('POST', tokenUrl, grant, basic('key', 'wrong'))).status).toBe(401)
  expect((await call('POST', tokenUrl, 'grant_type=password', basic('key', 'secret'))).status).toBe(400)
  const issued = await call('POST', tokenUrl, grant, basic('key', 'secret'))
  expect(issued.body).toMatchObject({ value: { token_type: 'bearer', expires_in: 7_200 } })
  const bearer = `Bearer ${field(issued, 'access_token')}`
  expect((await call('GET', runnersUrl, undefined, bearer)).status).toBe(200)
  await clock.advance(7_200_000)
  expect((await call('GET', runnersUrl, undefined, bearer)).status).toBe(401)
})

test.each([
  [basic('joe@example.com', 'at'), 200],
  [basic('joe', 'app-password'), 401],
  ['Bearer nonsense', 401],
  ['', 401],
  ['Bearer foreign', 403],
] as const)('the authorization %s gets %i', async (authorization, status) => {
  expect((await testWorkspace().call('GET', runnersUrl, undefined, authorization)).status).toBe(status)
})

test('a credential without the scope to write lists runners and creates none', async () => {
  const { call } = testWorkspace()
  expect((await call('GET', runnersUrl, undefined, 'Bearer reader')).status).toBe(200)
  expect((await call('POST', runnersUrl, { name: 'r' }, 'Bearer reader')).status).toBe(403)
})

test('a user has 1,000 calls in any 60 minutes with all credentials together, and another user has its own', async () => {
  const { call, clock } = testWorkspace({ statesRetryAfter: true })
  for (let index = 0; index < 500; index++) await call('GET', runnersUrl)
  await clock.advance(1_800_000)
  for (let index = 0; index < 500; index++) await call('GET', runnersUrl)
  expect(await call('GET', runnersUrl)).toMatchObject({ status: 429, headers: { 'retry-after': '1800' } })
  const other = basic('joe@example.com', 'at')
  expect(apiToken.user).toBe('ann')
  expect((await call('GET', runnersUrl, undefined, other)).status).toBe(200)
  await clock.advance(1_799_999)
  expect((await call('GET', runnersUrl)).status).toBe(429)
  await clock.advance(1)
  expect((await call('GET', runnersUrl)).status).toBe(200)
})

test('a workspace holds 100 runners, and a repository 100 of its own', async () => {
  const { call, register } = testWorkspace({ callsPerHour: 0 })
  for (let index = 0; index < 100; index++) await register(`r-${index}`)
  expect((await call('POST', runnersUrl, { name: 'r' })).status).toBe(400)
  expect((await call('POST', repositoryUrl, { name: 'r' })).status).toBe(200)
})

test('latency, a fault and the log apply to the API, and the log has no secret', async () => {
  const { call, clock, emulator } = testWorkspace({ latencyMs: 300 })
  emulator.control.fault({
    match: { method: 'POST', pathRegex: '/runners$' },
    action: { kind: 'reset', when: 'after' },
  })
  const lost = call('POST', runnersUrl, { name: 'r-1' }).catch((error: Error) => error.message)
  const start = clock.now()
  await clock.advance(149)
  expect(emulator.control.runners()).toEqual([])
  await clock.advance(151)
  expect(await lost).toContain('connection reset')
  expect(clock.now() - start).toBe(300)
  expect(emulator.control.runners()).toMatchObject([{ name: 'r-1', status: 'UNREGISTERED' }])
  expect(emulator.control.requests()).toMatchObject([
    { method: 'POST', status: 'broken', body: { name: 'r-1' }, headers: { authorization: 'Bearer [secret]' } },
  ])
})

test('it serves over HTTP, and its links lead back to it', async () => {
  const { emulator, clock } = testWorkspace({ pageMax: 1 })
  const server = await emulator.listen(0)
  const client = httpClient({ origin: server.origin })
  try {
    const send = (method: 'GET' | 'POST', path: string, name?: string) =>
      client.transport({
        method,
        path,
        query: {},
        headers: { authorization: 'Bearer wat' },
        body: name === undefined ? { kind: 'none' } : { kind: 'json', value: { name } },
        expect: 'whole',
      })
    await send('POST', runnersUrl, 'r-1')
    await send('POST', runnersUrl, 'r-2')
    expect(field(await send('GET', runnersUrl), 'next')).toBe(`${server.origin}${runnersUrl}?pagelen=1&page=2`)
    expect(clock.now()).toBe(1_767_225_600_000)
  } finally {
    await client.close()
    await server.close()
  }
})
