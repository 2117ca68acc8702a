// The small runner as a Gitea runner: real processes against a tiny Gitea over real HTTP.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { jsonAnswer, textAnswer } from '@dayfly/kit/http'
import { listAt, textAt } from '@dayfly/kit/read-json'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { isAlive, type RunnerProgram, runnerProgram } from '../runner-program.fixture.ts'
import { lost, type TinyGitea, type TinyTask, tinyGitea } from './tiny-gitea.fixture.ts'

let program: RunnerProgram
let gitea: TinyGitea
let count = 0
const started: ReturnType<RunnerProgram['start']>[] = []

beforeAll(async () => {
  program = await runnerProgram()
})
afterAll(() => program.remove())
beforeEach(async () => {
  gitea = await tinyGitea()
})
afterEach(async () => {
  for (const runner of started.splice(0)) {
    runner.kill('SIGKILL')
    await runner.ended
  }
  await gitea.close()
})

/** Starts a runner with this state file, which is below the root folder of its container. */
const start = (state: string, env: Readonly<Record<string, string>> = {}) => {
  const root = path.join(path.dirname(program.file), `root-${++count}`)
  mkdirSync(path.join(root, 'data'), { recursive: true })
  writeFileSync(path.join(root, 'data/.runner'), state)
  const runner = program.start(undefined, { DAYFLY_ROOT: root, RUNNER_STATE_FILE: '/data/.runner', ...env })
  started.push(runner)
  return runner
}
const job = (...steps: readonly string[]) =>
  `jobs:\n  build:\n    runs-on: linux\n    outputs:\n      answer: \${{ steps.one.outputs.answer }}\n    steps:\n${steps.map((step) => `      - ${step}\n`).join('')}`
const run = (script: string) => `run: ${JSON.stringify(script)}`
const texts = ({ rows }: TinyTask) => rows.map(({ content }) => content)
const printed = (task: TinyTask, line: RegExp) => gitea.until(() => texts(task).some((text) => line.test(text)))
const methods = () => gitea.calls.map(({ method }) => method)
const steps = (task: TinyTask) => listAt(task.state, 'steps') as Readonly<Record<string, string>>[]

test('runs one task, reports its steps with their parts of the log, and exits with 0', async () => {
  const task = gitea.queue(
    job(`{id: one, ${run('echo "answer=42" >>"$GITHUB_OUTPUT"; echo out')}}`, `{${run('exit 3')}}`, `{${run('true')}}`),
  )
  const { code, output } = await start(gitea.register('r-1')).ended
  expect([code, task.result, task.isArchived, task.outputs]).toEqual([0, 'RESULT_FAILURE', true, { answer: '42' }])
  expect(gitea.calls.slice(0, 2)).toEqual([
    { method: 'Declare', body: { version: 'dayfly', labels: ['linux', 'x64'] } },
    { method: 'FetchTask', body: { tasksVersion: '0' } },
  ])
  expect(methods().at(-1)).toBe('UpdateTask')
  expect(output).toMatch(/msg="task 1 repo is o\/r /)
  // The output of the job stays out of the runner's own.
  expect(output).not.toMatch(/^out$/m)
  expect(steps(task).map(({ result }) => result)).toEqual(['RESULT_SUCCESS', 'RESULT_FAILURE', 'RESULT_SKIPPED'])
  const parts = steps(task).map(({ logIndex, logLength }) => {
    return texts(task).slice(Number(logIndex), Number(logIndex) + Number(logLength))
  })
  expect(parts.map((part) => part[0])).toEqual([
    '##[group]Run echo "answer=42" >>"$GITHUB_OUTPUT"; echo out',
    '##[group]Run exit 3',
    undefined,
  ])
  expect(parts.flat()).toEqual(texts(task).slice(1, -1))
  expect(texts(task)[0]).toBe('r-1 received task 1, which the event push triggered')
  expect(texts(task).at(-1)).toBe('Job failed')
  for (const { time } of task.rows) expect(Date.parse(time)).toBeGreaterThan(0)
})

test('steps have the contexts of the task, but see no credential, and secrets are masked', async () => {
  const context = {
    repository: 'o/r',
    event_name: 'push',
    token: 'job-token-1',
    gitea_runtime_token: 'runtime-token-1',
  }
  const needs = { first: { result: 'RESULT_SUCCESS', outputs: { version: '1.2' } } }
  const more = { context, needs, secrets: { PASSWORD: 'hunter2' }, vars: { COLOR: 'red' } }
  const script =
    'echo "${{ needs.first.outputs.version }} ${{ vars.COLOR }} $GITEA_ACTIONS $GITHUB_REPOSITORY"; env | grep -c STATE_FILE || true; ' +
    'echo "${{ secrets.PASSWORD }} token-r-1 ${{ github.token }} ${{ github.gitea_runtime_token }}"'
  const task = gitea.queue(job(`{${run(script)}}`), more)
  const { output } = await start(gitea.register('r-1')).ended
  expect(texts(task)).toEqual(expect.arrayContaining(['1.2 red true o/r', '0', '*** *** *** ***']))
  for (const secret of ['hunter2', 'token-r-1', 'job-token-1', 'runtime-token-1']) {
    expect(JSON.stringify([task.rows, task.state, output])).not.toContain(secret)
  }
})

test('a job that cannot run here fails with a sentence, and one whose condition does not hold is skipped', async () => {
  const refused = gitea.queue(
    'jobs:\n  build:\n    runs-on: linux\n    container: node:22\n    steps: [{run: "true"}]\n',
  )
  expect((await start(gitea.register('r-1')).ended).code).toBe(0)
  expect([refused.result, texts(refused)[1]]).toEqual([
    'RESULT_FAILURE',
    '##[error]Job containers are not supported here. Remove `container`; the steps run in the runner itself.',
  ])
  const skipped = gitea.queue('jobs:\n  build:\n    if: failure()\n    runs-on: linux\n    steps: [{run: "true"}]\n')
  expect((await start(gitea.register('r-2')).ended).code).toBe(0)
  expect([skipped.result, steps(skipped)[0]?.['result'], texts(skipped).at(-1)]).toEqual([
    'RESULT_SKIPPED',
    'RESULT_SKIPPED',
    'Job skipped',
  ])
})

test.each([
  ['deletes the runner', false, 'unregistered runner'],
  ['answers with a result', true, 'RESULT_CANCELLED'],
])('a task that the server ends stops its steps at once, and the runner exits with 0: it %s', async (_, keepRunner) => {
  // A silent job learns it within 5 s, and one that prints within a second.
  const script = 'echo "pid $$"; while sleep 0.1; do echo tick; done'
  const task = gitea.queue(job(`{${run(script)}}`, `{if: always(), ${run('echo never')}}`))
  const runner = start(gitea.register('r-1'))
  await printed(task, /^pid/)
  const pid = Number(/^pid (\d+)/m.exec(texts(task).join('\n'))?.[1])
  gitea.end(task, 'RESULT_CANCELLED', keepRunner)
  const before = gitea.calls.length
  const { code, output } = await runner.ended
  expect([code, isAlive(pid)]).toEqual([0, false])
  expect(output).toContain('The server has ended the task')
  expect(gitea.calls.length - before).toBeLessThanOrEqual(2)
  expect(texts(task)).not.toContain('never')
})

test('SIGTERM ends the step, reports the job as cancelled, and exits with 143', async () => {
  const task = gitea.queue(job(`{${run('echo begun; sleep 67')}}`, `{if: always(), ${run('echo never')}}`))
  const runner = start(gitea.register('r-1'))
  await printed(task, /^begun$/)
  runner.kill('SIGTERM')
  expect((await runner.ended).code).toBe(143)
  expect([task.result, steps(task).map(({ result }) => result)]).toEqual([
    'RESULT_CANCELLED',
    ['RESULT_CANCELLED', 'RESULT_SKIPPED'],
  ])
})

test('a signal that comes while the server answers with a task does not leave the task hanging', async () => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const task = gitea.queue(job(`{${run('echo never')}}`))
  async function* late() {
    await held
    task.runner = 'uuid-r-1'
    yield JSON.stringify({ task: task.message })
  }
  const headers = { 'content-type': 'application/json' }
  gitea.spoil('FetchTask', { status: 200, headers, body: { kind: 'bytes', chunks: late() } })
  const runner = start(gitea.register('r-1'))
  await gitea.until(() => methods().includes('FetchTask'))
  runner.kill('SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 200))
  release()
  expect((await runner.ended).code).toBe(143)
  expect([task.result, texts(task).includes('never')]).toEqual(['RESULT_CANCELLED', false])
})

test('lost and failed answers to reports lose no row, double none, and the result arrives', async () => {
  const task = gitea.queue(job(`{${run('echo one; sleep 1.5; echo two')}}`))
  gitea.spoil('UpdateLog', 'lose', jsonAnswer(503, {}), 'lose')
  gitea.spoil('UpdateTask', lost, 'lose', textAnswer(502, 'bad gateway'))
  const runner = start(gitea.register('r-1'))
  await printed(task, /^two$/)
  expect((await runner.ended).code).toBe(0)
  expect([task.result, task.isArchived]).toEqual(['RESULT_SUCCESS', true])
  expect(texts(task).filter((text) => /^(one|two|Job succeeded)$/.test(text))).toEqual(['one', 'two', 'Job succeeded'])
})

test('a lost answer to the result is no failure, although the registration is gone', async () => {
  const task = gitea.queue(job(`{${run('echo one')}}`))
  gitea.spoil('UpdateTask', 'lose-result')
  const { code, output } = await start(gitea.register('r-1')).ended
  expect([code, task.result]).toEqual([0, 'RESULT_SUCCESS'])
  expect(output).toContain('The task has ended.')
  expect(methods().slice(-2)).toEqual(['UpdateTask', 'UpdateTask'])
})

test('a refused runner exits with a sentence instead of asking forever', async () => {
  const stranger = await start(gitea.register('r-1', { token: 'wrong' })).ended
  expect([stranger.code, methods()]).toEqual([1, ['Declare']])
  expect(stranger.output).toContain(
    'unregistered runner. It was deleted, or its task has ended. Register a new runner.',
  )
  gitea.spoil('FetchTask', 'refuse')
  const removed = await start(gitea.register('r-2')).ended
  expect([removed.code, methods().slice(1)]).toEqual([0, ['Declare', 'FetchTask']])
  expect(removed.output).toContain('unregistered runner')
})

test('waits for a task; SIGTERM ends the wait, and it exits with 143', async () => {
  const runner = start(gitea.register('r-1'))
  await gitea.until(() => methods().includes('FetchTask'))
  runner.kill('SIGTERM')
  expect((await runner.ended).code).toBe(143)
})

test('a state file that is missing or not valid ends the runner with 1 and a sentence', async () => {
  const missing = await start(gitea.register('r-1'), { RUNNER_STATE_FILE: '/data/other' }).ended
  expect([missing.code, missing.output]).toEqual([
    1,
    expect.stringMatching(/^The state file \/.*\/data\/other cannot be read \(ENOENT\)\. Set RUNNER_STATE_FILE /),
  ])
  const docker = await start(gitea.register('r-2', { labels: ['linux:docker://node:22'] })).ended
  expect([docker.code, docker.output]).toEqual([
    1,
    'The label linux wants docker, and the small runner runs jobs only on its host. Write linux:host.\n',
  ])
  expect(gitea.calls).toEqual([])
  // The variables of a container without a root folder of its own.
  const state = path.join(path.dirname(program.file), 'plain.json')
  writeFileSync(state, gitea.register('r-3'))
  const task = gitea.queue(job(`{${run('true')}}`))
  await start('', { DAYFLY_ROOT: '', RUNNER_STATE_FILE: state }).ended
  expect(textAt(task.state, 'result')).toBe('RESULT_SUCCESS')
})
