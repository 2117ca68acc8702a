// Reads jobs of tasks: conditions, contexts, and what cannot run here.
import { describe, expect, test } from 'vitest'
import { readState } from './credential.ts'
import { readTaskJob } from './read-job.ts'
import { readTask, type Task } from './read-task.ts'

const task = (workflow: string, more: Partial<Task> = {}): Task => ({
  id: '7',
  workflow: Buffer.from(workflow),
  context: { workflow: 'ci.yml' },
  secrets: {},
  vars: {},
  needs: {},
  ...more,
})
const job = (lines: string) =>
  `name: ci\njobs:\n  build:\n    runs-on: linux\n${lines}\n    steps:\n      - run: echo hi\n`
const needs = (result: 'success' | 'failure' | 'skipped'): Partial<Task> => ({
  needs: { first: { result, outputs: { go: 'yes' } } },
})

describe('the condition of a job', () => {
  test.each<[string, Partial<Task>, boolean]>([
    ['', {}, true],
    ['', needs('failure'), false],
    ['always()', needs('failure'), true],
    ['failure()', needs('failure'), true],
    ['failure()', needs('success'), false],
    ['failure()', {}, false],
    ['cancelled()', needs('failure'), false],
    ["needs.first.outputs.go == 'yes'", needs('success'), true],
    ["needs.first.outputs.go == 'yes'", needs('failure'), false],
    ["'success()' == 'success()'", needs('failure'), false],
    ["${{ !success() && needs.first.result == 'skipped' }}", needs('skipped'), true],
    ["vars.COLOR == 'red'", { vars: { COLOR: 'red' } }, true],
    ['false', {}, false],
  ])('%s with %j: %s', (condition, more, runs) => {
    const read = readTaskJob(task(job(condition === '' ? '' : `    if: ${JSON.stringify(condition)}`), more))
    expect(read).toMatchObject({ is: 'job', runs })
  })
})

test('the job has the contexts of the task, its own matrix, and the defaults of the workflow', () => {
  const workflow = `on:
  workflow_dispatch:
    inputs:
      fast: { type: boolean, default: true }
      level: { type: choice, options: [low, high] }
env: { A: outer }
defaults: { run: { shell: "\${{ vars.SHELL }}" } }
jobs:
  build:
    runs-on: linux
    timeout-minutes: "\${{ fromJSON(vars.MINUTES) }}"
    strategy: { fail-fast: false, matrix: { os: [a], version: [1.18] } }
    env: { A: inner }
    concurrency: only-one
    outputs: { x: "\${{ steps.two.outputs.x }}" }
    steps:
      - run: echo one
        if: vars.SHELL
      -
      - { id: two, uses: actions/checkout@v4, with: { path: sub } }
      - uses: docker/login-action@v3
`
  const context = {
    workflow: 'ci.yml',
    run_id: '12',
    repositoryUrl: 'http://127.0.0.1:3000/o/r',
    event: { inputs: { fast: 'false' } },
  }
  const read = readTaskJob(task(workflow, { context, vars: { SHELL: 'sh', MINUTES: '5' }, secrets: { S: 'x' } }))
  expect(read).toMatchObject({
    is: 'job',
    job: {
      jobId: '7',
      runId: 12,
      key: 'build',
      contexts: {
        github: context,
        vars: { SHELL: 'sh' },
        secrets: { S: 'x' },
        inputs: { fast: false, level: 'low' },
        matrix: { os: 'a', version: 1.18 },
        strategy: { 'fail-fast': false },
      },
      env: [{ A: 'outer' }, { A: 'inner' }],
      defaults: { shell: 'sh', workingDirectory: undefined },
      timeoutMinutes: 5,
      outputs: { x: '${{ steps.two.outputs.x }}' },
      steps: [
        { id: '__0', kind: 'run', if: 'success() && (vars.SHELL)' },
        { id: 'two', kind: 'checkout', path: 'sub' },
        { id: '__2', kind: 'unsupported', uses: 'docker/login-action@v3' },
      ],
      repository: 'http://127.0.0.1:3000/o/r',
    },
  })
})

test('a repository on this machine is a path', () => {
  const context = { repositoryUrl: 'file:///srv/a%20b' }
  expect(readTaskJob(task(job(''), { context }))).toMatchObject({ job: { repository: '/srv/a b' } })
})

test.each([
  ['jobs: {}', 'The task has 0 jobs, and not one.'],
  ['jobs: {a: {steps: []}, b: {steps: []}}', 'The task has 2 jobs, and not one.'],
  ['jobs: [', expect.stringMatching(/^ci\.yml:1:\d+: This is not valid YAML/)],
  [
    job('    services: { db: { image: postgres } }'),
    expect.stringMatching(/^Service containers are not supported here/),
  ],
  [job('    strategy: { matrix: { os: x } }'), "The matrix vector 'os' is not a list."],
  [job('    if: nope('), expect.stringContaining('cannot be evaluated')],
  [job('    timeout-minutes: ${{ nope. }}'), expect.stringContaining('cannot be evaluated')],
])('refuses %j with a sentence', (workflow, sentence) => {
  expect(readTaskJob(task(workflow))).toEqual({ is: 'refused', sentences: [sentence] })
})

describe('a task', () => {
  test('without its optional members is read, and another value is refused', () => {
    expect(readTask({ id: '1', workflowPayload: 'YQ==' })).toMatchObject({ id: '1', secrets: {}, needs: {} })
    expect(
      readTask({ id: '1', workflowPayload: '', needs: { a: { result: 'RESULT_FAILURE' }, b: {} } })?.needs,
    ).toEqual({
      a: { result: 'failure', outputs: {} },
      b: { result: 'skipped', outputs: {} },
    })
    for (const value of [
      undefined,
      'x',
      {},
      { id: 1, workflowPayload: '' },
      { id: '1', workflowPayload: '', vars: { a: 1 } },
    ]) {
      expect(readTask(value)).toBeUndefined()
    }
  })
})

describe('a state file', () => {
  const state = {
    uuid: 'u',
    name: 'r',
    token: 'hunter2',
    address: 'http://127.0.0.1:3000/git',
    labels: ['a:host', 'b'],
  }
  test.each<[string, object, unknown]>([
    ['with all members', {}, { labels: ['a', 'b'], address: 'http://127.0.0.1:3000/git/' }],
    ['without a token', { token: '' }, undefined],
    ['with a wrong address', { address: 'gitea' }, undefined],
    ['with HTTPS', { address: 'https://gitea.example' }, expect.stringContaining('speaks only HTTP')],
    ['with a Docker label', { labels: ['a', 'b:docker://x:1'] }, expect.stringContaining('Write b:host.')],
    ['that is not ephemeral', { ephemeral: false }, expect.stringContaining('must be ephemeral')],
  ])('%s', (_, more, read) => {
    const text = JSON.stringify({ ...state, ephemeral: true, ...more })
    const found = readState(text)
    if (typeof read === 'object' && read !== null && 'labels' in read) expect(found).toMatchObject(read)
    else expect(found).toEqual(read)
    if (typeof found === 'string') expect(found).not.toContain('hunter2')
  })

  test('a text without a JSON object is not valid', () => {
    for (const text of ['', '{', '[]', 'null', '"x"']) expect(readState(text)).toBeUndefined()
  })
})
