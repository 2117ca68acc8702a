// The control API, the REST API and the legacy mode, as other programs use them.
import type { Answer, Method } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { connectClient, field, jobsOf, queueOf } from './test-client.fixture.ts'

let clock: VirtualClock
let emulator: GitHubEmulator

beforeEach(() => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1), tokens: ['pat'] })
})

afterEach(() => emulator.close())

function call(method: Method, url: string, body?: unknown): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  return emulator.transport({
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { authorization: 'Bearer pat' },
    body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body },
    expect: 'whole',
  })
}

const sets = '_apis/runtime/runnerscalesets'

test('the state dump has everything except tokens, and reset clears it', async () => {
  const github = await connectClient(emulator.transport)
  const set = await github.scaleSet('linux')
  await github.session(set)
  await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name: 'r-1' })
  await call('POST', '/_emulator/jobs', { labels: ['linux'] })
  const state = await call('GET', '/_emulator/state')
  expect(state.body).toMatchObject({
    value: {
      scopes: [{ scope: 'org:my-org' }],
      scaleSets: [{ name: 'linux', statistics: { totalRegisteredRunners: 1 }, session: { owner: 'test-client' } }],
      jobs: [{ state: 'queued', labels: ['linux'] }],
      runners: [{ name: 'r-1', online: false }],
    },
  })
  expect(JSON.stringify(state.body)).not.toContain('eyJ')
  expect((await call('POST', '/_emulator/reset')).status).toBe(204)
  expect((await call('GET', '/_emulator/state')).body).toMatchObject({ value: { scopes: [], jobs: [], runners: [] } })
  expect((await call('GET', '/_emulator/requests')).body).toEqual({ kind: 'json', value: [] })
})

test('queues, follows and cancels jobs, and creates a runner group', async () => {
  const queued = await call('POST', '/_emulator/jobs', { count: 2, labels: ['linux'], runId: 9, displayName: 'test' })
  expect(queued.status).toBe(201)
  expect(queued.body).toMatchObject({ value: [{ runId: 9 }, { runId: 9 }] })
  const jobId = field(queued, '0.jobId')
  expect((await call('POST', `/_emulator/jobs/${jobId}/cancel`)).status).toBe(204)
  expect((await call('POST', `/_emulator/jobs/${jobId}/cancel`)).status).toBe(404)
  expect((await call('GET', `/_emulator/jobs/${jobId}/log`)).body).toMatchObject({ value: { lines: [] } })
  expect((await call('GET', '/_emulator/jobs/none/log')).status).toBe(404)
  expect((await call('POST', '/_emulator/groups', { scope: 'org:my-org', name: 'gpu' })).body).toMatchObject({
    value: { id: 2 },
  })
  const github = await connectClient(emulator.transport)
  expect(field(await github.admin('GET', '_apis/runtime/runnergroups?groupName=GPU'), 'value.0.id')).toBe(2)
})

test.each([
  ['POST', '/_emulator/jobs', { labels: [] }, 'labels'],
  ['POST', '/_emulator/jobs', { labels: ['x'], count: 1e9 }, 'count'],
  ['POST', '/_emulator/jobs', { labels: ['x'], steps: [{ run: '' }] }, 'steps.0.run'],
  ['POST', '/_emulator/jobs', { labels: ['x'], colour: 'red' }, 'colour'],
  ['PUT', '/_emulator/knobs', { longPollMs: -1 }, 'longPollMs'],
  ['POST', '/_emulator/groups', { scope: 'team:a', name: 'b' }, 'scope'],
  ['POST', '/_emulator/faults', { match: { pathRegex: '(' }, action: { kind: 'bom' } }, 'pathRegex'],
  ['POST', '/_emulator/faults', { match: { pathRegex: 'x' }, action: { kind: 'magic' } }, 'action'],
  ['GET', '/_emulator/requests?since=x', undefined, 'since'],
] as const)('refuses %s %s %o with a sentence', async (method, url, body, word) => {
  const answer = await call(method, url, body)
  expect(answer.status).toBe(400)
  expect(field(answer, 'error')).toContain(word)
})

test('advances a virtual clock, and refuses to advance the system clock', async () => {
  const held = call('POST', '/_emulator/clock', { advanceMs: 5_000 })
  const before = clock.now()
  expect((await held).status).toBe(200)
  expect(clock.now() - before).toBe(5_000)
  const real = createGitHubEmulator({ clock: systemClock(), random: seededRandom(1) })
  const body = { kind: 'json', value: { advanceMs: 1 } } as const
  const path = '/_emulator/clock'
  const answer = await real.transport({ method: 'POST', path, query: {}, headers: {}, body, expect: 'whole' })
  expect(answer.status).toBe(409)
})

test('knobs and faults apply to the next request', async () => {
  const github = await connectClient(emulator.transport)
  await call('PUT', '/_emulator/knobs', { keyCase: 'camel', zeroTimes: 'absent' })
  const set = await github.scaleSet('linux')
  expect(field(await github.admin('GET', `${sets}/${set}`), 'runnerSetting')).toEqual({ disableUpdate: true })
  const action = { kind: 'answer', status: 503 }
  const added = await call('POST', '/_emulator/faults', { match: { pathRegex: '/runnerscalesets/1$' }, action })
  expect((await github.admin('GET', `${sets}/${set}`)).status).toBe(503)
  expect((await call('DELETE', `/_emulator/faults/${field(added, 'id')}`)).status).toBe(204)
})

test('a stub runner connects once, waits for its job, and finishes it', async () => {
  const github = await connectClient(emulator.transport)
  const set = await github.scaleSet('linux')
  const queue = queueOf(await github.session(set))
  await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name: 'r-1' })
  expect((await call('POST', '/_emulator/runners/none/online')).status).toBe(404)
  expect((await call('POST', '/_emulator/runners/r-1/online')).status).toBe(204)
  expect((await call('POST', '/_emulator/runners/r-1/online')).status).toBe(409)
  const job = call('GET', '/_emulator/runners/r-1/job')
  await clock.advance(0)
  await call('POST', '/_emulator/jobs', { labels: ['linux'], durationMs: 7, exitCode: 3 })
  const messages = jobsOf(await github.poll(queue))
  expect((await job).body).toMatchObject({ value: { jobId: messages[0]?.['jobId'], durationMs: 7, exitCode: 3 } })
  expect((await call('POST', '/_emulator/runners/r-1/finish', {})).status).toBe(404)
  expect((await call('POST', '/_emulator/runners/r-1/start')).status).toBe(204)
  expect((await call('POST', '/_emulator/runners/r-1/finish', { result: 'failed' })).status).toBe(204)
  expect((await call('GET', '/_emulator/runners/r-1/job')).status).toBe(404)
})

test('a dropped session and a dropped scale set are gone for their client, and waiting jobs are queued again', async () => {
  const github = await connectClient(emulator.transport)
  const set = await github.scaleSet('linux')
  const session = await github.session(set)
  await call('POST', '/_emulator/jobs', { labels: ['linux'] })
  await github.poll(queueOf(session))
  expect((await call('DELETE', `/_emulator/sessions/${field(session, 'sessionId')}`)).status).toBe(204)
  expect((await github.poll(queueOf(session))).status).toBe(404)
  expect((await github.session(set)).status).toBe(200)
  expect((await call('DELETE', `/_emulator/scalesets/${set}`)).status).toBe(204)
  expect((await github.session(set)).status).toBe(404)
  expect(field(await call('GET', '/_emulator/state'), 'jobs.0.state')).toBe('queued')
})

test('sends JobCompleted for a job that continues to run', async () => {
  const github = await connectClient(emulator.transport)
  const set = await github.scaleSet('linux')
  const queue = queueOf(await github.session(set))
  const queued = await call('POST', '/_emulator/jobs', { labels: ['linux'] })
  const assigned = await github.poll(queue)
  await call('POST', `/_emulator/jobs/${field(queued, '0.jobId')}/announce-completed`)
  const early = await github.poll(queue, Number(field(assigned, 'messageId')))
  expect(jobsOf(early)).toMatchObject([{ messageType: 'JobCompleted', result: 'succeeded' }])
  expect(field(early, 'statistics.totalAssignedJobs')).toBe(1)
})

test('REST: lists the runners of a scope in pages, reads and removes them, and requires a valid token', async () => {
  const runners = '/api/v3/orgs/my-org/actions/runners'
  const jit = { runner_group_id: 1, labels: ['gpu'] }
  for (const name of ['a', 'b', 'c'])
    expect((await call('POST', `${runners}/generate-jitconfig`, { ...jit, name })).status).toBe(201)
  expect((await call('POST', `${runners}/generate-jitconfig`, { ...jit, name: 'a' })).status).toBe(409)
  expect((await call('POST', `${runners}/generate-jitconfig`, { name: 'd' })).status).toBe(422)
  const page = await call('GET', `${runners}?per_page=2`)
  expect(field(page, 'total_count')).toBe(3)
  expect(page.headers['link']).toContain('page=2')
  expect((await call('GET', `${runners}?per_page=2&page=2`)).headers['link']).toBeUndefined()
  expect(field(await call('GET', `${runners}/1`), 'name')).toBe('a')
  expect((await call('DELETE', `${runners}/1`)).status).toBe(204)
  expect((await call('GET', `${runners}/1`)).status).toBe(404)
  const left = await call('GET', runners)
  expect([field(left, 'runners.0.name'), field(left, 'runners.1.name'), field(left, 'total_count')]).toEqual([
    'b',
    'c',
    2,
  ])
  expect(field(await call('GET', `${runners}?name=a`), 'total_count')).toBe(0)
  expect((await call('GET', '/orgs/other/actions/runners')).body).toMatchObject({ value: { total_count: 0 } })
  await expect(connectClient(emulator.transport, 'my-org', 'wrong')).rejects.toThrow('401')
})

test('a job that waits for a full scope does not hold up later jobs, of another scope or of any', async () => {
  for (const [org, capacity] of [
    ['full', 0],
    ['free', 2],
  ] as const) {
    const github = await connectClient(emulator.transport, org)
    const queue = queueOf(await github.session(await github.scaleSet('linux')))
    void github.poll(queue, 0, capacity)
  }
  await clock.advance(0)
  for (const scope of ['org:full', 'org:free', undefined])
    expect((await call('POST', '/_emulator/jobs', { labels: ['linux'], scope })).status).toBe(201)
  const state = await call('GET', '/_emulator/state')
  expect([0, 1, 2].map((index) => field(state, `jobs.${index}.state`))).toEqual(['queued', 'assigned', 'assigned'])
})

test('legacy: offers are repeated until they are acquired, at a URL of the session', async () => {
  await call('PUT', '/_emulator/knobs', { mode: 'legacy' })
  const github = await connectClient(emulator.transport)
  const set = await github.scaleSet('linux')
  const queue = queueOf(await github.session(set))
  expect(new URL(queue.url).searchParams.get('tenant')).toBe('my-org')
  await call('POST', '/_emulator/jobs', { labels: ['linux'], count: 2 })
  const offer = await github.poll(queue)
  const ids = jobsOf(offer).map((message) => message['runnerRequestId'])
  expect(field(await github.admin('GET', `${sets}/${set}/acquirablejobs`), 'count')).toBe(2)
  const acquired = await github.admin('POST', `${sets}/${set}/acquirejobs`, [ids[0], 99], queue.token)
  expect(acquired.body).toEqual({ kind: 'json', value: { count: 1, value: [ids[0]] } })
  const next = await github.poll(queue, Number(field(offer, 'messageId')))
  expect(jobsOf(next)).toMatchObject([{ messageType: 'JobAssigned', runnerRequestId: ids[0] }])
  expect(field(next, 'statistics')).toMatchObject({ totalAvailableJobs: 1, totalAssignedJobs: 1 })
  await clock.advance(60_000)
  const again = await github.poll(queue, Number(field(next, 'messageId')))
  expect(jobsOf(again)).toMatchObject([{ messageType: 'JobAvailable', runnerRequestId: ids[1] }])
})
