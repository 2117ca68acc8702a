// Jobs whose runner the infrastructure broke run again, once; a job that failed by itself does not.
import { testApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { isFull } from '@dayfly/kit/full.fixture'
import { describe, expect, it } from 'vitest'
import { brokenWorld, type Fate } from './rerun-world.ts'
import { events, status } from './stage.ts'

const latency = { forgeMs: 150, apiMs: 50, max: 10 }

const fates: readonly Fate[] = [
  ...Array.from({ length: 10 }, () => 'evicted-hard' as const),
  ...Array.from({ length: 5 }, () => 'evicted' as const),
  ...Array.from({ length: 5 }, () => 'evicted-late' as const),
  ...Array.from({ length: 5 }, () => 'node-lost' as const),
  ...Array.from({ length: 7 }, () => 'fails' as const),
  ...Array.from({ length: 3 }, () => 'fails-then-evicted' as const),
]

it.each(isFull ? [50, 300] : [300])(
  '25 of 200 jobs lost their runner and run again once, and 10 that failed do not, at %i ms and over the kill of a controller',
  async (forgeMs) => {
    const world = await brokenWorld({ forgeMs, apiMs: 50, max: 20 })
    // Every fifth job has a fate of its own.
    const ids = world.queue(Array.from({ length: 200 }, (_, index) => (index % 5 === 0 ? fates[index / 5] : 'ok')))
    await world.until(() => world.repeated.length >= 10)
    await world.killLeader()
    await world.until(() => world.finished() === 225)
    await world.settle()
    expect(world.repeated).toHaveLength(25)
    expect(new Set(world.repeated.map(({ repeats }) => repeats)).size).toBe(25)
    const broken = ids.filter(({ fate }) => ['evicted', 'evicted-late', 'evicted-hard', 'node-lost'].includes(fate))
    expect(world.repeated.map(({ repeats }) => repeats).toSorted()).toEqual(broken.map(({ id }) => id).toSorted())
    const waits = world.waits().toSorted((left, right) => left - right)
    expect(waits[Math.ceil(waits.length * 0.95) - 1]).toBeLessThanOrEqual(20_000)
    expect(world.pods()).toEqual([])
  },
)

const repeats = (world: Awaited<ReturnType<typeof brokenWorld>>) =>
  world.stage.emulator.control.requests().filter(({ path }) => /\/(?:rerun|rerun-failed-jobs)$/.test(path))
const problems = (world: Awaited<ReturnType<typeof brokenWorld>>) =>
  status(world.stage)['problems'] as readonly { readonly kind: string; readonly detail: string }[]

/** One for all tests, because its key takes long. */
const app = testApp(1)

describe('a permission that the App lacks', () => {
  const asks = /\/repos\//
  const minutes = 10

  it.each([
    ['actions:read', '"Actions" (read)'],
    ['actions:write', '"Actions" (read and write)'],
  ] as const)('%s: the set says so, waits without a storm, and repeats the job once it may', async (denied, says) => {
    const world = await brokenWorld({ ...latency, app, knobs: { denied: [denied] } })
    const { control } = world.stage.emulator
    world.queue(['evicted', 'evicted', 'evicted', 'ok'])
    await world.until(() => world.finished() === 4)
    await world.settle(45_000)
    expect(problems(world)).toEqual([
      expect.objectContaining({ kind: 'rerun', reason: 'rerun-refused', detail: expect.stringContaining(says) }),
    ])
    const before = control.requests().filter(({ path }) => asks.test(path)).length
    await world.settle(minutes * 60_000)
    const asked = control.requests().filter(({ path }) => asks.test(path)).length - before
    // A look, and with it perhaps an attempt, at most once a minute for the whole set.
    expect(asked).toBeLessThanOrEqual(3 * minutes)
    control.knobs({ denied: [] })
    await world.until(() => world.repeated.length === 3)
    await world.settle()
    expect(world.repeated).toHaveLength(3)
    expect(problems(world)).toEqual([])
    expect(status(world.stage)['rerun']).toMatchObject({ repeated: 3, pending: [] })
  })

  it.each(['checks:read', 'checks:write', 'statuses:write'] as const)(
    '%s: the job is repeated all the same, and its author is notified as soon as that is allowed',
    async (denied) => {
      const isToken = denied === 'statuses:write'
      const by = isToken ? {} : { app }
      const world = await brokenWorld({ ...latency, ...by, knobs: { denied: [denied] } })
      const { control } = world.stage.emulator
      world.queue(['evicted'])
      await world.until(() => world.repeated.length === 1)
      await world.settle(30_000)
      expect(problems(world)).toMatchObject([
        { kind: 'rerun', detail: expect.stringContaining(isToken ? '"Commit statuses"' : '"Checks"') },
      ])
      expect(control.notes()).toEqual([])
      control.knobs({ denied: [] })
      await world.settle()
      expect(control.notes()).toMatchObject([isToken ? { kind: 'status' } : { kind: 'check', conclusion: 'neutral' }])
      expect(problems(world)).toEqual([])
      expect(world.repeated).toHaveLength(1)
    },
  )
})

it('a token writes a commit status of at most 140 characters, because only an App may write a check run', async () => {
  const world = await brokenWorld(latency)
  world.queue(['node-lost'])
  await world.until(() => world.repeated.length === 1)
  await world.settle(10_000)
  const [note, ...more] = world.stage.emulator.control.notes()
  expect(note).toMatchObject({ kind: 'status', conclusion: 'success' })
  expect(note?.text).toBe(
    'The node of the runner was lost during the step "Run the script". Dayfly has repeated the job, and you need to do nothing.',
  )
  expect(more).toEqual([])
})

it('a job that needs more memory than its runner has is not repeated, and its author learns the step, the memory and the remedy', async () => {
  const container = { name: 'runner', resources: { limits: { memory: '2Gi' } } }
  const world = await brokenWorld({ ...latency, app, template: { spec: { containers: [container] } } })
  world.queue(['out-of-memory'])
  await world.settle(90_000)
  const [note] = world.stage.emulator.control.notes()
  expect(note?.text).toContain('The job needed more memory than its runner has (2Gi) during the step "Run the script".')
  expect(note?.text).toContain('In the workflow, name a set with more memory instead of `runs-on: linux`')
  await world.settle(700_000)
  expect(world.repeated).toEqual([])
  expect(events(world.stage, 'job-not-repeated')).toMatchObject([{ why: 'cause', cause: 'runner-out-of-memory' }])
})

it('broken jobs of one run are repeated together, but not with a job of it that failed by itself', async () => {
  const world = await brokenWorld(latency)
  world.queue(['evicted', 'node-lost', 'evicted', 'ok'], 1_001)
  world.queue(['evicted', 'fails', 'ok'], 1_002)
  await world.until(() => world.repeated.length === 4)
  await world.settle()
  expect(world.repeated.map(({ runId, name }) => [runId, name]).toSorted()).toEqual([
    [1_001, 'evicted'],
    [1_001, 'evicted'],
    [1_001, 'node-lost'],
    [1_002, 'evicted'],
  ])
  expect(
    repeats(world)
      .map(({ path }) => path.split('/').at(-1))
      .toSorted(),
  ).toEqual(['rerun', 'rerun-failed-jobs'])
})

it('a run is not ended for a dead runner while another job of it goes on', async () => {
  const world = await brokenWorld(latency)
  const [lost] = world.queue(['evicted-hard'], 1_003)
  await world.settle(10_000)
  world.queue(['ok'], 1_003)
  await world.until(() => world.finished() >= 1)
  const ends = () => world.stage.emulator.control.requests().filter(({ path }) => path.endsWith('/force-cancel'))
  expect(ends()).toEqual([])
  await world.until(() => world.repeated.length === 1)
  expect(world.repeated).toMatchObject([{ repeats: lost?.id }])
})

it('a request to repeat a job whose answer is lost is looked up, and never sent again', async () => {
  const world = await brokenWorld(latency)
  world.stage.emulator.control.fault({
    match: { pathRegex: '/rerun$' },
    times: 1,
    action: { kind: 'reset', when: 'after' },
  })
  world.queue(['evicted'])
  await world.until(() => world.repeated.length === 1)
  await world.settle()
  expect(world.repeated).toHaveLength(1)
  expect(repeats(world)).toHaveLength(1)
  expect(events(world.stage, 'job-repeated')).toHaveLength(1)
})

it('the budgets of the run and of the day hold, and each job over them is named', async () => {
  const world = await brokenWorld({ ...latency, rerun: { perRun: 1, perDay: 2 } })
  world.queue(['evicted', 'evicted', 'evicted', 'evicted'])
  await world.until(() => world.finished() === 6)
  await world.settle()
  expect(world.repeated).toHaveLength(2)
  expect(events(world.stage, 'job-not-repeated').map(({ why }) => why)).toEqual(['day-budget', 'day-budget'])
})

it('a set without rerun asks nothing and writes nothing', async () => {
  const world = await brokenWorld({ ...latency, off: true })
  world.queue(['evicted', 'node-lost', 'evicted-hard'])
  await world.settle(900_000)
  expect(world.repeated).toEqual([])
  expect(world.stage.emulator.control.requests().filter(({ path }) => path.includes('/repos/'))).toEqual([])
})
