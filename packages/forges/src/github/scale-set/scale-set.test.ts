import { jsonAnswer } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { createBench } from '../bench.fixture.ts'
import { actionsService } from '../calls/actions-api.ts'
import { standardPolicy } from '../calls/retry.ts'
import { parseConfigUrl } from '../config-url.ts'
import { AdminTokens } from '../credentials/tokens.ts'
import { exception, groupsPath, list, noContent, scaleSet, setPath, setsPath } from '../scripted-github.fixture.ts'
import { createScaleSet, deleteScaleSet, findGroup, findScaleSet, getScaleSet } from './scale-set.ts'

const how = { policy: standardPolicy }

function createService() {
  const bench = createBench()
  const net = { transport: bench.github.transport, clock: bench.clock, random: bench.options.random }
  const config = parseConfigUrl('http://github.test/acme')
  const tokens = new AdminTokens({ net, config, credential: bench.options.credential, userAgent: 'dayfly/0.0.0' })
  return { ...bench, service: actionsService(net, tokens, () => 'dayfly/0.0.0') }
}

test('case 28: rejects a group name without a match, and one with two', async () => {
  const { github, pass, service } = createService()
  github.once('GET', groupsPath, list(), list({ id: 1 }, { id: 2 }), jsonAnswer(200, { count: 1 }))
  await expect(pass(findGroup(service, 'gpu', how))).rejects.toMatchObject({ kind: 'bad-config' })
  await expect(pass(findGroup(service, 'gpu', how))).rejects.toMatchObject({ message: expect.stringMatching(/^2 /) })
  await expect(pass(findGroup(service, 'gpu', how))).rejects.toMatchObject({ kind: 'bad-response' })
})

test('case 29: reads the members of a list whose count is 0', async () => {
  const { github, pass, service } = createService()
  github.once('GET', groupsPath, jsonAnswer(200, { count: 0, value: [{ id: 4, name: 'gpu' }] }))
  expect(await pass(findGroup(service, 'gpu', how))).toBe(4)
  github.once('GET', setsPath, jsonAnswer(200, { count: 0, value: [scaleSet(117, 'linux')] }))
  expect(await pass(findScaleSet(service, 4, 'linux', how))).toMatchObject({ id: 117 })
})

test('case 30: null and 404 mean that the set does not exist', async () => {
  const { github, pass, service } = createService()
  github.once('GET', setPath, jsonAnswer(200, null), exception(404, 'RunnerScaleSetNotFoundException'))
  expect(await pass(getScaleSet(service, 117, how))).toBeUndefined()
  expect(await pass(getScaleSet(service, 117, how))).toBeUndefined()
  github.always('GET', setPath, jsonAnswer(200, {}))
  await expect(pass(getScaleSet(service, 117, how))).rejects.toMatchObject({ kind: 'bad-response' })
})

test('case 31: fills in missing labels, of type System', async () => {
  const { github, pass, service } = createService()
  await pass(createScaleSet(service, { groupId: 1, name: 'linux', labels: [] }, how))
  await pass(
    createScaleSet(service, { groupId: 1, name: 'linux', labels: [{ name: 'gpu' }, { name: 'x', type: 'User' }] }, how),
  )
  expect(github.sent('POST', setsPath).map(({ body }) => body)).toEqual([
    {
      kind: 'json',
      value: {
        name: 'linux',
        runnerGroupId: 1,
        labels: [{ name: 'linux', type: 'System' }],
        RunnerSetting: { disableUpdate: true },
      },
    },
    {
      kind: 'json',
      value: expect.objectContaining({
        labels: [
          { name: 'gpu', type: 'System' },
          { name: 'x', type: 'User' },
        ],
      }),
    },
  ])
})

test('case 31: refuses a set with neither name nor label, without a request', async () => {
  const { github, service, open, pass } = createService()
  const nameless = { groupId: 1, name: '', labels: [] }
  await expect(createScaleSet(service, nameless, how)).rejects.toMatchObject({ kind: 'bad-config' })
  await expect(
    pass(open(undefined, { name: '', runnerPrefix: '-', labels: [], group: undefined, max: 1 })),
  ).rejects.toMatchObject({
    kind: 'bad-config',
  })
  expect(github.requests).toEqual([])
})

test('case 32: requests again that runners do not update, and reports a set that ignores it', async () => {
  const { github, connect, anomalies, stop } = createBench()
  github.always('POST', setsPath, jsonAnswer(200, scaleSet(117, 'linux', { RunnerSetting: {} })))
  github.once('PATCH', setPath, jsonAnswer(200, scaleSet(117, 'linux', { RunnerSetting: { disableUpdate: false } })))
  await connect()
  expect(github.sent('PATCH', setPath).map(({ body }) => body)).toEqual([
    { kind: 'json', value: { RunnerSetting: { disableUpdate: true } } },
  ])
  expect(anomalies).toMatchObject([{ kind: 'update-not-disabled', set: 'linux', count: 1 }])
  stop.abort()
})

test('case 33: reads keys in any case', async () => {
  const { github, pass, service } = createService()
  const odd = {
    ID: '117',
    Name: 'linux',
    RUNNERGROUPID: 4,
    Labels: [{ NAME: 'linux' }],
    runnersetting: { disableupdate: true },
  }
  github.once('GET', setsPath, jsonAnswer(200, { Count: 1, Value: [odd] }))
  expect(await pass(findScaleSet(service, 4, 'linux', how))).toEqual({
    id: 117,
    name: 'linux',
    groupId: 4,
    labels: ['linux'],
    updateDisabled: true,
  })
})

test('rejects two sets of one name', async () => {
  const { github, pass, service } = createService()
  github.once('GET', setsPath, list(scaleSet(1, 'linux'), scaleSet(2, 'linux')))
  await expect(pass(findScaleSet(service, 1, 'linux', how))).rejects.toMatchObject({ kind: 'bad-response' })
})

test('case 38: a deletion succeeds with 204 and with 404', async () => {
  const { github, pass, service } = createService()
  github.once('DELETE', setPath, noContent, exception(404, 'RunnerScaleSetNotFoundException'), jsonAnswer(404, {}))
  for (let times = 0; times < 3; times++) await pass(deleteScaleSet(service, 117, how))
  expect(github.sent('DELETE', setPath)).toHaveLength(3)
})

test('case 38: repeats a deletion that GitHub refuses while a job runs', async () => {
  const { github, connect, pass } = createBench()
  const { link, reader } = await connect()
  github.once('DELETE', setPath, jsonAnswer(400, { message: 'a runner is busy' }))
  await pass(link.close('remove'))
  await reader.ended
  expect(github.sent('DELETE', setPath)).toHaveLength(2)
})

test('removal gives up within 30 s and says why', async () => {
  const { github, clock, connect, pass } = createBench()
  const { link } = await connect()
  github.always('DELETE', setPath, jsonAnswer(400, { message: 'a runner is busy' }))
  const start = clock.now()
  await expect(pass(link.close('remove'))).rejects.toMatchObject({ reason: 'job-still-running' })
  expect(clock.now() - start).toBeLessThanOrEqual(30_000)
})
