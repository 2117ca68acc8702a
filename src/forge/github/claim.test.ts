// Whose a scale set is: never told by its name.
import { expect, test } from 'vitest'
import { createBench } from '../../../test/forge/github-bench.ts'
import {
  envelope,
  exception,
  list,
  queuePath,
  scaleSet,
  sessionsPath,
  setPath,
  setsPath,
} from '../../../test/forge/scripted-github.ts'
import { jsonAnswer, TransportError } from '../../lib/http.ts'
import { readForgeEvents } from '../event-reader.fixture.ts'

const account = 'http://github.test/acme'
const duplicate = jsonAnswer(400, { message: 'A runner scale set named linux already exists.' })

test('the set is created only after it is stored that we are about to', async () => {
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

test('after a crash between creating and remembering, the set is taken up again', async () => {
  const { github, connect, anomalies } = createBench()
  github.always('GET', setsPath, list(scaleSet(117, 'linux')))
  await connect({ account, creating: 'linux' })
  expect(github.sent('POST', setsPath)).toEqual([])
  expect(anomalies).toMatchObject([{ kind: 'scale-set-adopted' }])
})

test('a set of our name that nothing shows to be ours is refused, untouched, with the way out', async () => {
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

test('state that is merged over what was stored before shows no more than it says', async () => {
  const { connect, github } = createBench()
  const { reader } = await connect()
  const stored = Object.assign({}, ...reader.events.flatMap((event) => (event.kind === 'state' ? [event.state] : [])))
  const next = createBench()
  next.github.always('GET', setPath, jsonAnswer(200, null))
  next.github.always('GET', setsPath, list(scaleSet(118, 'linux')))
  await expect(next.open(stored)).rejects.toMatchObject({ reason: 'scale-set-collides' })
  expect(github.sent('POST', setsPath)).toHaveLength(1)
})

test('the operator takes a left-over set over by its id', async () => {
  const { github, connect } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  await connect({ scaleSetId: '117' })
  expect(github.sent('POST', sessionsPath)).toHaveLength(1)
})

test('a set of our name with another id than the remembered one is not ours', async () => {
  const { github, open } = createBench()
  github.always('GET', setPath, jsonAnswer(200, null))
  github.always('GET', setsPath, list(scaleSet(118, 'linux')))
  await expect(open({ account, scaleSetId: '117' })).rejects.toMatchObject({ reason: 'scale-set-collides' })
})

test('an id remembered of another account means nothing', async () => {
  const { github, connect } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  await connect({ account: 'http://github.test/other', scaleSetId: '117', sessionId: 'old' })
  expect(github.sent('GET', setPath)).toEqual([])
  expect(github.sent('DELETE', /sessions/)).toEqual([])
  expect(github.sent('POST', setsPath)).toHaveLength(1)
})

test('a set that was ours and has another name now is left alone', async () => {
  const { github, connect, anomalies } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'windows')))
  github.always('POST', setsPath, jsonAnswer(200, scaleSet(118, 'linux')))
  const { reader } = await connect({ account, scaleSetId: '117' })
  expect(reader.events.findLast(({ kind }) => kind === 'state')).toMatchObject({ state: { scaleSetId: '118' } })
  expect(anomalies).toMatchObject([{ kind: 'scale-set-differs' }])
})

test('case 35: a duplicate right after we looked is somebody else’s, and the declaration is withdrawn', async () => {
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

test('case 35: a duplicate after a lost answer is ours', async () => {
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

test('a refusal without a set of our name is told as it is', async () => {
  const { github, open, pass } = createBench()
  github.always('POST', setsPath, exception(400, 'InvalidLabelException', 'the label is too long'))
  const reader = readForgeEvents(await open())
  const failing = await pass(reader.find('failing'))
  expect(failing?.failure.message).toContain('the label is too long')
})

test('a vanished set is created anew, declared first, with the cursor at the start', async () => {
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
