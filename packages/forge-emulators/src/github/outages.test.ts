// The outages of the knob: what a client and a runner see while one lasts, and after its end.
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { scriptJob } from './script-job.ts'
import { connectClient, field, jobsOf, queueOf, type TestClient } from './test-client.fixture.ts'

const minute = 60_000
const sets = '_apis/runtime/runnerscalesets'

let clock: VirtualClock
let emulator: GitHubEmulator
let github: TestClient
let set: number
let queue: ReturnType<typeof queueOf>

beforeEach(async () => {
  clock = virtualClock()
  emulator = createGitHubEmulator({ clock, random: seededRandom(1) })
  github = await connectClient(emulator.transport)
  set = await github.scaleSet('linux')
  queue = queueOf(await github.session(set))
})
afterEach(() => emulator.close())

const queueJob = () =>
  emulator.control.queueJobs([{ labels: ['linux'], name: 'a', message: scriptJob('a', [{ run: 'true' }]) }])[0]?.id ??
  ''

async function onlineRunner(name: string): Promise<void> {
  await github.admin('POST', `${sets}/${set}/generatejitconfig`, { name })
  expect(emulator.control.stub.online(name)).toBe('online')
}

test('assigns-nothing: the job is counted, and the idle runner gets it only after the outage', async () => {
  emulator.control.knobs({ outage: 'assigns-nothing' })
  queueJob()
  const message = await github.poll(queue)
  expect(field(message, 'statistics')).toMatchObject({ totalAssignedJobs: 1, totalRunningJobs: 0 })
  await onlineRunner('r-1')
  expect(emulator.control.stub.start('r-1')).toBe('absent')
  emulator.control.knobs({ outage: 'none' })
  expect(emulator.control.stub.start('r-1')).toBe('started')
})

test('removes-idle: an idle runner is gone after two to six minutes, and a busy one stays', async () => {
  await onlineRunner('before')
  emulator.control.knobs({ outage: 'removes-idle' })
  await onlineRunner('idle')
  const waiting = emulator.control.stub.job('idle')
  await clock.advance(2 * minute - 1)
  expect(emulator.control.registrations()).toHaveLength(2)
  await clock.advance(4 * minute)
  expect(emulator.control.registrations()).toEqual([])
  expect(await waiting).toBeUndefined()
  expect(await emulator.control.stub.job('idle')).toBe('absent')
  queueJob()
  await github.poll(queue)
  await onlineRunner('busy')
  emulator.control.stub.start('busy')
  await clock.advance(8 * minute)
  expect(emulator.control.registrations()).toMatchObject([{ name: 'busy', busy: true }])
  await onlineRunner('late')
  emulator.control.knobs({ outage: 'none' })
  await clock.advance(8 * minute)
  expect(emulator.control.registration('late')).toBeDefined()
})

test('queue-delayed: a message arrives ten minutes late with the statistics of its arrival', async () => {
  emulator.control.knobs({ outage: 'queue-delayed' })
  const empty = github.poll(queue)
  await clock.advance(1)
  queueJob()
  await clock.advance(minute)
  expect((await empty).status).toBe(202)
  const poll = github.poll(queue)
  await clock.advance(9 * minute - 1)
  expect((await poll).status).toBe(202)
  const late = github.poll(queue)
  await clock.advance(1)
  expect(jobsOf(await late)).toMatchObject([{ messageType: 'JobAssigned' }])
  await onlineRunner('r-1')
  emulator.control.stub.start('r-1')
  emulator.control.knobs({ outage: 'none' })
  // Meanwhile the first attempt has lapsed.
  const types = jobsOf(await github.poll(queue, 100_000_001)).map(({ messageType }) => messageType)
  expect(types).toEqual(['JobCompleted', 'JobAssigned', 'JobStarted'])
})

test('fails: each call except those of runners and of the control API gets 503', async () => {
  emulator.control.knobs({ outage: 'fails' })
  expect((await github.admin('GET', sets)).status).toBe(503)
  expect((await github.poll(queue)).status).toBe(503)
  const call = (path: string) =>
    emulator.transport({ method: 'GET', path, query: {}, headers: {}, body: { kind: 'none' }, expect: 'whole' })
  expect((await call('/api/v3/orgs/my-org')).status).toBe(503)
  expect((await call('/runner/message')).status).toBe(401)
  expect((await call('/_emulator/state')).status).toBe(200)
  emulator.control.knobs({ outage: 'none' })
  expect((await github.admin('GET', sets)).status).toBe(200)
})
