// Pipelines on the emulated Bitbucket with stub runners on a virtual clock, and the control API that starts them.
import { beforeEach, expect, test } from 'vitest'
import { type StepStage, stepStage } from './step-stage.fixture.ts'
import { field } from './test-client.fixture.ts'

let world: StepStage

beforeEach(() => {
  world = stepStage()
})

const step = (name: string, more = '') => `{ step: { name: ${name}, script: [make] ${more} } }`
const start = async (items: string, query = '') => {
  const answer = await world.call('POST', `/_emulator/pipelines${query}`, `pipelines: { default: [${items}] }`)
  expect(answer.status).toBe(201)
  return String(field(answer, 'uuid'))
}
const view = (uuid: string) => world.call('GET', `/_emulator/pipelines/${uuid}`)
const results = async (uuid: string) => {
  const steps = field(await view(uuid), 'steps') as readonly { name: string; result: string }[]
  return steps.map(({ name, result }) => `${name} ${result}`).join(', ')
}
const finish = (runner: string, result: 'SUCCESSFUL' | 'FAILED' = 'SUCCESSFUL') =>
  world.emulator.control.stub.finish(runner, result)
const running = () => world.emulator.control.runners().flatMap(({ name, step }) => (step ? [name] : []))

test('steps run in their order, on the runners with their labels, and a parallel group side by side', async () => {
  await world.online('small')
  await world.online('big', ['linux', 'big'])
  const uuid = await start(
    `${step('a')}, { parallel: [${step('b', ', runs-on: big')}, ${step('c', ', runs-on: linux')}] }`,
  )
  expect(running()).toEqual(['small'])
  finish('small')
  await world.clock.advance(30_000)
  expect(running()).toEqual(['small', 'big'])
  expect(field(await view(uuid), 'result')).toBeUndefined()
  finish('big')
  finish('small')
  expect(await results(uuid)).toBe('a SUCCESSFUL, b SUCCESSFUL, c SUCCESSFUL')
  expect(field(await view(uuid), 'result')).toBe('SUCCESSFUL')
  const started = world.stepEvents.filter(({ kind }) => kind === 'started')
  expect(started.map(({ name, runner, runs }) => `${name} ${runner} ${runs}`).sort()).toEqual([
    'a small 1',
    'b big 1',
    'c small 2',
  ])
})

test('a step without an online runner fails at once, and so does its pipeline', async () => {
  const uuid = await start(`${step('a', ', runs-on: gpu')}, ${step('b')}`)
  expect(await results(uuid)).toBe('a ERROR, b NOT_RUN')
  expect(field(await view(uuid), 'result')).toBe('ERROR')
})

test('fail-fast stops the steps of its group that run or wait, and their runners are idle', async () => {
  await world.online('r-1')
  await world.online('r-2')
  const steps = [step('a'), step('b'), step('c')].join(', ')
  const uuid = await start(`{ parallel: { fail-fast: true, steps: [${steps}] } }, ${step('d')}`)
  await world.clock.advance(30_000)
  finish('r-1', 'FAILED')
  expect(await results(uuid)).toBe('a FAILED, b STOPPED, c STOPPED, d NOT_RUN')
  expect([running(), field(await view(uuid), 'result')]).toEqual([[], 'FAILED'])
})

test('the control API stops a pipeline once, and a reset ends those that are under way', async () => {
  await world.online('r-1')
  const uuid = await start(`${step('a')}, ${step('b')}`)
  expect((await world.call('POST', `/_emulator/pipelines/${uuid}/stop`)).status).toBe(204)
  expect(await results(uuid)).toBe('a STOPPED, b NOT_RUN')
  expect((await world.call('POST', `/_emulator/pipelines/${uuid}/stop`)).status).toBe(404)
  const pipeline = { file: '', selector: 'default', groups: [], notes: [] }
  expect(() => world.emulator.control.runPipeline(pipeline, { repository: 'none', labels: [] })).toThrow('none')
  const other = await start(step('a'))
  expect((await world.call('POST', '/_emulator/reset')).status).toBe(204)
  expect(world.stepEvents.at(-1)).toMatchObject({ kind: 'finished', result: 'STOPPED' })
  expect((await view(other)).status).toBe(404)
})

test('the query chooses pipeline, repository and labels, and the variables follow it', async () => {
  await world.online('r-1', ['linux', 'big'])
  const text = `pipelines: { custom: { x: [${step('a')}] }, tags: { v1: [${step('t')}] } }`
  const url = '/_emulator/pipelines?repository=site&labels=linux,big&selector='
  const custom = await world.call('POST', `${url}custom/x`, text)
  expect([field(custom, 'buildNumber'), field(custom, 'notes')]).toEqual([1, []])
  const one = world.emulator.control.step(world.stepEvents[0]?.id ?? '')
  expect(one?.spec).toMatchObject({
    repository: 'site',
    labels: ['linux', 'big'],
    variables: { BITBUCKET_BRANCH: 'main' },
  })
  finish('r-1')
  expect(field(await world.call('POST', `${url}tags/v1`, text), 'buildNumber')).toBe(2)
  const two = world.emulator.control.step(world.stepEvents.at(-1)?.id ?? '')
  expect(two?.spec.variables).toEqual({ BITBUCKET_TAG: 'v1' })
  expect((await world.call('POST', `${url}default`, text)).body).toMatchObject({
    value: { error: expect.stringContaining('It has: custom/x, tags/v1.') },
  })
  expect((await world.call('POST', '/_emulator/pipelines?repository=none', text)).status).toBe(404)
})

test('the control API refuses a file with its position and a next step', async () => {
  const refused = await world.call(
    'POST',
    '/_emulator/pipelines',
    'pipelines:\n  default:\n    - step: { script: [a], caches: [x] }\n',
  )
  expect(refused.status).toBe(400)
  expect(field(refused, 'error')).toMatch(/^bitbucket-pipelines.yml:3:\d+: .*\.caches` is not supported here\./)
  expect((await world.call('POST', '/_emulator/pipelines', { pipelines: {} })).status).toBe(400)
  expect((await world.call('POST', '/_emulator/pipelines')).status).toBe(400)
  expect((await world.call('GET', '/_emulator/steps/none/log')).status).toBe(404)
})
