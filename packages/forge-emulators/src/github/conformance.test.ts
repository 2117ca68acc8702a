// The emulator's conformance cases (docs/reference/scale-set-protocol.md#s20), on a virtual clock.
import { noBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { scriptJob } from './script-job.ts'
import { connectClient, field, jobsOf, type Queue, queueOf, type TestClient } from './test-client.fixture.ts'

let clock: VirtualClock
let emulator: GitHubEmulator
let github: TestClient
let set: number

beforeEach(async () => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1) })
  github = await connectClient(emulator.transport)
  set = await github.scaleSet('linux')
})

afterEach(() => emulator.close())

const job = { labels: ['linux'], name: 'build', message: scriptJob('build', [{ run: 'true' }]) }
const sets = '_apis/runtime/runnerscalesets'

async function openQueue(): Promise<Queue> {
  return queueOf(await github.session(set))
}

/** Returns the status of a poll without a message. */
async function quietPoll(queue: Queue, capacity?: number): Promise<number> {
  const poll = github.poll(queue, 0, capacity)
  await clock.advance(50_000)
  return (await poll).status
}

describe('tokens', () => {
  test('case 16: a queue token on an admin route is refused, and an admin token on the queue', async () => {
    const queue = await openQueue()
    expect((await github.admin('GET', sets, undefined, queue.token)).status).toBe(401)
    expect((await github.admin('POST', `${sets}/${set}/acquirejobs`, [])).status).toBe(401)
    expect((await github.poll({ ...queue, token: github.adminToken })).status).toBe(401)
    expect((await github.admin('GET', sets)).status).toBe(200)
  })

  test('a token expires at its exp, and a refresh returns a new one', async () => {
    emulator.control.knobs({ queueTtlS: 60 })
    const session = await github.session(set)
    const queue = queueOf(session)
    await clock.advance(60_000)
    expect((await github.poll(queue)).status).toBe(401)
    const refreshed = await github.admin('PATCH', `${sets}/${set}/sessions/${field(session, 'sessionId')}`)
    expect(field(refreshed, 'sessionId')).toBe(field(session, 'sessionId'))
    expect(await quietPoll(queueOf(refreshed))).toBe(202)
  })

  test('a refresh keeps the old queue token valid, or revokes it at once', async () => {
    const session = await github.session(set)
    const path = `${sets}/${set}/sessions/${field(session, 'sessionId')}`
    await github.admin('PATCH', path)
    expect((await github.acknowledge(queueOf(session), 1)).status).toBe(204)
    emulator.control.knobs({ revokeOnRefresh: true })
    expect((await github.acknowledge(queueOf(session), 1)).status).toBe(401)
  })

  test('an admin token is valid only in its own scope', async () => {
    const other = await connectClient(emulator.transport, 'other-org')
    expect((await github.admin('GET', sets, undefined, other.adminToken)).status).toBe(401)
  })
})

describe('sessions', () => {
  test('case 50: a second session is refused until the first has had no poll for sessionIdleS', async () => {
    const queue = await openQueue()
    await clock.advance(30_000)
    expect(await quietPoll(queue)).toBe(202)
    const refused = await github.session(set)
    expect(refused.status).toBe(409)
    expect(field(refused, 'typeName')).toContain('RunnerScaleSetSessionConflictException')
    await clock.advance(60_000)
    expect((await github.session(set)).status).toBe(200)
    expect((await github.poll(queue)).status).toBe(404)
  })

  test('a held poll keeps its session active for any time', async () => {
    emulator.control.knobs({ longPollMs: 500_000 })
    const held = github.poll(await openQueue())
    await clock.advance(400_000)
    expect((await github.session(set)).status).toBe(409)
    await clock.advance(100_000)
    expect((await held).status).toBe(202)
  })

  test('case 50: a session whose client vanished in mid-poll expires after sessionIdleS', async () => {
    const queue = await openQueue()
    const { pathname: path } = new URL(queue.url)
    const headers = { authorization: `Bearer ${queue.token}`, 'x-scalesetmaxcapacity': '10' }
    const client = new AbortController()
    const { signal } = client
    const held = emulator.transport({ method: 'GET', path, query: {}, headers, body: noBody, expect: 'whole', signal })
    await clock.advance(10_000)
    client.abort(new Error('killed'))
    await expect(held).rejects.toThrow('killed')
    await clock.advance(59_999)
    expect((await github.session(set)).status).toBe(409)
    await clock.advance(1)
    const successor = await openQueue()
    expect((await github.poll(queue)).status).toBe(404)
    emulator.control.queueJobs([job])
    expect(jobsOf(await github.poll(successor))).toHaveLength(1)
  })

  test('the newer of two polls of one session wins', async () => {
    emulator.control.knobs({ zeroCapacity: 'defer' })
    const queue = await openQueue()
    emulator.control.queueJobs([job])
    const older = github.poll(queue, 0, 0)
    await clock.advance(1_000)
    const newer = github.poll(queue, 0, 10)
    expect((await older).status).toBe(202)
    expect(jobsOf(await newer)).toHaveLength(1)
  })

  test('a deleted session ends its held poll', async () => {
    const session = await github.session(set)
    const held = github.poll(queueOf(session))
    await clock.advance(0)
    const path = `${sets}/${set}/sessions/${field(session, 'sessionId')}`
    expect((await github.admin('DELETE', path)).status).toBe(204)
    expect((await held).status).toBe(404)
    expect(field(await github.admin('PATCH', path), 'typeName')).toContain('RunnerAdminException')
    expect((await github.admin('DELETE', path)).status).toBe(400)
  })
})

describe('messages', () => {
  test('case 61: an unacknowledged message is redelivered with the same id and content', async () => {
    const queue = await openQueue()
    await quietPoll(queue)
    emulator.control.queueJobs([job])
    const first = await github.poll(queue)
    emulator.control.queueJobs([job])
    expect((await github.poll(queue)).body).toEqual(first.body)
    const next = await github.poll(queue, Number(field(first, 'messageId')))
    expect(field(next, 'messageId')).toBe(Number(field(first, 'messageId')) + 1)
    await github.acknowledge(queue, Number(field(first, 'messageId')))
    expect((await github.poll(queue)).body).toEqual(next.body)
  })

  test('case 62: the knob decides the response to the acknowledgement of an unknown message', async () => {
    const queue = await openQueue()
    expect((await github.acknowledge(queue, 7)).status).toBe(204)
    emulator.control.knobs({ unknownMessage: 404 })
    expect((await github.acknowledge(queue, 7)).status).toBe(404)
  })

  test('at most fifty job messages share an envelope', async () => {
    const queue = await openQueue()
    const held = github.poll(queue, 0, 100)
    await clock.advance(0)
    emulator.control.queueJobs(Array.from({ length: 60 }, () => job))
    const first = await held
    expect(jobsOf(first)).toHaveLength(50)
    expect(field(first, 'statistics.totalAssignedJobs')).toBe(60)
    await github.acknowledge(queue, Number(field(first, 'messageId')))
    expect(jobsOf(await github.poll(queue, Number(field(first, 'messageId'))))).toHaveLength(10)
  })

  test('a negative capacity is refused in plain text', async () => {
    const refused = await github.poll(await openQueue(), 0, -1)
    expect(refused.status).toBe(400)
    expect(refused.body.kind).toBe('text')
  })
})

describe('capacity', () => {
  test('no more jobs are assigned than the announced capacity', async () => {
    const queue = await openQueue()
    emulator.control.queueJobs([job, job, job])
    expect(field(await github.poll(queue, 0, 2), 'statistics.totalAssignedJobs')).toBe(2)
  })

  test('case 70 (trapdoor): a job queued while 0 is announced is not delivered after capacity is raised, nor to a new session', async () => {
    const session = await github.session(set)
    expect(await quietPoll(queueOf(session), 0)).toBe(202)
    emulator.control.queueJobs([job])
    expect(await quietPoll(queueOf(session), 10)).toBe(202)
    await github.admin('DELETE', `${sets}/${set}/sessions/${field(session, 'sessionId')}`)
    const queue = await openQueue()
    expect(await quietPoll(queue, 10)).toBe(202)
    const held = github.poll(queue)
    await clock.advance(0)
    emulator.control.queueJobs([job])
    expect(field(await held, 'statistics.totalAssignedJobs')).toBe(1)
  })

  test('case 70 (defer): the job is delivered once capacity is raised', async () => {
    emulator.control.knobs({ zeroCapacity: 'defer' })
    const queue = await openQueue()
    expect(await quietPoll(queue, 0)).toBe(202)
    emulator.control.queueJobs([job])
    expect(jobsOf(await github.poll(queue))).toHaveLength(1)
  })
})

describe('runners', () => {
  const agents = '_apis/distributedtask/pools/0/agents'

  test('case 83: a runner that never started is found by name, counted as registered and not idle, and removable', async () => {
    await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name: 'r-1' })
    const found = await github.admin('GET', `${agents}?agentName=r-1`)
    expect(field(found, 'value.0')).toMatchObject({ id: 1, status: 'offline', busy: false })
    const statistics = { totalRegisteredRunners: 1, totalIdleRunners: 0, totalBusyRunners: 0 }
    expect(field(await github.admin('GET', `${sets}/${set}`), 'statistics')).toMatchObject(statistics)
    expect((await github.admin('DELETE', `${agents}/1`)).status).toBe(204)
    expect(field(await github.admin('GET', `${agents}?agentName=r-1`), 'count')).toBe(0)
    expect((await github.admin('DELETE', `${agents}/1`)).status).toBe(204)
  })

  test('a runner with a job is not removed until the lease of the job has ended, even before it starts the job', async () => {
    const queue = await openQueue()
    await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name: 'r-1' })
    emulator.control.stub.online('r-1')
    expect(await quietPoll(queue)).toBe(202)
    const held = github.poll(queue)
    await clock.advance(0)
    emulator.control.queueJobs([job])
    await held
    const refused = await github.admin('DELETE', `${agents}/1`)
    expect(field(refused, 'typeName')).toContain('JobStillRunningException')
    emulator.control.stub.start('r-1')
    emulator.control.stub.vanish('r-1')
    await clock.advance(599_000)
    expect((await github.admin('DELETE', `${agents}/1`)).status).toBe(400)
    await clock.advance(1_000)
    expect(emulator.control.registrations()).toEqual([])
    const ended = jobsOf(await github.poll(queue, Number(field(await held, 'messageId'))))
    expect(ended).toMatchObject([{ messageType: 'JobStarted' }, { messageType: 'JobCompleted', result: 'failed' }])
  })

  test('a job whose runner vanishes before it starts goes to another runner', async () => {
    const queue = await openQueue()
    for (const name of ['r-1', 'r-2']) await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name })
    await quietPoll(queue)
    const [queued] = emulator.control.queueJobs([job])
    await github.poll(queue)
    emulator.control.stub.online('r-1')
    emulator.control.stub.vanish('r-1')
    emulator.control.stub.online('r-2')
    expect(await emulator.control.stub.job('r-2')).toMatchObject({ id: queued?.id })
  })

  test('a set with a running job is not deleted; a deleted set returns its waiting jobs to the queue', async () => {
    const queue = await openQueue()
    await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name: 'r-1' })
    emulator.control.queueJobs([job, job])
    await github.poll(queue)
    emulator.control.stub.online('r-1')
    emulator.control.stub.start('r-1')
    expect((await github.admin('DELETE', `${sets}/${set}`)).status).toBe(400)
    emulator.control.stub.finish('r-1', { conclusion: 'success', outputs: {}, steps: [], note: undefined })
    expect((await github.admin('DELETE', `${sets}/${set}`)).status).toBe(204)
    set = await github.scaleSet('linux')
    expect(jobsOf(await github.poll(await openQueue()))).toMatchObject([{ messageType: 'JobAssigned' }])
  })
})

describe('lapses', () => {
  test('case 92: an assigned job without a runner is cancelled and assigned again under a new id, with three attempts in all', async () => {
    const queue = await openQueue()
    const [queued] = emulator.control.queueJobs([job])
    const first = await github.poll(queue)
    await github.acknowledge(queue, Number(field(first, 'messageId')))
    await clock.advance(300_000)
    const second = await github.poll(queue)
    const [completed, assigned] = jobsOf(second)
    expect(completed).toMatchObject({
      messageType: 'JobCompleted',
      result: 'canceled',
      jobId: queued?.id,
      runnerName: '',
    })
    expect(assigned).toMatchObject({ messageType: 'JobAssigned', workflowRunId: queued?.runId })
    expect(assigned?.['jobId']).not.toBe(queued?.id)
    expect(field(second, 'statistics.totalAssignedJobs')).toBe(1)
    await clock.advance(600_000 + 900_000)
    expect(emulator.control.job(queued?.id ?? '')).toMatchObject({ attempt: 3, state: 'completed', result: 'canceled' })
  })

  test('case 39: a set without a request for seven days is gone', async () => {
    await clock.advance(7 * 24 * 3_600_000 + 1)
    github = await connectClient(emulator.transport)
    const missing = await github.admin('GET', `${sets}/${set}`)
    expect(missing.status).toBe(404)
    expect(field(missing, 'typeName')).toContain('RunnerScaleSetNotFoundException')
  })

  test('case 37: a change of RunnerSetting alone keeps name and group', async () => {
    const changed = await github.admin('PATCH', `${sets}/${set}`, { RunnerSetting: { disableUpdate: false } })
    expect(changed.body).toMatchObject({
      value: { name: 'linux', runnerGroupId: 1, RunnerSetting: { disableUpdate: false } },
    })
  })
})

describe('cancellation', () => {
  const cancelled = { messageType: 'JobCompleted', result: 'canceled', runnerName: '', runnerId: 0 }

  test('a queued job is cancelled without a message; its set gets a message for an assigned one', async () => {
    const [silent] = emulator.control.queueJobs([job])
    expect(emulator.control.cancel(silent?.id ?? '')).toBe(true)
    const queue = await openQueue()
    await quietPoll(queue)
    const [announced] = emulator.control.queueJobs([job])
    const assigned = await github.poll(queue)
    expect(jobsOf(assigned)).toHaveLength(1)
    emulator.control.cancel(announced?.id ?? '')
    expect(jobsOf(await github.poll(queue, Number(field(assigned, 'messageId'))))).toMatchObject([cancelled])
    expect(emulator.control.cancel(announced?.id ?? '')).toBe(false)
  })
})
