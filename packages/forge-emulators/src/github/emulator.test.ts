// The emulator over real HTTP: the minimal happy path (docs/reference/scale-set-protocol.md#s19-6), with the API of the small runner.
import type { Method } from '@dayfly/kit/http'
import { type HttpClient, httpClient } from '@dayfly/kit/http-client'
import type { HttpServer } from '@dayfly/kit/http-server'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JobEvent } from './emulation.ts'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { scriptJob } from './script-job.ts'
import { connectClient, field, jobsOf, queueOf } from './test-client.fixture.ts'

let emulator: GitHubEmulator
let server: HttpServer
let client: HttpClient

beforeEach(async () => {
  emulator = createGitHubEmulator({ clock: systemClock(), random: seededRandom(1) })
  server = await emulator.listen(0)
  client = httpClient({ origin: server.origin })
})

afterEach(async () => {
  await client.close()
  await server.close()
})

/** Returns a function that sends a runner's calls. */
function runnerCalls(jit: string) {
  const files = JSON.parse(Buffer.from(jit, 'base64').toString())
  const read = (name: string) => JSON.parse(Buffer.from(files[name], 'base64').toString())
  const base = new URL(read('.runner').ServerUrlV2)
  const authorization = `Bearer ${read('.credentials').Data.AccessToken}`
  return (method: Method, path: string, body?: unknown) => {
    const url = new URL(path, base)
    return client.transport({
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { authorization },
      body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body },
      expect: 'whole',
    })
  }
}

const job = { labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }

test('a job goes from the queue to its completion, and nothing of it remains', async () => {
  const jobEvents: JobEvent[] = []
  emulator.control.onJob((item) => jobEvents.push(item))
  const github = await connectClient(client.transport)
  const groups = await github.admin('GET', '_apis/runtime/runnergroups/?api-version=6.0-preview&groupName=default')
  expect(field(groups, 'value.0.id')).toBe(1)
  const none = await github.admin('GET', '_apis/runtime/runnerscalesets?name=linux&runnerGroupId=1')
  expect(field(none, 'count')).toBe(0)
  const set = await github.scaleSet('linux')
  const session = await github.session(set)
  expect(field(session, 'statistics.totalAssignedJobs')).toBe(0)
  const queue = queueOf(session)

  const held = github.poll(queue)
  const [queued] = emulator.control.queueJobs([job])
  const assigned = await held
  expect(field(assigned, 'messageId')).toBe(100_000_001)
  expect(jobsOf(assigned)).toMatchObject([{ messageType: 'JobAssigned', jobId: queued?.id, requestLabels: ['linux'] }])
  expect(field(assigned, 'statistics.totalAssignedJobs')).toBe(1)

  const jit = await github.admin('POST', `_apis/runtime/runnerscalesets/${set}/generatejitconfig`, { name: 'r-1' })
  expect(field(jit, 'runner')).toMatchObject({ id: 1, name: 'r-1', runnerScaleSetId: set })
  expect((await github.acknowledge(queue, 100_000_001)).status).toBe(204)

  const started = github.poll(queue, 100_000_001)
  const runner = runnerCalls(String(field(jit, 'encodedJITConfig')))
  const connected = await runner('POST', 'session', {
    ownerName: 'r-1',
    agent: { id: 1, name: 'r-1', version: '2.999.0' },
  })
  expect((await runner('POST', 'session', {})).status).toBe(409)
  const sessionId = field(connected, 'sessionId')
  const message = await runner('GET', `message?sessionId=${sessionId}&status=Online`)
  expect(field(message, 'messageType')).toBe('RunnerJobRequest')
  const request = JSON.parse(String(field(message, 'body')))
  await runner('POST', `acknowledge?sessionId=${sessionId}`, { runnerRequestId: request.runner_request_id })
  const acquired = await runner('POST', `${request.run_service_url}acquirejob`, {
    jobMessageId: request.runner_request_id,
  })
  expect(acquired.body).toMatchObject({ value: { jobId: queued?.id, runId: queued?.runId, name: 'build' } })
  expect(jobsOf(await started)).toMatchObject([{ messageType: 'JobStarted', runnerName: 'r-1', runnerId: 1 }])
  expect(field(await started, 'statistics')).toMatchObject({ totalRunningJobs: 1, totalBusyRunners: 1 })
  await github.acknowledge(queue, 100_000_002)

  const finished = github.poll(queue, 100_000_002)
  await runner('POST', `${request.run_service_url}steps`, { id: 's1', name: 'true', status: 'started', at: 5 })
  await runner('POST', `${request.run_service_url}logs`, { lines: ['hello'] })
  const report = { conclusion: 'success', outputs: { answer: '42' }, steps: [] }
  expect((await runner('POST', `${request.run_service_url}completejob`, report)).status).toBe(200)
  expect((await runner('DELETE', `session?sessionId=${sessionId}`)).status).toBe(204)
  expect(jobsOf(await finished)).toMatchObject([
    { messageType: 'JobCompleted', result: 'succeeded', runnerName: 'r-1' },
  ])
  expect(field(await finished, 'statistics')).toMatchObject({ totalAssignedJobs: 0, totalRegisteredRunners: 0 })
  expect(emulator.control.registrations()).toEqual([])
  expect(jobEvents.map((item) => item.kind)).toEqual(['queued', 'assigned', 'started', 'first-step', 'finished'])
  expect(jobEvents.at(-1)).toMatchObject({ runner: 'r-1', runs: 1, report: { outputs: { answer: '42' } } })
  expect(emulator.control.job(queued?.id ?? '')?.log.lines).toEqual(['hello'])

  const id = field(session, 'sessionId')
  expect((await github.admin('DELETE', `_apis/runtime/runnerscalesets/${set}/sessions/${id}`)).status).toBe(204)

  const log = emulator.control.requests().filter(({ path }) => !path.startsWith('/runner/'))
  const last = ({ query }: (typeof log)[number]) => (query['lastMessageId'] ? ` after ${query['lastMessageId']}` : '')
  const sets = '/tenant/my-org/_apis/runtime/runnerscalesets'
  expect(log.map((entry) => `${entry.method} ${entry.path}${last(entry)} ${entry.status}`)).toEqual([
    'POST /api/v3/orgs/my-org/actions/runners/registration-token 201',
    'POST /api/v3/actions/runner-registration 201',
    'GET /tenant/my-org/_apis/runtime/runnergroups/ 200',
    `GET ${sets} 200`,
    `POST ${sets} 200`,
    `POST ${sets}/1/sessions 200`,
    'GET /scalesets/message 200',
    `POST ${sets}/1/generatejitconfig 200`,
    'DELETE /scalesets/message/100000001 204',
    'GET /scalesets/message after 100000001 200',
    'DELETE /scalesets/message/100000002 204',
    'GET /scalesets/message after 100000002 200',
    `DELETE ${sets}/1/sessions/${id} 204`,
  ])
  expect(log[6]?.headers).toMatchObject({ authorization: 'Bearer [queue]', 'x-scalesetmaxcapacity': '10' })
})
