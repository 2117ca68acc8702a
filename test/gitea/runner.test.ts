// The small runner lives one job on a real Gitea: it is the server's view of what packages/forge-emulators/src/runner/gitea promises.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gitea, type GiteaJob, type Level, openGitea, type RegisteredRunner } from './open-gitea.ts'
import { openRunnerProcesses, type RunnerProcess, type RunnerProcesses } from './runner-processes.ts'

let gitea: Gitea
let runners: RunnerProcesses
let count = 0

beforeAll(async () => {
  gitea = await openGitea('actions.ZOMBIE_TASK_TIMEOUT=3s')
  runners = await openRunnerProcesses(gitea.url)
  await gitea.createOrganization('acme')
})
afterAll(async () => {
  await runners?.close()
  await gitea?.close()
})

/** Creates a repository with one workflow that waits for its dispatch. */
async function open(workflow: string): Promise<Level> {
  const repository = await gitea.createRepository('acme', `app-${++count}`)
  await gitea.commitWorkflow(repository, 'ci.yml', `on: workflow_dispatch\n${workflow}`)
  return repository
}
async function launch(level: Level, ...labels: readonly string[]): Promise<RunnerProcess & RegisteredRunner> {
  const runner = await gitea.register(level, `r-${++count}`, ...labels)
  return { ...runner, ...(await runners.start(runner, ...labels)) }
}
const queued = (repository: Level, jobs: number) =>
  gitea.until(repository, (listed) => listed.length === jobs && listed.some(({ status }) => status === 'queued'))
const job = (listed: readonly GiteaJob[], name: string) => {
  const found = listed.find((each) => each.name === name)
  if (!found) throw new Error(`no job ${name}`)
  return found
}
const isListed = async (level: Level, id: number) =>
  (await gitea.admin.call('GET', `${level}/actions/runners/${id}`)).status === 200

const needing = `on:
  workflow_dispatch:
    inputs: {level: {type: choice, options: [low, high]}}
jobs:
  first:
    runs-on: linux
    outputs: {answer: "\${{ steps.one.outputs.answer }}"}
    steps:
      - {id: one, run: 'echo "answer=forty two" >>"$GITHUB_OUTPUT"'}
  second:
    needs: first
    if: needs.first.outputs.answer != ''
    runs-on: linux
    strategy: {matrix: {size: [big]}}
    steps:
      - run: echo "\${{ needs.first.outputs.answer }}, \${{ vars.COLOR }}, \${{ inputs.level }}, \${{ matrix.size }}"
      - run: echo "secret \${{ secrets.PASSWORD }} and \${{ github.token }}"
`

test('one job, from its dispatch to its log, and nothing of the runner stays', async () => {
  const repository = await open(
    'jobs:\n  greet:\n    runs-on: linux\n    steps:\n      - uses: actions/checkout@v4\n      - run: ls .gitea/workflows\n      - name: fails\n        run: exit 3\n      - run: echo never\n',
  )
  await gitea.admin.must('PATCH', repository, { private: true })
  await gitea.dispatch(repository, 'ci.yml')
  await queued(repository, 1)
  const runner = await launch(repository, 'linux')
  const { code, output } = await runner.ended
  expect(code, output).toBe(0)
  const done = job(await gitea.jobs(repository), 'greet')
  expect(done).toMatchObject({
    status: 'completed',
    conclusion: 'failure',
    runner_id: runner.id,
    runner_name: runner.name,
  })
  const log = await gitea.jobLog(repository, done.id)
  expect(log).toMatch(/ ci\.yml\n.* ##\[group\]Run exit 3\n/s)
  expect(log).toMatch(/Process completed with exit code 3\.\n.* Job failed\n$/)
  expect(log).not.toMatch(/ never\n/)
  expect(await isListed(repository, runner.id)).toBe(false)
})

test('a job gets secrets, which its log does not show, variables, inputs, and the outputs of the jobs that it needs', async () => {
  const repository = await gitea.createRepository('acme', `app-${++count}`)
  await gitea.commitWorkflow(repository, 'ci.yml', needing)
  await gitea.admin.must('PUT', `${repository}/actions/secrets/PASSWORD`, { data: 'hunter2hunter2' })
  await gitea.admin.must('POST', `${repository}/actions/variables/COLOR`, { value: 'red' })
  await gitea.dispatch(repository, 'ci.yml', { level: 'high' })
  const before = await queued(repository, 2)
  expect(before.map(({ status }) => status).sort()).toEqual(['queued', 'waiting'])
  expect((await (await launch(repository, 'linux')).ended).code).toBe(0)
  await gitea.until(repository, (listed) =>
    listed.some(({ name, status }) => /second/.test(name) && status === 'queued'),
  )
  expect((await (await launch(repository, 'linux')).ended).code).toBe(0)
  const second = job(await gitea.jobs(repository), 'second (big)')
  expect(second.conclusion).toBe('success')
  const log = await gitea.jobLog(repository, second.id)
  expect(log).toMatch(/ forty two, red, high, big\n/)
  expect(log).toMatch(/ secret \*\*\* and \*\*\*\n/)
  expect(log).not.toContain('hunter2')
})

test('a job whose condition does not hold is skipped by its runner', async () => {
  const repository = await open('jobs:\n  never:\n    if: failure()\n    runs-on: linux\n    steps: [{run: exit 1}]\n')
  await gitea.dispatch(repository, 'ci.yml')
  await queued(repository, 1)
  expect((await (await launch(repository, 'linux')).ended).code).toBe(0)
  expect(job(await gitea.jobs(repository), 'never')).toMatchObject({ status: 'completed', conclusion: 'skipped' })
})

describe('a job under way', () => {
  const long = (script: string) => `jobs:\n  long:\n    runs-on: linux\n    steps:\n      - run: ${script}\n`
  /** Starts a job, and resolves when its first step has begun. Before that, the answer with the task could be lost. */
  async function begin(script = 'echo begun; while sleep 0.2; do echo tick; done') {
    const repository = await open(long(script))
    await gitea.dispatch(repository, 'ci.yml')
    const [{ id }] = (await queued(repository, 1)) as [GiteaJob]
    const runner = await launch(repository, 'linux')
    await expect.poll(() => gitea.jobLog(repository, id), { timeout: 30_000 }).toMatch(/Z begun$/m)
    return { repository, runner, running: job(await gitea.jobs(repository), 'long') }
  }

  test('a cancelled run ends its runner, whose registration is gone at once', async () => {
    const { repository, runner, running } = await begin()
    expect(running.runner_id).toBe(runner.id)
    await gitea.cancelRun(repository, running.run_id)
    expect(job(await gitea.jobs(repository), 'long')).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
    expect(await isListed(repository, runner.id)).toBe(false)
    const { code, output } = await runner.ended
    expect(code).toBe(0)
    expect(output).toContain('The server has ended the task')
  })

  test('SIGTERM to the runner reports the job as cancelled', async () => {
    const { repository, runner } = await begin()
    runner.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
    const done = job(await gitea.jobs(repository), 'long')
    expect(done.conclusion).toBe('cancelled')
    expect(await gitea.jobLog(repository, done.id)).toMatch(/Job cancelled\n$/)
  })

  test('a killed runner keeps its job until the server stops zombies, and no other runner gets it', async () => {
    const { repository, runner } = await begin()
    runner.kill('SIGKILL')
    expect((await runner.ended).code).toBe('SIGKILL')
    const other = await launch(repository, 'linux')
    // Longer than the timeout, so that only the cron task is missing.
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(job(await gitea.jobs(repository), 'long')).toMatchObject({ status: 'in_progress', runner_id: runner.id })
    await gitea.runCron('stop_zombie_tasks')
    await gitea.until(repository, ([one]) => one?.conclusion === 'failure')
    expect([await isListed(repository, runner.id), await isListed(repository, other.id)]).toEqual([false, true])
    other.kill('SIGTERM')
    expect((await other.ended).code).toBe(143)
  })

  test('a restart of the server does not end the job', async () => {
    const { repository, runner } = await begin('echo begun; sleep 5; echo done')
    await gitea.server.stop('SIGKILL')
    await gitea.server.start()
    expect((await runner.ended).code).toBe(0)
    const done = job(await gitea.jobs(repository), 'long')
    expect(done.conclusion).toBe('success')
    const log = await gitea.jobLog(repository, done.id)
    expect(log.match(/Z (begun|done)$/gm)).toEqual(['Z begun', 'Z done'])
  })
})

test('twenty runners beside each other run twenty jobs, each one once', async () => {
  const repository = await gitea.createRepository('acme', 'many')
  await gitea.queueJobs(repository, 20, 'many')
  const started = await Promise.all(Array.from({ length: 20 }, () => launch('/orgs/acme', 'many')))
  const ends = await Promise.all(started.map(({ ended }) => ended))
  expect(ends.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 0))
  const done = await gitea.jobs(repository)
  expect(done.map(({ conclusion }) => conclusion)).toEqual(Array.from({ length: 20 }, () => 'success'))
  expect(new Set(done.map((each) => each.runner_name)).size).toBe(20)
  expect(new Set(done.map((each) => each.run_attempt))).toEqual(new Set([1]))
})

test('a runner whose registration is deleted while it waits ends by itself', async () => {
  const runner = await launch('/orgs/acme', 'nobody-asks')
  const listed = async () => (await gitea.admin.call('GET', `/orgs/acme/actions/runners/${runner.id}`)).value
  await expect.poll(listed, { timeout: 20_000 }).toMatchObject({ status: 'online', busy: false })
  expect((await gitea.admin.call('DELETE', `/orgs/acme/actions/runners/${runner.id}`)).status).toBe(204)
  const { code, output } = await runner.ended
  expect([code, output]).toEqual([0, expect.stringContaining('unregistered runner')])
})
