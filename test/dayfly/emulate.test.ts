// Tests `dayfly emulate` as a process: its addresses, jobs over HTTP, a workflow file, and a clean end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { emulateCommand } from '@dayfly/forge-emulators/command/emulate'
import { connectClient, field, queueOf } from '@dayfly/forge-emulators/github/test-client.fixture'
import { createForges } from '@dayfly/forges/open/forges'
import type { Answer } from '@dayfly/kit/http'
import { type HttpClient, httpClient } from '@dayfly/kit/http-client'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { program } from '../cli.ts'

type Addresses = {
  readonly url: string
  readonly configUrl: string
  readonly token: string
  readonly jobsUrl: string
  readonly appId?: number
  readonly installationId?: number
}

type BitbucketAddresses = Readonly<
  Record<'url' | 'workspaceUrl' | 'runnersUrl' | 'stepsUrl' | 'key' | 'secret', string>
>

type GiteaAddresses = Readonly<
  Record<'url' | 'organizationUrl' | 'repository' | 'runnersUrl' | 'jobsUrl' | 'workflowsUrl' | 'token', string>
>

let folder: string
const children: ChildProcess[] = []
const clients: HttpClient[] = []

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'dayfly-emulate-'))
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function emulate<T extends { readonly url: string } = Addresses>(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, 'emulate', ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const addresses: T = JSON.parse(line)
  const client = httpClient({ origin: addresses.url })
  clients.push(client)
  return { child, addresses, client }
}

function post(
  client: HttpClient,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
  method: 'POST' | 'PUT' = 'POST',
): Promise<Answer> {
  return client.transport({
    method,
    path: new URL(url, 'http://127.0.0.1').pathname,
    query: {},
    headers,
    body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body },
    expect: 'whole',
  })
}

test('it serves until it is interrupted, and then closes its port', async () => {
  const { child, addresses, client } = await emulate('github', '--json')
  expect(addresses.configUrl).toBe(`${addresses.url}/my-org`)
  expect(addresses.token).toMatch(/^ghp_/)
  const queued = await post(client, addresses.jobsUrl, { count: 2, labels: ['linux'], steps: [{ run: 'true' }] })
  expect(queued.status).toBe(201)
  expect(queued.body).toMatchObject({ value: [{ jobId: expect.any(String) }, { jobId: expect.any(String) }] })
  const refused = await post(client, addresses.jobsUrl, { count: 0, labels: ['linux'] })
  expect(refused.status).toBe(400)
  expect(field(refused, 'error')).toContain('count')
  await expect(connectClient(client.transport, 'my-org', 'ghp_wrong')).rejects.toThrow()
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
  await expect(post(client, addresses.jobsUrl, {})).rejects.toMatchObject({ kind: 'connect' })
})

test('it begins with an outage of GitHub, and the control API ends it', async () => {
  const { addresses, client } = await emulate('github', '--json', '--outage', 'fails')
  const connect = () => connectClient(client.transport, 'my-org', addresses.token)
  await expect(connect()).rejects.toThrow()
  expect((await post(client, '/_emulator/knobs', { outage: 'none' }, {}, 'PUT')).status).toBe(204)
  await connect()
})

test('it queues the jobs of a workflow file, and a job that needs another one after that one', async () => {
  const file = path.join(folder, 'ci.yml')
  const job = 'runs-on: linux\n    steps: [{ run: "true" }]'
  await writeFile(file, `on: push\njobs:\n  one:\n    ${job}\n  two:\n    needs: one\n    ${job}\n`)
  const { addresses, client } = await emulate('github', '--json', file)
  const github = await connectClient(client.transport, 'my-org', addresses.token)
  const set = await github.scaleSet('linux')
  const queue = queueOf(await github.session(set))
  await github.admin('POST', `_apis/runtime/runnerscalesets/${set}/generatejitconfig`, { name: 'r-1' })
  const first = await github.poll(queue)
  expect(field(first, 'statistics.totalAssignedJobs')).toBe(1)
  for (const step of ['online', 'start', 'finish']) {
    expect((await post(client, `/_emulator/runners/r-1/${step}`)).status).toBe(204)
  }
  const second = await github.poll(queue, Number(field(first, 'messageId')))
  const messages: { messageType: string; jobDisplayName: string }[] = JSON.parse(String(field(second, 'body')))
  expect(messages.map(({ messageType, jobDisplayName }) => `${messageType} ${jobDisplayName}`)).toEqual([
    'JobStarted one',
    'JobCompleted one',
    'JobAssigned two',
  ])
})

test('with TLS, an App and the paths of an Enterprise Server, a client of the App opens a scale set', async () => {
  const [ca, key] = [path.join(folder, 'ca.crt'), path.join(folder, 'app.pem')]
  const token = path.join(folder, 'token')
  const files = ['--tls', ca, '--app', key, '--token-file', token]
  const { addresses } = await emulate('github', '--json', '--latency', '50', '--ghes', ...files)
  expect(addresses).toMatchObject({ url: expect.stringMatching(/^https:/), appId: 1, installationId: 10 })
  for (const file of [key, token]) expect((await stat(file)).mode & 0o077).toBe(0)
  expect(await readFile(token, 'utf8')).toBe(addresses.token)
  const entries = { github_app_id: '1', github_app_private_key: await readFile(key, 'utf8') }
  const exchanges: string[] = []
  const forges = createForges({
    clock: systemClock(),
    random: systemRandom(),
    userAgent: 'dayfly/test',
    owner: 'test',
    onAnomaly: () => {},
    onExchange: ({ operation, code }) => exchanges.push(`${operation} ${code}`),
    environment: {},
  })
  const source = {
    kind: 'github',
    url: addresses.configUrl,
    credentialsSecret: 'github',
    runnerGroup: undefined,
    labels: ['linux'],
    proxy: undefined,
    ca: { kind: 'config-map', name: 'ca', key: 'ca.crt' },
  } as const
  const set = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 2 }
  const stop = new AbortController()
  const forge = forges.forgeFor(source, { credential: entries, ca: await readFile(ca, 'utf8') })
  await forge.open(set, undefined, stop.signal)
  expect(exchanges.slice(0, 4)).toEqual([
    'find-installation 200',
    'create-installation-token 201',
    'create-registration-token 201',
    'connect 201',
  ])
  stop.abort()
  await forges.close()
})

test('the emulated Bitbucket gives a consumer a token, registers a runner, and runs a queued step on it', async () => {
  const { child, addresses, client } = await emulate<BitbucketAddresses>('bitbucket', '--json', '--latency', '50')
  const { url, key, secret, runnersUrl, stepsUrl, workspaceUrl } = addresses
  expect(workspaceUrl).toBe(`${url}/my-workspace`)
  const basic = Buffer.from(`${key}:${secret}`).toString('base64')
  const issued = await client.transport({
    method: 'POST',
    path: '/site/oauth2/access_token',
    query: {},
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: { kind: 'text', text: 'grant_type=client_credentials' },
    expect: 'whole',
  })
  const authorization = `Bearer ${field(issued, 'access_token')}`
  expect((await post(client, runnersUrl, { name: 'r-1' })).status).toBe(401)
  expect((await post(client, runnersUrl, { name: 'r-1' }, { authorization })).status).toBe(200)
  expect((await post(client, '/_emulator/runners/r-1/online')).status).toBe(204)
  const queued = await post(client, stepsUrl, { count: 2, labels: ['linux'] })
  expect(queued.body).toMatchObject({ value: [{ uuid: expect.any(String) }, { uuid: expect.any(String) }] })
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the emulated Bitbucket runs the pipeline of a file on the runners that it starts, and nothing of them stays', async () => {
  const file = path.join(folder, 'bitbucket-pipelines.yml')
  const step = (name: string, command: string) => `- step: { name: ${name}, script: ['${command}'] }`
  const mark = path.join(folder, 'mark')
  const items = [step('one', `pwd > ${mark}`), step('two', 'sleep 600')]
  await writeFile(file, `pipelines:\n  custom:\n    local:\n      ${items.join('\n      ')}\n`)
  const args = ['bitbucket', file, '--pipeline', 'custom/local', '--runners', '1', '--json']
  const { child, client } = await emulate<BitbucketAddresses>(...args)
  const state = async () => {
    const answer = await client.transport({
      method: 'GET',
      path: '/_emulator/state',
      query: {},
      headers: {},
      body: { kind: 'none' },
      expect: 'whole',
    })
    return JSON.stringify(field(answer, 'pipelines.0.steps'))
  }
  await expect
    .poll(async () => (await state()).match(/"name":"two","result":"\w+","id"/g)?.length, { timeout: 10_000 })
    .toBe(1)
  const directory = (await readFile(mark, 'utf8')).trim()
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(path.basename(directory)).toBe('build')
  await expect(stat(path.resolve(directory, '../../../..'))).rejects.toThrow('ENOENT')
})

test('the emulated Gitea queues the jobs of a workflow file, and a runner gets them', async () => {
  const file = path.join(folder, 'gitea.yml')
  const job = 'runs-on: linux, steps: [{ run: "true" }]'
  await writeFile(file, `on: push\njobs:\n  one: { ${job} }\n  two: { needs: one, ${job} }\n`)
  const tokenFile = path.join(folder, 'gitea-token')
  const args = ['gitea', file, '--json', '--repository', 'acme/app', '--token-file', tokenFile]
  const { child, addresses, client } = await emulate<GiteaAddresses>(...args)
  const { url, repository, runnersUrl, jobsUrl, organizationUrl, token } = addresses
  expect([organizationUrl, repository]).toEqual([`${url}/acme`, 'acme/app'])
  expect(await readFile(tokenFile, 'utf8')).toBe(token)
  const authorization = `token ${token}`
  const issued = await post(client, `${runnersUrl}/registration-token`, undefined, { authorization })
  const message = { name: 'r-1', token: field(issued, 'token'), labels: ['linux'] }
  expect((await post(client, '/api/actions/runner.v1.RunnerService/Register', message)).status).toBe(200)
  expect((await post(client, '/_emulator/runners/r-1/online')).status).toBe(204)
  expect((await post(client, '/_emulator/runners/r-1/finish')).status).toBe(204)
  expect((await post(client, jobsUrl, {})).body).toMatchObject({ value: [{ id: '3', status: 'waiting' }] })
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the emulated Gitea is a Forgejo if the dialect says so', async () => {
  const { addresses, client } = await emulate<GiteaAddresses>('gitea', '--json', '--dialect', 'forgejo-15')
  const authorization = `token ${addresses.token}`
  expect((await post(client, addresses.runnersUrl, { name: 'r-1' }, { authorization })).status).toBe(201)
})

test('a pipelines file with a key that is not supported is refused with its path', async () => {
  const file = path.join(folder, 'wrong.yml')
  await writeFile(file, 'pipelines:\n  default:\n    - step: { script: [make], services: [docker] }\n')
  const run = emulateCommand().exitOverride().parseAsync(['bitbucket', file], { from: 'user' })
  await expect(run).rejects.toThrow('`pipelines.default[0].step.services` is not supported here.')
})

test.each([
  [['github', '--runners', '2'], '--runners is for the emulated Bitbucket only.'],
  [['github', '--pipeline', 'default'], '--pipeline is for the emulated Bitbucket only.'],
  [['bitbucket', '--pipeline', 'default'], '--pipeline chooses a pipeline of a file, and no file is given.'],
  [['bitbucket', '--runners', '1', '--tls', 'ca.crt'], 'The runners of --runners connect without TLS.'],
  [['bitbucket', '--ghes'], '--ghes is for the emulated GitHub only.'],
  [['bitbucket', '--app', 'app.pem'], '--app is for the emulated GitHub only.'],
  [['bitbucket', '--token-file', 'token'], '--token-file is for the emulated GitHub and Gitea only.'],
  [['github', '--repository', 'a/b'], '--repository is for the emulated Gitea only.'],
  [['bitbucket', '--dialect', 'gitea-1.27'], '--dialect is for the emulated Gitea only.'],
  [['gitea', '--runners', '2'], '--runners is for the emulated Bitbucket only.'],
  [['gitea', '--repository', 'app'], '--repository app is not a repository of an organization.'],
])('%o is refused with a sentence', async (args, sentence) => {
  const command = emulateCommand().exitOverride()
  await expect(command.parseAsync(args, { from: 'user' })).rejects.toThrow(sentence)
})
