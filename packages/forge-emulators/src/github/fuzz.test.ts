// Sends random requests in random order. Every request is answered, no job ends or runs twice, the statistics stay consistent, and no timer is left.
import type { Method } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGitHubEmulator, type GitHubEmulator } from './emulator.ts'
import { connectClient, field, queueOf, type TestClient } from './test-client.fixture.ts'

const tenant = '/tenant/my-org/_apis'
const set = `${tenant}/runtime/runnerscalesets/1`
type Op = { readonly method: Method; readonly path: string; readonly token?: string; readonly body?: unknown }

const number = fc.integer({ min: 1, max: 6 })
const on = (method: Method, path: string, body: unknown = undefined, token = 'admin') => ({ method, path, body, token })

/** Valid requests with one of a few runners, jobs or counts. */
const sensible: fc.Arbitrary<Op> = number.chain((n) =>
  fc.constantFrom<Op>(
    on('POST', '/_emulator/jobs', { labels: ['linux'], count: n }),
    on('POST', `/_emulator/jobs/{job-${n}}/cancel`),
    on('GET', '/scalesets/message', undefined, 'queue'),
    on('DELETE', `/scalesets/message/${100_000_000 + n}`, undefined, 'queue'),
    on('POST', `${set}/generatejitconfig`, { name: `r-${n}` }),
    on('POST', `${set}/acquirejobs`, [n, n + 1], 'queue'),
    on('POST', `/_emulator/runners/r-${n}/online`),
    on('POST', `/_emulator/runners/r-${n}/start`),
    on('POST', `/_emulator/runners/r-${n}/finish`, { result: 'succeeded' }),
    on('POST', `/_emulator/runners/r-${n}/vanish`),
    on('DELETE', `${tenant}/distributedtask/pools/0/agents/${n}`),
    on('POST', `${set}/sessions`, { ownerName: 'x' }),
  ),
)

/** Requests that may be invalid. */
const noise: fc.Arbitrary<Op> = fc.record({
  method: fc.constantFrom<Method>('GET', 'POST', 'PATCH', 'PUT', 'DELETE'),
  path: fc.constantFrom(
    set,
    '/api/v3/actions/runner-registration',
    '/api/v3/orgs/%zz/actions/runners/registration-token',
    '/api/v3/orgs/my-org/actions/runners',
    '/api/v3/orgs/my-org/actions/runners/generate-jitconfig',
    `${tenant}/runtime/runnerscalesets`,
    `${set}/acquirablejobs`,
    '/scalesets/message',
    '/runner/session',
    '/runner/message',
    '/runner/jobs/{job-1}/acquirejob',
    '/_emulator/groups',
    '/_emulator/clock',
    '//_emulator//state/',
    '/',
  ),
  token: fc.constantFrom('admin', 'queue', 'runner', 'registration', 'none'),
  body: fc.oneof(
    fc.jsonValue(),
    fc.record({ name: fc.string(), labels: fc.array(fc.string()), runner_group_id: number }),
    fc.record({ url: fc.constantFrom('https://x/%zz', 'https://x/my-org'), runner_event: fc.constant('register') }),
    fc.record({ scope: fc.constantFrom('org:my-org', 'org:', 'x'), name: fc.string() }),
    fc.record({ conclusion: fc.string(), steps: fc.array(fc.jsonValue()) }),
  ),
})

const step = fc.record({
  op: fc.oneof({ weight: 6, arbitrary: sensible }, { weight: 1, arbitrary: noise }),
  capacity: fc.constantFrom('0', '3', '3', '10', '10'),
  advanceMs: fc.constantFrom(0, 0, 0, 0, 1_000, 70_000, 700_000),
})

test.each(['hosted', 'legacy'] as const)(
  '%s: never crashes, never runs a job twice, and leaves no timer',
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
        const clock = virtualClock()
        const emulator = createGitHubEmulator({ clock, random: seededRandom(1), knobs: { longPollMs: 0, mode } })
        const github = await connectClient(emulator.transport)
        await github.scaleSet('linux')
        const tokens = await tokensOf(emulator, github)
        const jobs = follow(emulator)
        for (const { op, capacity, advanceMs } of steps) {
          const path = op.path.replace(/\{job-(\d)\}/, (_, index) => [...jobs.keys()][index - 1] ?? 'none')
          const headers = { authorization: tokens[op.token ?? 'none'] ?? '', 'x-scalesetmaxcapacity': capacity }
          const body = op.body === undefined ? ({ kind: 'none' } as const) : ({ kind: 'json', value: op.body } as const)
          const pending = emulator.handler({ method: op.method, path, query: {}, headers, body, expect: 'whole' })
          await clock.advance(advanceMs)
          const answer = await pending
          expect(answer.status, `${op.method} ${path}`).toBeLessThan(500)
          if (path.endsWith('/sessions') && answer.status === 200) tokens['queue'] = `Bearer ${queueOf(answer).token}`
          await checkStatistics(emulator, github)
        }
        await checkEnd(emulator, clock, jobs)
      }),
      { numRuns: 60 },
    )
  },
  60_000,
)

async function tokensOf(emulator: GitHubEmulator, github: TestClient): Promise<Record<string, string>> {
  const path = '/api/v3/orgs/my-org/actions/runners/registration-token'
  const headers = { authorization: 'Bearer pat' }
  const body = { kind: 'none' } as const
  const issued = await emulator.transport({ method: 'POST', path, query: {}, headers, body, expect: 'whole' })
  const jit = await github.admin('POST', '_apis/runtime/runnerscalesets/1/generatejitconfig', { name: 'wired' })
  const files = JSON.parse(Buffer.from(String(field(jit, 'encodedJITConfig')), 'base64').toString())
  const credentials = JSON.parse(Buffer.from(files['.credentials'], 'base64').toString())
  return {
    admin: `Bearer ${github.adminToken}`,
    queue: `Bearer ${queueOf(await github.session(1)).token}`,
    registration: `RemoteAuth ${field(issued, 'token')}`,
    runner: `Bearer ${credentials.Data.AccessToken}`,
    none: '',
  }
}

/** Counts how often each job has ended, by id. */
function follow(emulator: GitHubEmulator): ReadonlyMap<string, number> {
  const ended = new Map<string, number>()
  emulator.control.onJob(({ kind, id, runs }) => {
    const before = ended.get(id) ?? 0
    ended.set(id, kind === 'finished' ? before + 1 : before)
    expect(runs).toBeLessThanOrEqual(1)
    expect(before).toBe(0)
  })
  return ended
}

async function checkStatistics(emulator: GitHubEmulator, github: TestClient): Promise<void> {
  const answer = await github.admin('GET', '_apis/runtime/runnerscalesets/1')
  if (answer.status !== 200) return
  const of = (name: string) => Number(field(answer, `statistics.total${name}`))
  expect(of('AssignedJobs')).toBeGreaterThanOrEqual(of('RunningJobs'))
  expect(of('RegisteredRunners')).toBeGreaterThanOrEqual(of('BusyRunners') + of('IdleRunners'))
  const registrations = emulator.control.registrations()
  const online = registrations.filter((runner) => runner.online)
  expect(online.filter((runner) => runner.busy).length).toBe(of('BusyRunners'))
  expect(registrations.filter((runner) => runner.busy).length).toBeGreaterThanOrEqual(of('RunningJobs'))
}

/** Cancels every job and breaks every runner's connection. Then each job has ended once, and after two days no timer is left. */
async function checkEnd(
  emulator: GitHubEmulator,
  clock: VirtualClock,
  jobs: ReadonlyMap<string, number>,
): Promise<void> {
  for (const id of jobs.keys()) emulator.control.cancel(id)
  for (const { name } of emulator.control.registrations()) emulator.control.stub.vanish(name)
  await clock.advance(2 * 24 * 3_600_000)
  expect([...jobs.values()].every((count) => count === 1)).toBe(true)
  expect(emulator.control.registrations()).toEqual([])
  expect(clock.next()).toBeUndefined()
}
