// Tests `dayfly controller`, the built program, on sets of Bitbucket at Bitbucket's real paces: cordon, end, late steps, faults, deletion.
import { samplesOf } from '@dayfly/controller/metrics/samples.fixture'
import { expect } from 'vitest'
import { until } from '../cli.ts'
import { type BitbucketProcessWorld, consumerSecret, worldTest } from '../controller/bitbucket/process-world.ts'

const waitMs = 120_000

const test = worldTest.extend<{ readonly view: ReturnType<typeof viewOf> }>({
  view: async ({ world }, use) => use(viewOf(world)),
})

function viewOf(world: BitbucketProcessWorld) {
  const runners = (set: string) => world.emulator.control.runners().filter(({ name }) => name.startsWith(`${set}-`))
  const step = (id: string) => world.emulator.control.step(id)
  return {
    runners,
    step,
    idle: (set: string) =>
      until(`${set} has an idle runner`, waitMs, () =>
        runners(set).find(({ status, step }) => status === 'ONLINE' && !step),
      ),
    pods: () => world.registry.list('pods', 'ci').map(({ metadata }) => metadata.name),
    statusOf: (set: string) =>
      (world.registry.get('runnersets.dayfly.dev', 'ci', set)?.['status'] ?? {}) as Readonly<Record<string, unknown>>,
    started: (id: string) => until(`the step ${id} starts`, waitMs, () => step(id)?.times.started),
    completed: (id: string) => until(`the step ${id} ends`, waitMs, () => step(id)?.result),
    cordons: (uuid: string) =>
      world.emulator.control
        .requests()
        .filter(({ method, path }) => method === 'PUT' && decodeURIComponent(path).includes(`${uuid}}/state`)),
  }
}

const isLimited = ({ status }: { readonly status: unknown }) => status === 429

test.concurrent('runs each step on a runner of its own, counts one whose cordon came late, and leaves no runner', async ({
  world,
  view: { completed, cordons, idle, pods, runners, started, statusOf, step },
}) => {
  for (const set of ['once', 'late']) world.addSet(set)
  const controller = world.start('--log-level', 'debug')
  const [once, late] = await Promise.all([idle('once'), idle('late')])
  expect(once.labels).toEqual(['self.hosted', 'linux', 'once'])

  const refused = world.emulator.control.fault({
    match: { method: 'PUT', pathRegex: late.uuid },
    times: 1_000,
    action: { kind: 'answer', status: 503, body: {} },
  })
  const only = world.queue('once', 15_000)
  const first = world.queue('late')
  await started(first)
  await controller.saw('job-started', waitMs, { runner: late.name })
  const second = world.queue('late')
  world.emulator.control.stub.finish(late.name, 'SUCCESSFUL')
  await started(second)
  world.emulator.control.removeFault(refused)
  await controller.saw('job-late', waitMs, { runner: late.name })
  await until('the late runner is cordoned', waitMs, () => runners('late').some(({ status }) => status === 'DISABLED'))

  expect(await completed(only)).toBe('SUCCESSFUL')
  expect(cordons(once.uuid).length).toBeGreaterThan(0)
  await until('the spent runner is removed', waitMs, () => runners('once').every(({ uuid }) => uuid !== once.uuid))
  const next = await idle('once')
  expect(next.steps).toBe(0)
  expect(step(second)?.state).toBe('IN_PROGRESS')
  expect(pods()).toContain(late.name)
  world.emulator.control.stub.finish(late.name, 'SUCCESSFUL')
  expect(step(second)).toMatchObject({ result: 'SUCCESSFUL', runner: { name: late.name, steps: 2 } })
  await until('the late runner is removed', waitMs, () => runners('late').every(({ uuid }) => uuid !== late.uuid))
  await idle('late')

  await until('the status shows the late step', waitMs, () => statusOf('late')['lateJobs'] === 1)
  expect(statusOf('once')).toMatchObject({ lateJobs: 0 })
  const metrics = samplesOf((await controller.get('/metrics')).text)
  const lateJobs = metrics.filter(({ name }) => name === 'dayfly_late_jobs_total')
  expect(lateJobs.map(({ labels, value }) => [labels['set'], value])).toEqual([['late', 1]])
  expect(metrics.filter(({ labels }) => labels['operation'] === 'other')).toEqual([])
  const budget = metrics.find(({ name }) => name === 'dayfly_forge_budget_remaining')
  expect(budget?.value).toBeGreaterThan(900)
  const events = world.registry.list('events', 'ci').map((event) => event['reason'])
  expect(events.filter((reason) => reason === 'JobLate')).toHaveLength(1)

  for (const set of ['once', 'late']) world.registry.delete('runnersets.dayfly.dev', 'ci', set)
  await until('no registration is left', waitMs, () => world.emulator.control.runners().length === 0)
  await until('no pod is left', waitMs, () => pods().length === 0)
  expect(world.registry.list('secrets', 'ci').map(({ metadata }) => metadata.name)).toEqual(['bitbucket'])
  expect(controller.stdout() + controller.stderr()).not.toContain(consumerSecret)
}, 400_000)

test.concurrent('never ends a busy runner: not while its cordon is limited, not while it is offline, and not after a wrong credential', async ({
  world,
  view: { cordons, idle, pods, runners, statusOf, step },
}) => {
  world.emulator.control.knobs({ silentS: 2 })
  world.addSet('faults')
  const controller = world.start()
  const runner = await idle('faults')
  const retryAfterMs = 20_000
  world.emulator.control.fault({
    match: { method: 'PUT', pathRegex: runner.uuid },
    action: { kind: 'answer', status: 429, headers: { 'retry-after': String(retryAfterMs / 1_000) }, body: {} },
  })
  const only = world.queue('faults')
  await controller.saw('job-started', waitMs, { runner: runner.name })
  const limited = await until('the cordon is refused', waitMs, () => cordons(runner.uuid).find(isLimited))
  expect(world.emulator.control.stub.vanish(runner.name)).toBe(true)
  await until('it is offline', waitMs, () => runners('faults').some(({ status }) => status === 'OFFLINE'))
  const quietUntil = limited.at + retryAfterMs
  const again = await until('the cordon is repeated', waitMs, () => cordons(runner.uuid).find((one) => !isLimited(one)))
  const early = world.emulator.control.requests().filter(({ at }) => at > limited.at + 500 && at < quietUntil - 500)
  expect(early).toEqual([])
  expect(again.at).toBeGreaterThanOrEqual(quietUntil - 500)

  world.changeSecret('wrong')
  await controller.saw('forge-failed', waitMs, { reason: 'forge-unauthorized' })
  await until('the status says so', waitMs, () => statusOf('faults')['lastReason'] === 'forge-unauthorized')
  expect(pods()).toContain(runner.name)
  expect(step(only)?.state).toBe('IN_PROGRESS')
  const connected = () => controller.lines().filter(({ event }) => event === 'forge-connected').length
  const before = connected()
  world.changeSecret(consumerSecret)
  await until('it is connected again', waitMs, () => connected() > before)
  expect(world.emulator.control.stub.online(runner.name)).toBe(true)
  await until('it runs on', waitMs, () => step(only)?.state === 'IN_PROGRESS')
  const pod = world.registry.get('pods', 'ci', runner.name)
  expect(pod?.metadata.deletionTimestamp).toBeUndefined()
  expect(world.emulator.control.stub.finish(runner.name, 'SUCCESSFUL')).toBe(true)
  await until('it is removed', waitMs, () => runners('faults').every(({ uuid }) => uuid !== runner.uuid))
  await until('its pod is gone', waitMs, () => !pods().includes(runner.name))
  await idle('faults')
  expect(statusOf('faults')).toMatchObject({ lateJobs: 0 })
}, 400_000)
