// The small runner lives one job on a real Gitea. It is the server's view of what packages/forge-emulators/src/runner/gitea promises.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobNamed, openStage, type Stage, workflowOf } from './stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage('actions.ZOMBIE_TASK_TIMEOUT=3s')
})
afterAll(() => stage?.close())

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

test('one job of a private repository, from its dispatch to its log, and nothing of the runner stays', async () => {
  const { gitea } = stage
  const steps = ['- uses: actions/checkout@v4', '- run: ls .gitea/workflows', '- run: exit 3', '- run: echo never']
  const repository = await stage.open(workflowOf('greet', ...steps))
  await gitea.admin.must('PATCH', repository, { private: true })
  await stage.dispatch(repository, 1)
  const runner = await stage.launch(repository, 'linux')
  const { code, output } = await runner.ended
  expect(code, output).toBe(0)
  const done = jobNamed(await gitea.jobs(repository), 'greet')
  const { id, name } = runner
  expect(done).toMatchObject({ status: 'completed', conclusion: 'failure', runner_id: id, runner_name: name })
  const log = await gitea.jobLog(repository, done.id)
  expect(log).toMatch(/Z ci\.yml$.*Z ##\[group\]Run exit 3$/ms)
  expect(log).toMatch(/Process completed with exit code 3\.\n.* Job failed\n$/)
  expect(log).not.toMatch(/Z never$/m)
  expect(await stage.isListed(repository, runner.id)).toBe(false)
})

test('a job gets variables, inputs, the outputs of the jobs that it needs, and secrets, which its log does not show', async () => {
  const { gitea } = stage
  const repository = await stage.open(needing)
  await gitea.admin.must('PUT', `${repository}/actions/secrets/PASSWORD`, { data: 'hunter2hunter2' })
  await gitea.admin.must('POST', `${repository}/actions/variables/COLOR`, { value: 'red' })
  const before = await stage.dispatch(repository, 2, { level: 'high' })
  expect(before.map(({ status }) => status).sort()).toEqual(['queued', 'waiting'])
  expect((await (await stage.launch(repository, 'linux')).ended).code).toBe(0)
  await gitea.until(repository, (listed) => jobNamed(listed, 'second (big)').status === 'queued')
  expect((await (await stage.launch(repository, 'linux')).ended).code).toBe(0)
  const second = jobNamed(await gitea.jobs(repository), 'second (big)')
  expect(second.conclusion).toBe('success')
  const log = await gitea.jobLog(repository, second.id)
  expect(log).toMatch(/Z forty two, red, high, big$/m)
  expect(log).toMatch(/Z secret \*\*\* and \*\*\*$/m)
  expect(log).not.toContain('hunter2')
})

test('a job whose condition does not hold is skipped by its runner', async () => {
  const skipped = workflowOf('never', '- run: exit 1').replace('    steps:', '    if: failure()\n    steps:')
  const repository = await stage.open(skipped)
  await stage.dispatch(repository, 1)
  expect((await (await stage.launch(repository, 'linux')).ended).code).toBe(0)
  const done = jobNamed(await stage.gitea.jobs(repository), 'never')
  expect(done).toMatchObject({ status: 'completed', conclusion: 'skipped' })
})

describe('a job under way', () => {
  const ticking = 'echo begun; while sleep 0.2; do echo tick; done'

  test('a cancelled run ends its runner, whose registration is gone at once', async () => {
    const { repository, runner, job } = await stage.begin(ticking)
    const running = await job()
    expect(running).toMatchObject({ status: 'in_progress', runner_id: runner.id })
    await stage.gitea.cancelRun(repository, running.run_id)
    expect(await job()).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
    expect(await stage.isListed(repository, runner.id)).toBe(false)
    const { code, output } = await runner.ended
    expect(code).toBe(0)
    expect(output).toContain('The server has ended the task')
  })

  test('SIGTERM to the runner reports the job as cancelled', async () => {
    const { repository, runner, job } = await stage.begin(ticking)
    runner.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
    const { id, conclusion } = await job()
    expect(conclusion).toBe('cancelled')
    expect(await stage.gitea.jobLog(repository, id)).toMatch(/Job cancelled\n$/)
  })

  test('a killed runner keeps its job until the server stops zombies, and no other runner gets it', async () => {
    const { gitea } = stage
    const { repository, runner, job } = await stage.begin(ticking)
    runner.kill('SIGKILL')
    expect((await runner.ended).code).toBe('SIGKILL')
    const other = await stage.launch(repository, 'linux')
    const status = async () => await gitea.admin.must('GET', `${repository}/actions/runners/${other.id}`)
    // It has asked for a task then.
    await expect.poll(status, { timeout: 20_000 }).toMatchObject({ status: 'online' })
    expect(await job()).toMatchObject({ status: 'in_progress', runner_id: runner.id })
    const conclusion = async () => {
      await gitea.runCron('stop_zombie_tasks')
      return (await job()).conclusion
    }
    await expect.poll(conclusion, { timeout: 30_000, interval: 500 }).toBe('failure')
    expect(await stage.isListed(repository, runner.id)).toBe(false)
    expect(await stage.isListed(repository, other.id)).toBe(true)
    other.kill('SIGTERM')
    expect((await other.ended).code).toBe(143)
  })
})

test('twenty runners beside each other run twenty jobs, each one once', async () => {
  const { gitea } = stage
  const repository = await gitea.createRepository('acme', 'many')
  await gitea.queueJobs(repository, 20, 'many')
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  const started = await Promise.all(numbers.map(() => stage.launch('/orgs/acme', 'many')))
  const ends = await Promise.all(started.map(({ ended }) => ended))
  expect(ends.map(({ code }) => code)).toEqual(numbers.map(() => 0))
  const done = await gitea.jobs(repository)
  expect(done.map(({ conclusion }) => conclusion)).toEqual(numbers.map(() => 'success'))
  expect(new Set(done.map(({ runner_name: name }) => name)).size).toBe(20)
  const printed = await Promise.all(
    done.map(async ({ id }) => /number (\d+)$/m.exec(await gitea.jobLog(repository, id))),
  )
  expect(printed.map((found) => Number(found?.[1])).sort((one, other) => one - other)).toEqual(numbers)
})

test('a runner whose registration is deleted while it waits ends by itself', async () => {
  const { gitea } = stage
  const runner = await stage.launch('/orgs/acme', 'nobody-asks')
  const path = `/orgs/acme/actions/runners/${runner.id}` as const
  const status = async () => await gitea.admin.must('GET', path)
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({ status: 'online', busy: false })
  expect((await gitea.admin.call('DELETE', path)).status).toBe(204)
  const { code, output } = await runner.ended
  expect([code, output]).toEqual([0, expect.stringContaining('unregistered runner')])
})
