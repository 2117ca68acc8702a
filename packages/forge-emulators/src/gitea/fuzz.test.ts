// Sends random requests in random order. Every request is answered, the events of each job keep their order, the lists agree with each other, and no timer is left.
import type { Method } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dialectNames } from './dialect.ts'
import { createGiteaEmulator, type GiteaEmulator } from './emulator.ts'
import { field, list } from './test-client.fixture.ts'

type Op = { readonly method: Method; readonly path: string; readonly body?: unknown; readonly runner?: number }

const place = '/api/v1/repos/acme/app'
const rpc = '/api/actions/runner.v1.RunnerService'
const number = fc.integer({ min: 1, max: 6 })
const on = (method: Method, path: string, body?: unknown, runner?: number): Op => ({
  ...{ method, path, body },
  ...(runner === undefined ? {} : { runner }),
})

const workflow = `on: push
concurrency: one
jobs:
  a: {runs-on: linux, strategy: {matrix: {v: [1, 2]}}, steps: [{run: a}]}
  b: {runs-on: linux, needs: a, steps: [{run: a}]}
`

/** Valid requests about one of a few runners, jobs or tasks. */
const sensible: fc.Arbitrary<Op> = number.chain((n) =>
  fc.constantFrom<Op>(
    on('POST', '/_emulator/jobs', { labels: ['linux'], count: n, durationMs: n * 1_000 }),
    on('POST', '/_emulator/jobs', { labels: [], repository: 'acme/site' }),
    on('POST', '/_emulator/workflows', workflow),
    on('POST', `/_emulator/jobs/${n}/cancel`),
    on('POST', `/_emulator/jobs/${n}/rerun`),
    on('POST', `${rpc}/Register`, { name: `r-${n}`, token: '{token}', labels: ['linux'], ephemeral: n % 3 > 0 }),
    on('POST', `${rpc}/FetchTask`, { tasksVersion: '0' }, n),
    on('POST', `${rpc}/UpdateTask`, { state: { id: n, result: 'RESULT_SUCCESS' } }, n),
    on('POST', `${rpc}/UpdateLog`, { taskId: n, index: 0, rows: [{ content: 'x' }] }, n),
    on('PATCH', `${place}/actions/runners/${n}`, { disabled: n % 2 > 0 }),
    on('DELETE', `${place}/actions/runners/${n}`),
    on('POST', `/_emulator/runners/r-${n}/online`),
    on('POST', `/_emulator/runners/r-${n}/finish`),
    on('POST', `/_emulator/runners/r-${n}/vanish`),
  ),
)

/** Requests that may be invalid. */
const noise: fc.Arbitrary<Op> = fc.record({
  method: fc.constantFrom<Method>('GET', 'POST', 'PATCH', 'PUT', 'DELETE'),
  path: fc.constantFrom(
    `${place}/actions/jobs`,
    `${place}/actions/runners/jobs`,
    `${place}/actions/runs/1/rerun`,
    `${place}/contents/.gitea/workflows/%zz`,
    `${place}/hooks`,
    '/api/v1/user/repos',
    '/api/v1/admin/cron/stop_zombie_tasks',
    `${rpc}/Declare`,
    `${rpc}/UpdateTask`,
    `${rpc}/UpdateLog`,
    '/_emulator/knobs',
    '/_emulator/jobs',
    '/_emulator/repositories/acme/site/disable-actions',
    '//_emulator//state/',
    '/',
  ),
  runner: number,
  body: fc.oneof(
    fc.jsonValue(),
    fc.record({ state: fc.record({ id: fc.oneof(number, fc.string()), steps: fc.array(fc.jsonValue()) }) }),
    fc.record({ taskId: number, rows: fc.array(fc.record({ time: fc.string(), content: fc.string() })) }),
    fc.record({ labels: fc.array(fc.string()), version: fc.string() }),
  ),
})

const step = fc.record({
  op: fc.oneof({ weight: 8, arbitrary: sensible }, { weight: 1, arbitrary: noise }),
  advanceMs: fc.constantFrom(0, 0, 0, 0, 1_000, 70_000, 700_000),
})

test.each(dialectNames)(
  '%s: never crashes, keeps the order of events, and leaves no timer',
  async (dialect) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
        const clock = virtualClock()
        const emulator = createGiteaEmulator({
          ...{ clock, random: seededRandom(1), knobs: { dialect } },
          owners: [{ name: 'acme', kind: 'organization', repositories: ['app', 'site'] }],
          credentials: [{ token: 'admin', scopes: ['all'], isSiteAdmin: true }],
        })
        const send = sender(emulator)
        follow(emulator)
        const method = dialect === 'forgejo-15' ? 'GET' : 'POST'
        const issued = await send(on(method, '/api/v1/orgs/acme/actions/runners/registration-token'), {})
        const runners: Record<string, string>[] = []
        for (const { op, advanceMs } of steps) {
          const text = JSON.stringify(op.body)?.replace('{token}', String(field(issued, 'token')))
          const answer = await send({ ...op, body: text && JSON.parse(text) }, runners[(op.runner ?? 0) - 1] ?? {})
          await clock.advance(advanceMs)
          const isSentence = op.path.startsWith('/api/') && answer.status === 500
          expect(isSentence || answer.status < 500, `${op.method} ${op.path}`).toBe(true)
          if (op.path.endsWith('Register') && answer.status === 200) {
            const headers = ['uuid', 'token'].map((name) => [
              `x-runner-${name}`,
              String(field(answer, `runner.${name}`)),
            ])
            runners.push(Object.fromEntries(headers))
          }
        }
        if (dialect === 'gitea-1.26') await checkLists(emulator)
        await checkEnd(emulator, clock)
      }),
      { numRuns: 20 },
    )
  },
  60_000,
)

function sender({ handler }: GiteaEmulator) {
  return ({ method, path, body }: Op, headers: Record<string, string>) =>
    handler({
      ...{ method, path, query: {}, expect: 'whole' },
      headers: { authorization: 'token admin', ...headers },
      body: body === undefined ? { kind: 'none' } : { kind: 'json', value: body },
    })
}

/** A job has one event at a time: it is queued, then started or finished, then queued again. */
function follow(emulator: GiteaEmulator): void {
  const last = new Map<string, string>()
  emulator.control.onJob(({ kind, id, runner }) => {
    const before = last.get(id) ?? 'finished'
    const allowed = { queued: ['finished'], started: ['queued'], finished: ['queued', 'started', 'finished'] }[kind]
    expect(allowed, `${kind} after ${before}`).toContain(before)
    if (kind === 'started') expect(runner).toBeDefined()
    last.set(id, kind)
  })
}

/** The filters divide the list, and each running job names a runner. */
async function checkLists(emulator: GiteaEmulator): Promise<void> {
  const send = sender(emulator)
  const read = async (status?: string) => {
    const query = { limit: '50', ...(status ? { status } : {}) }
    const headers = { authorization: 'token admin' }
    const path = '/api/v1/admin/actions/jobs'
    const body = { kind: 'none' } as const
    return emulator.handler({ method: 'GET', path, query, headers, body, expect: 'whole' })
  }
  const counts = await Promise.all(['queued', 'waiting', 'in_progress', 'completed'].map(read))
  const sum = counts.reduce((total, answer) => total + Number(field(answer, 'total_count')), 0)
  expect(field(await read(), 'total_count')).toBe(sum)
  for (const job of list(await read('in_progress'), 'jobs')) expect(job['runner_name']).toBeDefined()
  const runners = await send(on('GET', '/api/v1/admin/actions/runners'), {})
  expect(field(runners, 'total_count')).toBe(emulator.control.runners().length)
}

/** After two days, every job has ended, and no timer is left. */
async function checkEnd(emulator: GiteaEmulator, clock: VirtualClock): Promise<void> {
  const { control } = emulator
  for (const { uuid } of control.runners()) control.stub.vanish(uuid)
  await clock.advance(2 * 24 * 3_600_000)
  const { handler } = emulator
  const body = { kind: 'none' } as const
  const state = await handler({
    method: 'GET',
    path: '/_emulator/state',
    query: {},
    headers: {},
    body,
    expect: 'whole',
  })
  const open = list(state, 'jobs').filter(({ status }) => /waiting|blocked|running|cancelling/.test(String(status)))
  expect([open, clock.next()]).toEqual([[], undefined])
}
