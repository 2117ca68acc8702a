// Labels and runner group: what the runner set has, GitHub's scale set has, or the difference is reported.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { expect, test } from 'vitest'
import type { ForgeEventReader } from '../event-reader.fixture.ts'
import { createBench, linux } from './bench.fixture.ts'
import { exception, groupsPath, list, queuePath, scaleSet, setPath, setsPath } from './scripted-github.fixture.ts'

const ours = { account: 'http://github.test/acme', scaleSetId: '117' }
const groupIds = new Map([
  ['default', 1],
  ['gpu', 2],
])
const gpu: ForgeSet = { ...linux, group: 'gpu' }
const labelled: ForgeSet = { ...linux, labels: ['linux', 'GPU', 'gpu'] }
const labels = [
  { name: 'linux', type: 'System' },
  { name: 'GPU', type: 'System' },
]

/** A GitHub that has our set and its groups, and changes what it is sent. Requests take `latencyMs`. */
function createWorld({ latencyMs = 0, has = {} as object, patch = undefined as Answer | undefined } = {}) {
  const bench = createBench()
  const { github, clock } = bench
  let stored: object = scaleSet(117, 'linux', has)
  const late = async (answer: Answer): Promise<Answer> => {
    await clock.sleep(latencyMs)
    return answer
  }
  github.always('GET', groupsPath, ({ query }) => {
    const id = groupIds.get(query['groupName'] ?? '')
    return late(id === undefined ? list() : list({ id, name: query['groupName'] }))
  })
  github.always('GET', setPath, () => late(jsonAnswer(200, stored)))
  const state = { patch }
  github.always('PATCH', setPath, ({ body }) => {
    if (state.patch) return late(state.patch)
    stored = { ...stored, ...(body.kind === 'json' ? (body.value as object) : {}) }
    return late(jsonAnswer(200, stored))
  })
  return {
    ...bench,
    change: (more: object) => {
      stored = { ...stored, ...more }
    },
    state,
    patches: () => github.sent('PATCH', setPath).map(bodyOf),
  }
}

function bodyOf({ body }: Request): unknown {
  return body.kind === 'json' ? body.value : undefined
}

function settingsIn({ events }: ForgeEventReader) {
  return events.flatMap((event) => (event.kind === 'settings' ? [event.failure] : []))
}

test('a set that agrees is left unchanged, and that is reported once', async () => {
  const { connect, clock, patches } = createWorld()
  const { reader } = await connect(ours)
  await clock.advance(3_600_000)
  expect(patches()).toEqual([])
  expect(settingsIn(reader)).toEqual([undefined])
})

test('a response that states neither labels nor group leaves nothing to compare', async () => {
  const { connect, clock, patches } = createWorld({ has: { labels: undefined, runnerGroupId: undefined } })
  const { reader } = await connect(ours, { ...labelled, group: 'gpu' })
  await clock.advance(3_600_000)
  expect(patches()).toEqual([])
  expect(settingsIn(reader)).toEqual([undefined])
})

test('labels that differ only in case or order are the same', async () => {
  const has = {
    labels: [
      { name: 'gpu', type: 'system' },
      { name: 'LINUX', type: 'system' },
    ],
  }
  const { connect, patches } = createWorld({ has })
  await connect(ours, labelled)
  expect(patches()).toEqual([])
})

test.each([
  ['the group', gpu, [{ runnerGroupId: 2 }]],
  ['the labels', labelled, [{ labels }]],
  ['both', { ...labelled, group: 'gpu' }, [{ runnerGroupId: 2 }, { labels }]],
])(
  'case 36: an existing set that differs in %s is changed at GitHub, by the differing members only',
  async (_, set, sent) => {
    const { connect, patches, anomalies } = createWorld()
    const { reader } = await connect(ours, set)
    expect(patches()).toEqual(sent)
    expect(settingsIn(reader)).toEqual([undefined])
    expect(anomalies).toEqual([])
  },
)

test.each([
  ['the group', gpu, [{ runnerGroupId: 2 }]],
  ['the labels', labelled, [{ labels }]],
  ['the maximum', { ...linux, max: 3 }, []],
])('case 36: an update of %s is sent at once at 300 ms of latency, and the session goes on', async (_, set, sent) => {
  const { connect, clock, github, patches, pass } = createWorld({ latencyMs: 300 })
  const { link, reader } = await connect(ours)
  await clock.advance(10_000)
  link.update(set)
  await clock.advance(2_000)
  expect(patches()).toEqual(sent)
  expect(settingsIn(reader)).toEqual([undefined])
  const last = github.sent('GET', queuePath).at(-1)
  expect(last?.headers['x-scalesetmaxcapacity']).toBe(String(set.max))
  expect(last?.signal?.aborted).toBe(false)
  expect(github.sent('POST', /sessions$/)).toHaveLength(1)
  await pass(link.close('pause'))
})

test('an update that changes nothing sends nothing and does not interrupt the poll', async () => {
  const { connect, clock, github } = createWorld()
  const { link } = await connect(ours)
  await clock.advance(1_000)
  const sent = github.requests.length
  link.update({ ...linux })
  await clock.advance(1_000)
  expect(github.requests).toHaveLength(sent)
})

const refused = jsonAnswer(403, { message: 'Resource not accessible' })

test.each([
  ['refuses the group', gpu, refused, /is in runner group 1 and not in gpu \(id 2\).*Resource not accessible/],
  [
    'refuses the labels',
    labelled,
    exception(400, 'ArgumentException', 'labels are fixed'),
    /has the labels linux and not linux, GPU.*labels are fixed/,
  ],
  [
    'drops the labels',
    labelled,
    jsonAnswer(200, scaleSet(117, 'linux')),
    /labels linux and not linux, GPU.*did not carry it out/,
  ],
  ['has no such group', { ...linux, group: 'missing' }, undefined, /no runner group named missing/],
] as const)('case 36: a GitHub that %s is reported, while the set goes on', async (_, set, patch, message) => {
  const world = createWorld({ patch })
  const { link, reader } = await world.connect(ours)
  link.update(set)
  await world.clock.advance(120_000)
  expect(settingsIn(reader)).toEqual([
    undefined,
    { reason: 'forge-settings-differ', message: expect.stringMatching(message) },
  ])
  expect(reader.events.filter(({ kind }) => kind === 'failing')).toEqual([])
  expect(world.github.sent('GET', queuePath).length).toBeGreaterThan(2)
})

test('the refusal of the group does not stop the labels', async () => {
  const { connect, patches } = createWorld({ patch: refused })
  const { reader } = await connect(ours, { ...labelled, group: 'gpu' })
  expect(patches()).toEqual([{ runnerGroupId: 2 }, { labels }])
  expect(settingsIn(reader)).toMatchObject([{ message: expect.stringMatching(/runner group 1.*labels linux/) }])
})

test('both sides agree again after the operator corrects GitHub, or the set', async () => {
  const { connect, clock, change, patches } = createWorld({ patch: refused })
  const { link, reader } = await connect(ours, gpu)
  expect(settingsIn(reader)).toHaveLength(1)
  change({ runnerGroupId: 2 })
  await clock.advance(600_000)
  expect(settingsIn(reader).at(-1)).toBeUndefined()
  link.update({ ...gpu, labels: ['linux', 'x'] })
  await clock.advance(1_000)
  expect(settingsIn(reader).at(-1)).toMatchObject({ reason: 'forge-settings-differ' })
  const sent = patches().length
  link.update(gpu)
  await clock.advance(1_000)
  expect(settingsIn(reader).at(-1)).toBeUndefined()
  expect(patches()).toHaveLength(sent)
  expect(settingsIn(reader)).toHaveLength(4)
})

test('an outage of the change is retried within minutes, and reported only if it lasts', async () => {
  const { connect, clock, state, patches } = createWorld({ patch: jsonAnswer(503, {}) })
  const { reader } = await connect(ours, gpu)
  expect(settingsIn(reader)).toEqual([])
  await clock.advance(300_000)
  expect(settingsIn(reader)).toMatchObject([{ reason: 'forge-settings-differ' }])
  state.patch = undefined
  await clock.advance(600_000)
  expect(settingsIn(reader).at(-1)).toBeUndefined()
  expect(patches().length).toBeLessThan(12)
})

test('a change that finds the scale set gone claims it again, with the new settings', async () => {
  const { connect, clock, github } = createBenchWithGroups()
  const { link, reader } = await connect()
  github.always('GET', setPath, jsonAnswer(200, null))
  link.update({ ...labelled, group: 'gpu' })
  await clock.advance(10_000)
  const created = github.sent('POST', setsPath).map(bodyOf)
  expect(created.at(-1)).toMatchObject({ runnerGroupId: 2, labels })
  expect(reader.events.some(({ kind }) => kind === 'failing')).toBe(true)
  expect(reader.events.at(-1)?.kind).toBe('demand')
})

test('a runner group that is gone when the set is claimed again is reported as a misconfiguration', async () => {
  const { github, connect, pass } = createBench()
  const { reader } = await connect()
  github.always('GET', groupsPath, list())
  github.always('GET', queuePath, exception(404, 'RunnerScaleSetNotFoundException'))
  const { failure } =
    (await pass(reader.find('failing', (event) => event.failure.reason !== 'scale-set-missing'))) ?? {}
  expect(failure).toMatchObject({ reason: 'forge-misconfigured', message: expect.stringContaining('default') })
})

const moments = Array.from({ length: 28 }, (_, index) => index * 150)

test.each(moments)('an update %i ms after another one reaches GitHub at 300 ms of latency', async (delayMs) => {
  const { connect, clock, patches } = createWorld({ latencyMs: 300 })
  const { link, reader } = await connect(ours)
  link.update({ ...labelled, labels: ['linux', 'one'] })
  await clock.advance(delayMs)
  link.update({ ...labelled, group: 'gpu' })
  await clock.advance(30_000)
  expect(Object.assign({}, ...patches())).toEqual({ runnerGroupId: 2, labels })
  expect(settingsIn(reader)).toEqual([undefined])
})

test.each(moments)('an update %i ms after a loss of the scale set reaches GitHub at 300 ms', async (delayMs) => {
  const { github, clock, connect, pass } = createBenchWithGroups(300)
  const { link, reader } = await connect()
  let stored: object | undefined
  const change = ({ body }: Request): Answer => {
    stored = { ...scaleSet(118, 'linux'), ...stored, ...(body.kind === 'json' ? (body.value as object) : {}) }
    return jsonAnswer(200, stored)
  }
  github.always('GET', setPath, () => jsonAnswer(200, stored ?? null))
  github.always('POST', setsPath, change)
  github.always('PATCH', setPath, change)
  github.once('GET', queuePath, exception(404, 'RunnerScaleSetNotFoundException'))
  await pass(reader.find('failing'))
  await clock.advance(delayMs)
  link.update({ ...labelled, group: 'gpu' })
  await clock.advance(30_000)
  expect(stored).toMatchObject({ runnerGroupId: 2, labels })
})

function createBenchWithGroups(latencyMs = 0) {
  const bench = createBench(latencyMs)
  bench.github.always('GET', groupsPath, ({ query }) => list({ id: groupIds.get(query['groupName'] ?? ''), name: 'x' }))
  return bench
}
