// Workflow files at the emulated Gitea: needs, conditions, matrices, labels, concurrency, reruns. A real Gitea 1.26.0 gave the same states.
import { beforeEach, expect, test } from 'vitest'
import { workflowKind } from '../source/kind.ts'
import { checkSource } from '../source/source.ts'
import { parseWorkflowSource } from '../workflow/parse.ts'
import type { WorkflowRun } from './run-workflow.ts'
import { field, list, type RegisteredRunner, type TestServer, testServer } from './test-client.fixture.ts'

let server: TestServer
let runner: RegisteredRunner

beforeEach(async () => {
  server = testServer()
  runner = await server.register('/repos/acme/app', 'r', { labels: ['x', 'y'], ephemeral: false })
})

const step = 'steps: [{run: echo}]'

async function start(text: string, checkout?: { readonly branch: string }): Promise<WorkflowRun> {
  const workflow = await parseWorkflowSource(checkSource('ci/flow.yml', Buffer.from(text), workflowKind))
  const local = checkout && { root: '/', name: 'a/b', sha: 'f'.repeat(40), ...checkout }
  return server.emulator.control.runWorkflow(workflow, { repository: 'acme/app', checkout: local })
}

const states = (run: WorkflowRun) => run.jobs().map(({ name, status }) => `${name} ${status}`)

async function take() {
  return Object(field(await server.rpc('FetchTask', {}, runner), 'task'))
}

async function end(result = 'RESULT_SUCCESS', outputs: object = {}): Promise<object> {
  const task = await take()
  await server.rpc('UpdateTask', { state: { id: task.id, result }, outputs }, runner)
  return task
}

const chain = `on: push
jobs:
  a: {runs-on: x, ${step}}
  b: {needs: a, runs-on: x, ${step}}
  c: {needs: b, if: '\${{ always() }}', runs-on: x, ${step}}
  d: {needs: b, runs-on: x, ${step}}
`

test('a job with needs is blocked until they have ended, and gets their results and outputs', async () => {
  const run = await start(chain)
  expect(states(run)).toEqual(['a waiting', 'b blocked', 'c blocked', 'd blocked'])
  await end('RESULT_SUCCESS', { o: 'v' })
  expect(states(run)).toEqual(['a success', 'b waiting', 'c blocked', 'd blocked'])
  expect(await end()).toMatchObject({ needs: { a: { result: 'RESULT_SUCCESS', outputs: { o: 'v' } } } })
  await end()
  expect(run.result()).toBeUndefined()
  await end()
  expect([await run.done, run.result()]).toEqual(['success', 'success'])
})

test('a job whose need failed is skipped, except if it has a condition: its runner evaluates that', async () => {
  const run = await start(chain)
  await end('RESULT_FAILURE')
  expect(states(run)).toEqual(['a failure', 'b skipped', 'c waiting', 'd skipped'])
  expect(await end('RESULT_SKIPPED')).toMatchObject({ needs: { b: { result: 'RESULT_SKIPPED' } } })
  expect(await run.done).toBe('failure')
})

test('a matrix makes a job for each combination, with its values in name, labels and file', async () => {
  const run = await start(`on: workflow_dispatch
env: {A: b}
jobs:
  many:
    runs-on: \${{ matrix.os }}
    strategy: {matrix: {os: [x, b], v: [2, 1]}}
    ${step}
  named:
    name: has \${{ matrix.v }} in it
    runs-on: [y, '\${{ vars.NOPE }}']
    strategy: {matrix: {v: [2, 10]}}
    ${step}
`)
  const names = ['many (b, 1)', 'many (b, 2)', 'many (x, 1)', 'many (x, 2)', 'has 10 in it', 'has 2 in it']
  expect(run.jobs().map(({ name }) => name)).toEqual(names)
  const all = list(await server.rest('GET', '/repos/acme/app/actions/jobs'), 'jobs')
  expect(all.map(({ labels }) => labels)).toEqual([['b'], ['b'], ['x'], ['x'], ['y', ''], ['y', '']])
  const { workflowPayload, context } = await take()
  expect([context.job, context.event_name, context.workflow]).toEqual(['many', 'workflow_dispatch', 'flow.yml'])
  const text = Buffer.from(workflowPayload, 'base64').toString()
  const alone = await parseWorkflowSource(checkSource('flow.yml', Buffer.from(text), workflowKind))
  expect(alone).toMatchObject({
    env: { A: 'b' },
    jobs: [{ key: 'many', name: 'many (x, 1)', runsOn: 'x', strategy: { matrix: { os: ['x'], v: [1] } } }],
  })
})

test('the names of steps show what they run', async () => {
  await start(`on: push
jobs:
  a:
    runs-on: x
    steps:
      - run: |
          echo one
          echo two
      - uses: actions/checkout@v4
      - {name: named, run: echo}
`)
  await take()
  const [job] = list(await server.rest('GET', '/repos/acme/app/actions/jobs'), 'jobs')
  expect(job?.['steps']).toMatchObject([
    { name: 'Run echo one', number: 0, status: 'in_progress' },
    { name: 'Run actions/checkout@v4', number: 1 },
    { name: 'named', number: 2 },
  ])
})

test('a run has the branch and the commit of its checkout', async () => {
  await start(chain, { branch: 'topic' })
  const { context } = await take()
  expect([context.ref_name, context.sha]).toEqual(['topic', 'f'.repeat(40)])
})

const grouped = `on: push
concurrency: group-\${{ github.ref_name }}
jobs:
  a: {runs-on: x, ${step}}
  b: {runs-on: x, ${step}}
`

test('a newer run of a concurrency group waits for a running one, and cancels those that wait', async () => {
  const first = await start(grouped)
  await take()
  const [second, third, other] = [await start(grouped), await start(grouped), await start(grouped, { branch: 'topic' })]
  expect([first, second, third, other].map(states)).toEqual([
    ['a running', 'b waiting'],
    ['a cancelled', 'b cancelled'],
    ['a blocked', 'b blocked'],
    ['a waiting', 'b waiting'],
  ])
  expect(field(await server.rest('GET', '/repos/acme/app/actions/jobs?status=waiting'), 'total_count')).toBe(2)
  await server.rpc('UpdateTask', { state: { id: '1', result: 'RESULT_SUCCESS' } }, runner)
  // The server releases the next run with the first job that ends, although another one still waits.
  expect([states(first), states(third)]).toEqual([
    ['a success', 'b waiting'],
    ['a waiting', 'b waiting'],
  ])
})

test('a newer run cancels a running one if its group says so', async () => {
  const text = grouped.replace('concurrency: group-', 'concurrency:\n  cancel-in-progress: true\n  group: ')
  const first = await start(text)
  await take()
  const second = await start(text)
  expect([states(first), states(second)]).toEqual([
    ['a cancelled', 'b cancelled'],
    ['a waiting', 'b waiting'],
  ])
  expect(await first.done).toBe('cancelled')
})

test('a cancelled run ends all its jobs, and releases the run that waits for it', async () => {
  const first = await start(grouped)
  await take()
  const second = await start(grouped)
  expect([first.cancel(), first.cancel(), first.result()]).toEqual([true, false, 'cancelled'])
  expect(states(second)).toEqual(['a waiting', 'b waiting'])
})

test('a rerun queues a job and those that need it, but of a matrix only the first', async () => {
  const run = await start(`on: push
jobs:
  a: {runs-on: x, ${step}}
  many: {needs: a, runs-on: x, strategy: {matrix: {v: [1, 2]}}, ${step}}
  last: {needs: many, runs-on: x, ${step}}
`)
  const url = `/repos/acme/app/actions/runs/${run.id}`
  expect((await server.rest('POST', `${url}/rerun`)).body).toMatchObject({
    value: { message: 'this workflow run is not done' },
  })
  for (let index = 0; index < 4; index++) await end()
  const [first] = run.jobs()
  const again = await server.rest('POST', `${url}/jobs/${first?.id}/rerun`)
  expect(again).toMatchObject({
    status: 201,
    body: { value: { id: Number(first?.id), status: 'queued', run_attempt: 1 } },
  })
  expect(states(run)).toEqual(['a waiting', 'many (1) blocked', 'many (2) success', 'last blocked'])
})

test.each([
  ['rerun', ['a waiting', 'b blocked', 'c blocked', 'd blocked']],
  ['rerun-failed-jobs', ['a waiting', 'b blocked', 'c blocked', 'd blocked']],
])('%s of a run whose first job failed queues all jobs', async (path, expected) => {
  const run = await start(chain)
  await end('RESULT_FAILURE')
  await end()
  expect((await server.rest('POST', `/repos/acme/app/actions/runs/${run.id}/${path}`)).status).toBe(201)
  expect(states(run)).toEqual(expected)
})

test('a run lists its jobs, and a run that does not exist lists none', async () => {
  const run = await start(chain)
  const of = (id: number, filter = '') => server.rest('GET', `/repos/acme/app/actions/runs/${id}/jobs${filter}`)
  expect(field(await of(run.id), 'total_count')).toBe(4)
  expect(field(await of(run.id, '?status=queued'), 'total_count')).toBe(1)
  expect((await of(99)).body).toEqual({ kind: 'json', value: { jobs: [], total_count: 0 } })
})

test('a push starts every workflow of the repository with that event, and a dispatch only one', async () => {
  const { rest } = server
  const commit = (file: string, text: string) => {
    const content = Buffer.from(text).toString('base64')
    return rest('POST', `/repos/acme/app/contents/${file}`, { content })
  }
  const count = async () => field(await rest('GET', '/repos/acme/app/actions/jobs'), 'total_count')
  expect((await commit('.gitea/workflows/a.yml', chain)).status).toBe(201)
  const both = `on: [push, workflow_dispatch]\njobs: {a: {runs-on: x, ${step}}}\n`
  await commit('.github/workflows/b.yml', both)
  expect(await count()).toBe(9)
  for (const [file, text] of [
    ['.gitea/workflows/bad.yml', 'on: push\njobs: ['],
    ['docs/workflows/c.yml', both],
  ] as const) {
    expect((await commit(file, text)).status).toBe(201)
  }
  expect(await count()).toBe(9)
  const dispatch = (name: string) => rest('POST', `/repos/acme/app/actions/workflows/${name}/dispatches`)
  expect([(await dispatch('b.yml')).status, (await dispatch('a.yml')).status]).toEqual([204, 404])
  expect(await count()).toBe(10)
  server.emulator.control.archive('acme/app')
  await commit('.gitea/workflows/a.yml', chain)
  expect(await count()).toBe(10)
})
