// The API of a runner's process (runner-wire.md): states, silence, lost responses, refusals.
import type { Method } from '@dayfly/kit/http'
import { beforeEach, expect, test } from 'vitest'
import { basic, field, runnersUrl, type TestWorkspace, testWorkspace } from './test-client.fixture.ts'

let world: TestWorkspace
let uuid: string
let client: { readonly id: string; readonly secret: string }

beforeEach(async () => {
  world = testWorkspace()
  const created = await world.call('POST', runnersUrl, { name: 'r-1', labels: ['linux'] })
  uuid = String(field(created, 'uuid'))
  client = field(created, 'oauth_client') as typeof client
})

const wire = (method: Method, path: string, body?: unknown, secret = client.secret) =>
  world.call(method, `/runner/${encodeURIComponent(uuid)}/${path}`, body, basic(client.id, secret))
const ask = () => wire('GET', 'step')
const runner = () => world.emulator.control.runners()[0]
const queue = (more: object = {}) => {
  const [id = ''] = world.emulator.control.queueSteps([
    { repository: 'app', labels: ['linux'], script: ['make'], ...more },
  ])
  const report = (end: string, body: unknown = {}) =>
    wire('POST', `steps/${encodeURIComponent(`{${id}}`)}/${end}`, body)
  return { id, report, state: () => world.emulator.control.step(id) }
}

test('a process connects, asks, reports, and completes its step', async () => {
  expect(runner()?.status).toBe('UNREGISTERED')
  expect((await wire('PUT', 'state', { status: 'ONLINE' })).body).toMatchObject({
    value: { pickUpMs: 30_000, renewMs: 10_000 },
  })
  expect([runner()?.status, (await ask()).status]).toEqual(['ONLINE', 204])
  const step = queue({ afterScript: ['clean'], maxTimeMinutes: 5, variables: { A: 'b' } })
  expect(step.state()?.state).toBe('READY')
  // The emulator does not ask for a process, however long it waits.
  await world.clock.advance(31_000)
  expect(step.state()?.state).toBe('READY')
  expect((await ask()).body).toMatchObject({
    value: {
      stepUuid: `{${step.id}}`,
      script: ['make'],
      afterScript: ['clean'],
      maxTimeMinutes: 5,
      variables: {
        A: 'b',
        CI: 'true',
        BITBUCKET_BRANCH: 'main',
        BITBUCKET_BUILD_NUMBER: '1',
        BITBUCKET_REPO_FULL_NAME: 'acme/app',
        BITBUCKET_STEP_UUID: `{${step.id}}`,
      },
    },
  })
  expect([step.state()?.state, runner()?.steps]).toEqual(['IN_PROGRESS', 1])
  expect((await step.report('log', { lines: ['one', 'two'] })).status).toBe(204)
  expect((await step.report('renew')).status).toBe(204)
  expect((await step.report('result', { status: 'FAILED', error: 'It broke.' })).status).toBe(204)
  expect(step.state()).toMatchObject({ result: 'FAILED', reason: 'It broke.', log: { lines: ['one', 'two'] } })
  expect((await world.call('GET', `/_emulator/steps/${step.id}/log`)).body).toMatchObject({
    value: { lines: ['one', 'two'] },
  })
  expect((await step.report('log', { lines: ['late'] })).status).toBe(410)
})

test('a lost response is repeated, but a process that has reported and asks again has lost its step', async () => {
  await ask()
  const step = queue()
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
  expect([step.state()?.state, runner()?.steps]).toEqual(['IN_PROGRESS', 1])
  await step.report('renew')
  expect((await ask()).status).toBe(204)
  expect(step.state()).toMatchObject({ result: 'ERROR', reason: expect.stringContaining('before it had finished') })
})

test('a silent process is offline after a minute and loses its step after ten, and comes back with its next request', async () => {
  await ask()
  const step = queue()
  await ask()
  await world.clock.advance(59_000)
  await step.report('renew')
  await world.clock.advance(59_000)
  expect(runner()?.status).toBe('ONLINE')
  await world.clock.advance(1_000)
  expect([runner()?.status, step.state()?.state]).toEqual(['OFFLINE', 'IN_PROGRESS'])
  await world.clock.advance(540_000)
  expect(step.state()).toMatchObject({ result: 'ERROR', reason: 'The runner is lost.' })
  expect([(await ask()).status, runner()?.status]).toEqual([204, 'ONLINE'])
})

test('a disabled process finishes its step and gets no other', async () => {
  await ask()
  const step = queue()
  await ask()
  const internal = `${runnersUrl.replace('2.0', 'internal')}/${encodeURIComponent(uuid)}/state`
  await world.call('PUT', internal, { status: 'DISABLED' })
  expect((await step.report('renew')).status).toBe(204)
  expect((await step.report('result', { status: 'PASSED' })).status).toBe(204)
  expect([step.state()?.result, runner()?.status, (await ask()).status]).toEqual(['SUCCESSFUL', 'DISABLED', 204])
})

test('an enabled process is online once it asks, and gets a step with its next request', async () => {
  await ask()
  const internal = `${runnersUrl.replace('2.0', 'internal')}/${encodeURIComponent(uuid)}/state`
  for (const status of ['DISABLED', 'ENABLED']) await world.call('PUT', internal, { status })
  expect(runner()?.status).toBe('ENABLED')
  expect([(await ask()).status, runner()?.status]).toEqual([204, 'ONLINE'])
  queue()
  expect((await ask()).status).toBe(200)
})

test('a process that connects later is idle for a shorter time, so another runner gets the step', async () => {
  await world.register('r-2')
  world.emulator.control.stub.online('r-2')
  await world.clock.advance(1_000)
  await ask()
  expect(queue().state()?.runner?.name).toBe('r-2')
})

test('the duration of a step is for stub runners: a process ends its step itself', async () => {
  await ask()
  const step = queue({ script: undefined, durationMs: 5_000, result: 'FAILED' })
  expect(field(await ask(), 'script')).toEqual(['sleep 5', 'exit 1'])
  await world.clock.advance(6_000)
  expect(step.state()?.state).toBe('IN_PROGRESS')
})

test('a wrong client gets 401 and a deleted runner 404, and neither changes a state', async () => {
  expect((await wire('PUT', 'state', {}, 'wrong')).status).toBe(401)
  expect((await world.call('GET', `/runner/${encodeURIComponent(uuid)}/step`)).status).toBe(401)
  expect(runner()?.status).toBe('UNREGISTERED')
  await world.call('DELETE', `${runnersUrl}/${encodeURIComponent(uuid)}`)
  expect((await ask()).status).toBe(404)
})

test('reports that are not valid are refused, and requests of a process do not count against the hour', async () => {
  world.emulator.control.knobs({ callsPerHour: 2 })
  await ask()
  const step = queue()
  await ask()
  for (const body of [{}, { lines: [1] }, { lines: Array(1_001).fill('x') }]) {
    expect((await step.report('log', body)).status).toBe(400)
  }
  expect((await step.report('result', { status: 'SUCCESSFUL' })).status).toBe(400)
  expect(step.state()?.state).toBe('IN_PROGRESS')
  expect((await world.call('GET', runnersUrl)).status).toBe(200)
})

test('a request log shows the header of a process without its secret', async () => {
  await ask()
  expect(JSON.stringify(world.emulator.control.requests())).not.toContain(basic(client.id, client.secret))
  expect(world.emulator.control.requests().at(-1)?.headers['authorization']).toBe('Basic [secret]')
})

test('the log of a step keeps its last lines', async () => {
  await ask()
  const step = queue()
  await ask()
  for (let batch = 0; batch < 3; batch++) {
    await step.report('log', { lines: Array.from({ length: 900 }, (_, line) => `${batch} ${line}`) })
  }
  expect([step.state()?.log.lines.length, step.state()?.log.lines[0]]).toEqual([1_000, '1 800'])
  await step.report('log', { lines: ['x'.repeat(70_000)] })
  expect(step.state()?.log).toEqual({ lines: [], bytes: 0 })
})
