// Steps and runners of the emulated Bitbucket: who gets a step, when, and what ends it (docs/reference/bitbucket.md#s3-6).
import { beforeEach, expect, test } from 'vitest'
import { type StepStage, stepStage } from './step-stage.fixture.ts'
import { field, runnersUrl } from './test-client.fixture.ts'

let world: StepStage

beforeEach(() => {
  world = stepStage()
})

function queue(labels: readonly string[] = ['linux'], durationMs?: number, repository = 'app') {
  const [uuid = ''] = world.emulator.control.queueSteps([{ repository, labels, durationMs }])
  return () => world.emulator.control.step(uuid)
}

const runner = (name: string) => world.emulator.control.runners().find((each) => each.name === name)
const cordon = (uuid: string, status = 'DISABLED') =>
  world.call('PUT', `${runnersUrl.replace('2.0', 'internal')}/${uuid}/state`, { status })

test('an idle online runner takes a step when it next asks, within 30 s', async () => {
  const uuid = await world.online('r-1')
  await world.clock.advance(10_000)
  const step = queue(['linux'], 5_000)
  expect(step()).toMatchObject({ state: 'READY', runner: { name: 'r-1' } })
  expect(field(await world.call('GET', `${runnersUrl}/${uuid}`), 'state.step')).toBeUndefined()
  await world.clock.advance(20_000)
  expect(step()?.state).toBe('IN_PROGRESS')
  expect(field(await world.call('GET', `${runnersUrl}/${uuid}`), 'state.step')).toMatchObject({ type: 'PIPELINE_STEP' })
  await world.clock.advance(5_000)
  expect(step()).toMatchObject({ state: 'COMPLETED', result: 'SUCCESSFUL' })
  expect(runner('r-1')).toMatchObject({ status: 'ONLINE', step: undefined, steps: 1 })
  expect(world.stepEvents.map(({ kind }) => kind)).toEqual(['queued', 'assigned', 'started', 'finished'])
})

test('with the other knobs a step is shown as soon as it is given, and an idle runner has null', async () => {
  world = stepStage({ stepShown: 'assigned', stepNull: true })
  const uuid = await world.online('r-1')
  expect(field(await world.call('GET', `${runnersUrl}/${uuid}`), 'state.step')).toBeNull()
  await world.clock.advance(10_000)
  queue()
  expect(field(await world.call('GET', `${runnersUrl}/${uuid}`), 'state.step')).toMatchObject({ type: 'PIPELINE_STEP' })
})

test('a step fails at once if no runner with its labels is online', async () => {
  expect(queue()()).toMatchObject({ state: 'COMPLETED', result: 'ERROR' })
  await world.register('registered-only')
  expect(queue()()).toMatchObject({ state: 'COMPLETED', result: 'ERROR' })
  const uuid = await world.online('r-1', ['linux', 'gpu'])
  expect(queue(['linux', 'arm'])()).toMatchObject({ state: 'COMPLETED' })
  expect(queue(['self.hosted', 'linux', 'gpu'])()).toMatchObject({ state: 'IN_PROGRESS' })
  await cordon(uuid)
  expect(queue()()).toMatchObject({ state: 'COMPLETED', reason: expect.stringContaining('online') })
})

test('a step waits while the runners with its labels are busy, and fails after 2.5 h', async () => {
  await world.online('r-1')
  const first = queue()
  await world.clock.advance(30_000)
  const second = queue()
  expect([first()?.state, second()?.state]).toEqual(['IN_PROGRESS', 'PENDING'])
  await world.clock.advance(9_000_000)
  expect(second()).toMatchObject({ state: 'COMPLETED', result: 'ERROR' })
  expect(first()?.state).toBe('IN_PROGRESS')
})

test('a step without an online runner waits if the knob says so', async () => {
  world = stepStage({ noRunner: 'queue' })
  const step = queue()
  expect(step()?.state).toBe('PENDING')
  await world.online('r-1')
  expect(step()?.state).toBe('IN_PROGRESS')
})

test('a runner asks again at once when its step ends, so it may take a second one', async () => {
  await world.online('r-1')
  await world.clock.advance(1_000)
  const steps = [queue(['linux'], 1_000), queue(['linux'], 1_000)]
  await world.clock.advance(30_000)
  expect(steps.map((step) => step()?.state)).toEqual(['COMPLETED', 'IN_PROGRESS'])
  expect(runner('r-1')?.steps).toBe(2)
  expect(world.stepEvents.filter(({ kind }) => kind === 'started').map(({ runs }) => runs)).toEqual([1, 2])
})

test('a cordoned runner finishes its step and gets no other, until it is enabled', async () => {
  const uuid = await world.online('r-1')
  const first = queue()
  await world.clock.advance(30_000)
  const second = queue()
  await cordon(uuid)
  world.emulator.control.stub.finish('r-1', 'FAILED')
  await world.clock.advance(60_000)
  expect(first()).toMatchObject({ state: 'COMPLETED', result: 'FAILED' })
  expect([second()?.state, runner('r-1')?.status]).toEqual(['PENDING', 'DISABLED'])
  await cordon(uuid, 'ENABLED')
  expect(runner('r-1')?.status).toBe('ENABLED')
  await world.clock.advance(30_000)
  expect([second()?.state, runner('r-1')?.status]).toEqual(['READY', 'ONLINE'])
  await world.clock.advance(30_000)
  expect(second()?.state).toBe('IN_PROGRESS')
})

test('a cordon does not take back a step that the runner has been given', async () => {
  const uuid = await world.online('r-1')
  await world.clock.advance(10_000)
  const step = queue()
  await cordon(uuid)
  await world.clock.advance(20_000)
  expect([step()?.state, runner('r-1')?.status]).toEqual(['IN_PROGRESS', 'DISABLED'])
})

test('the removal of a busy runner succeeds and fails its step', async () => {
  const uuid = await world.online('r-1')
  const step = queue()
  await world.clock.advance(30_000)
  expect((await world.call('DELETE', `${runnersUrl}/${uuid}`)).status).toBe(204)
  expect(step()).toMatchObject({ state: 'COMPLETED', result: 'ERROR' })
  expect(world.emulator.control.stub.online('r-1')).toBe(false)
})

test('a runner whose process is gone looks online for a minute, keeps its step, and loses it after ten', async () => {
  await world.online('r-1')
  const step = queue(['linux'], 30_000)
  await world.clock.advance(10_000)
  world.emulator.control.stub.vanish('r-1')
  expect(runner('r-1')?.status).toBe('ONLINE')
  await world.clock.advance(60_000)
  expect(runner('r-1')).toMatchObject({ status: 'OFFLINE', step: expect.any(String) })
  await world.clock.advance(540_000)
  expect(step()).toMatchObject({ result: 'ERROR', reason: 'The runner is lost.' })
  expect(runner('r-1')).toMatchObject({ status: 'OFFLINE', step: undefined })
})

test('a runner that comes back in time keeps its registration and asks again', async () => {
  await world.online('r-1')
  world.emulator.control.stub.vanish('r-1')
  await world.clock.advance(70_000)
  expect(runner('r-1')?.status).toBe('OFFLINE')
  expect(world.emulator.control.stub.online('r-1')).toBe(true)
  expect(queue()()?.state).toBe('IN_PROGRESS')
})

test('an unhealthy runner gets no step', async () => {
  await world.online('r-1')
  world.emulator.control.stub.unhealthy('r-1')
  expect(queue()()?.state).toBe('COMPLETED')
  expect(runner('r-1')?.status).toBe('UNHEALTHY')
})

test('runners of a repository take only its steps, the longest idle one first', async () => {
  await world.online('old')
  await world.clock.advance(1_000)
  await world.call('POST', '/2.0/repositories/acme/app/pipelines-config/runners', { name: 'of-app' })
  world.emulator.control.stub.online('of-app')
  expect(queue(['linux'], undefined, 'site')()?.runner?.name).toBe('old')
  expect(queue(['linux'], undefined, 'site')()?.state).toBe('PENDING')
  expect(queue()()?.runner?.name).toBe('of-app')
})

test('the control API queues steps, starts and ends runners, and shows the state without secrets', async () => {
  const { call } = world
  const created = await call('POST', runnersUrl, { name: 'r-1' })
  expect((await call('POST', '/_emulator/runners/r-1/online')).status).toBe(204)
  const queued = await call('POST', '/_emulator/steps', { labels: ['linux'], count: 2 })
  expect(queued.body).toMatchObject({ value: [{ state: 'IN_PROGRESS' }, { state: 'PENDING' }] })
  expect((await call('POST', '/_emulator/runners/r-1/finish', { result: 'FAILED' })).status).toBe(204)
  const state = await call('GET', '/_emulator/state')
  expect(state.body).toMatchObject({
    value: {
      workspaces: [{ slug: 'acme' }, { slug: 'other' }],
      runners: [{ name: 'r-1', status: 'ONLINE', steps: 2 }],
      steps: [{ result: 'FAILED' }, { state: 'IN_PROGRESS' }],
    },
  })
  expect(JSON.stringify(state.body)).not.toContain(field(created, 'oauth_client.secret'))
  expect((await call('POST', '/_emulator/runners/r-1/vanish')).status).toBe(204)
  expect((await call('POST', '/_emulator/runners/r-1/unhealthy')).status).toBe(204)
  expect((await call('PUT', '/_emulator/knobs', { pickUpMs: 0 })).status).toBe(400)
  expect((await call('PUT', '/_emulator/knobs', { pickUpMs: 5 })).status).toBe(204)
  expect((await call('POST', '/_emulator/steps', { repository: 'none' })).status).toBe(404)
  expect((await call('POST', '/_emulator/reset')).status).toBe(204)
  expect((await call('GET', '/_emulator/state')).body).toMatchObject({ value: { runners: [], steps: [] } })
})

test('a runner asks for its next step also if the clock moves on while the last one ends', async () => {
  world = stepStage({}, 1)
  await world.online('r-1')
  const [first, second] = [queue(), queue()]
  await world.clock.advance(30_000)
  expect(first()?.state).toBe('IN_PROGRESS')
  world.emulator.control.stub.finish('r-1', 'SUCCESSFUL')
  await world.clock.advance(30_000)
  expect(second()?.state).toBe('IN_PROGRESS')
})
