// Decides whether a scale set is ours. A name proves nothing.
import { jsonAnswer, TransportError } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { readForgeEvents } from '../../event-reader.fixture.ts'
import { createBench } from '../bench.fixture.ts'
import {
  envelope,
  exception,
  list,
  queuePath,
  scaleSet,
  sessionsPath,
  setPath,
  setsPath,
} from '../scripted-github.fixture.ts'

const account = 'http://github.test/acme'
const duplicate = jsonAnswer(400, { message: 'A runner scale set named linux already exists.' })

test('creates the set only after the declaration is stored', async () => {
  const { github, clock, open, pass } = createBench()
  const reader = readForgeEvents(await open())
  reader.ackAll = false
  const { state } = await reader.find('state')
  expect(state).toEqual({ account, scaleSetId: '', creating: 'linux', sessionId: '' })
  await clock.advance(500)
  expect(github.sent('POST', setsPath)).toEqual([])
  reader.batches[0]?.ack()
  reader.ackAll = true
  await pass(reader.find('state', (event) => event.state['scaleSetId'] === '117'))
  const { state: last } = (await pass(reader.find('state', (event) => event.state['sessionId'] !== ''))) ?? {}
  expect(last).toEqual({
    account,
    scaleSetId: '117',
    creating: '',
    sessionId: '4fd0ffb0-d365-4dae-99ff-8dae173984f9',
  })
})

test('adopts the set after a crash between its creation and the storing of its id', async () => {
  const { github, connect, anomalies } = createBench()
  github.always('GET', setsPath, list(scaleSet(117, 'linux')))
  await connect({ account, creating: 'linux' })
  expect(github.sent('POST', setsPath)).toEqual([])
  expect(anomalies).toMatchObject([{ kind: 'scale-set-adopted' }])
})

test('refuses a foreign set of our name, leaves it unchanged and says how to take it over', async () => {
  const { github, open } = createBench()
  github.always('GET', setsPath, list(scaleSet(117, 'linux')))
  await expect(open()).rejects.toMatchObject({
    kind: 'conflict',
    reason: 'scale-set-collides',
    details: { scaleSetId: 117 },
    message: expect.stringContaining('remembering scaleSetId "117"'),
  })
  expect(github.requests.filter(({ method, path }) => method !== 'GET' && /runnerscalesets/.test(path))).toEqual([])
})

test('a state that is merged over an older one leaves nothing of it', async () => {
  const { connect, github } = createBench()
  const { reader } = await connect()
  const stored = Object.assign({}, ...reader.events.flatMap((event) => (event.kind === 'state' ? [event.state] : [])))
  const next = createBench()
  next.github.always('GET', setPath, jsonAnswer(200, null))
  next.github.always('GET', setsPath, list(scaleSet(118, 'linux')))
  await expect(next.open(stored)).rejects.toMatchObject({ reason: 'scale-set-collides' })
  expect(github.sent('POST', setsPath)).toHaveLength(1)
})

test('the operator takes over a left-over set by its id', async () => {
  const { github, connect } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  await connect({ scaleSetId: '117' })
  expect(github.sent('POST', sessionsPath)).toHaveLength(1)
})

test('refuses a set of our name whose id is not the remembered one', async () => {
  const { github, open } = createBench()
  github.always('GET', setPath, jsonAnswer(200, null))
  github.always('GET', setsPath, list(scaleSet(118, 'linux')))
  await expect(open({ account, scaleSetId: '117' })).rejects.toMatchObject({ reason: 'scale-set-collides' })
})

test('ignores an id that was remembered for another account', async () => {
  const { github, connect } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  await connect({ account: 'http://github.test/other', scaleSetId: '117', sessionId: 'old' })
  expect(github.sent('GET', setPath)).toEqual([])
  expect(github.sent('DELETE', /sessions/)).toEqual([])
  expect(github.sent('POST', setsPath)).toHaveLength(1)
})

test('leaves a set unchanged that was ours and has another name now', async () => {
  const { github, connect, anomalies } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'windows')))
  github.always('POST', setsPath, jsonAnswer(200, scaleSet(118, 'linux')))
  const { reader } = await connect({ account, scaleSetId: '117' })
  expect(reader.events.findLast(({ kind }) => kind === 'state')).toMatchObject({ state: { scaleSetId: '118' } })
  expect(anomalies).toMatchObject([{ kind: 'scale-set-differs' }])
})

test('case 35: reports a duplicate that appeared after the lookup, and withdraws the declaration', async () => {
  const { github, open, pass } = createBench()
  github.once('GET', setsPath, list())
  github.always('GET', setsPath, list(scaleSet(117, 'linux')))
  github.always('POST', setsPath, duplicate)
  const reader = readForgeEvents(await open())
  const failing = await pass(reader.find('failing'))
  expect(failing?.failure.reason).toBe('registration-collides')
  expect(reader.events.findLast(({ kind }) => kind === 'state')).toEqual({
    kind: 'state',
    state: { account, scaleSetId: '', creating: '', sessionId: '' },
  })
})

test('case 35: adopts a duplicate after a lost response', async () => {
  const { github, open, pass, anomalies } = createBench()
  github.once('GET', setsPath, list())
  github.always('GET', setsPath, list(scaleSet(117, 'linux')))
  github.once('POST', setsPath, () => {
    throw new TransportError('lost', 'connection reset')
  })
  const reader = readForgeEvents(await open())
  await pass(reader.find('demand'))
  expect(github.sent('POST', setsPath)).toHaveLength(1)
  expect(anomalies).toMatchObject([{ kind: 'scale-set-adopted' }])
})

test('reports the words of GitHub if it refuses to create the set', async () => {
  const { github, open, pass } = createBench()
  github.always('POST', setsPath, exception(400, 'InvalidLabelException', 'the label is too long'))
  const reader = readForgeEvents(await open())
  const failing = await pass(reader.find('failing'))
  expect(failing?.failure.message).toContain('the label is too long')
})

test('declares and creates a set again that GitHub lost, and reads messages from the start', async () => {
  const { github, connect, pass } = createBench()
  github.once('GET', queuePath, envelope(41, []), exception(404, 'RunnerScaleSetNotFoundException'))
  const { reader } = await connect({ account, creating: 'linux' })
  github.always('GET', setPath, exception(404, 'RunnerScaleSetNotFoundException'))
  github.once('POST', setsPath, jsonAnswer(200, scaleSet(118, 'linux')))
  await pass(reader.find('failing', ({ failure }) => failure.reason === 'scale-set-missing'))
  reader.clear()
  await pass(reader.find('demand'))
  await pass(() => github.sent('GET', queuePath).length === 3)
  expect(github.sent('GET', queuePath).map(({ query }) => query['lastMessageId'])).toEqual([undefined, '41', undefined])
  const states = reader.events.flatMap((event) => (event.kind === 'state' ? [event.state] : []))
  expect(states[0]).toMatchObject({ scaleSetId: '117', creating: 'linux' })
  expect(states.at(-1)).toMatchObject({ scaleSetId: '118', creating: '' })
})
