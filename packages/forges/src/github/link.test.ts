// Registrations: created, paced, listed, removed.
import { inspect } from 'node:util'
import { jsonAnswer, TransportError, textAnswer } from '@dayfly/kit/http'
import { PortError } from '@dayfly/runner-set/model/port-error'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBench, linux } from './bench.fixture.ts'
import { actionsService } from './calls/actions-api.ts'
import { Pace } from './calls/pace.ts'
import { parseConfigUrl } from './config-url.ts'
import { AdminTokens } from './credentials/tokens.ts'
import { createGitHubForge } from './github.ts'
import { findRunner } from './scale-set/runners.ts'
import {
  agentPath,
  agentsPath,
  exception,
  jitPath,
  list,
  noContent,
  queuePath,
  scaleSet,
  setPath,
  setsPath,
} from './scripted-github.fixture.ts'

const ours = { account: 'http://github.test/acme', scaleSetId: '117' }
const exists = exception(409, 'AgentExistsException')

async function createLink() {
  const bench = createBench()
  bench.github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  return { ...bench, link: await bench.open(ours) }
}

function registration(id: string) {
  return { id, name: 'linux-a', status: 'unknown', busy: 'unknown' } as const
}

test('a registration has a credential that cannot be printed', async () => {
  const { github, link, pass } = await createLink()
  const outcome = await pass(link.register('linux-a'))
  expect(outcome).toMatchObject({
    is: 'registered',
    registration: { id: '6858', name: 'linux-a', status: 'offline', busy: false },
  })
  if (outcome?.is !== 'registered') throw new Error('not registered')
  expect(outcome.credential.reveal()).toEqual({ credential: 'aml0' })
  expect(`${inspect(outcome, { depth: 9 })} ${JSON.stringify(outcome)} ${outcome.credential}`).not.toContain('aml0')
  const [sent] = github.sent('POST', jitPath)
  expect(sent?.path).toBe('/tenant/123/_apis/runtime/runnerscalesets/117/generatejitconfig')
  expect(sent?.body).toEqual({ kind: 'json', value: { name: 'linux-a', workFolder: '_work' } })
})

test.each([
  ['no id', { runner: {}, encodedJITConfig: 'x' }],
  ['no configuration', { runner: { id: 1 }, encodedJITConfig: '' }],
  ['nothing', null],
])('rejects a registration with %s', async (_, answer) => {
  const { github, link, pass } = await createLink()
  github.once('POST', jitPath, jsonAnswer(200, answer))
  await expect(pass(link.register('linux-a'))).rejects.toMatchObject({ kind: 'bad-response' })
})

test.each(['', 'Linux-A', 'a'.repeat(64), '-a', 'a/b', 'a b'])(
  'refuses the name "%s" without a request',
  async (name) => {
    const { github, link } = await createLink()
    await expect(link.register(name)).rejects.toMatchObject({ kind: 'bad-config' })
    expect(github.sent('POST', jitPath)).toEqual([])
    expect(link.allowance().now).toBe(1_500)
  },
)

test('case 78: removes the stale registration of our set after a lost response, and rejects with a conflict', async () => {
  const { github, link, pass } = await createLink()
  const lost = () => {
    throw new TransportError('lost', 'connection reset')
  }
  github.once('POST', jitPath, lost, exists)
  github.once('GET', agentsPath, list({ id: 41, name: 'linux-a', runnerScaleSetId: 117 }))
  await expect(pass(link.register('linux-a'))).rejects.toMatchObject({ kind: 'conflict', reason: 'runner-exists' })
  expect(github.sent('POST', jitPath)).toHaveLength(2)
  expect(github.sent('GET', agentsPath)[0]?.query['agentName']).toBe('linux-a')
  expect(github.sent('DELETE', agentPath).map(({ path }) => path.split('/').at(-1))).toEqual(['41'])
  expect(await pass(link.register('linux-b'))).toMatchObject({ is: 'registered' })
})

test('case 78: leaves a registration of the name in a foreign set', async () => {
  const { github, link, pass } = await createLink()
  github.once('POST', jitPath, jsonAnswer(409, { message: 'taken' }))
  github.once('GET', agentsPath, list({ id: 41, name: 'linux-a', runnerScaleSetId: 9 }))
  await expect(pass(link.register('linux-a'))).rejects.toMatchObject({ kind: 'conflict' })
  expect(github.sent('DELETE', agentPath)).toEqual([])
})

test('case 79: claims the scale set again if a registration finds it gone', async () => {
  const { github, clock, connect, pass } = createBench()
  github.once('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  github.once('GET', queuePath, async (request) => {
    await clock.sleep(9_000_000, request.signal)
    return noContent
  })
  const { link, reader } = await connect(ours)
  github.once('POST', jitPath, exception(404, 'RunnerScaleSetNotFoundException'))
  github.once('POST', setsPath, jsonAnswer(200, scaleSet(118, 'linux')))
  const start = clock.now()
  await expect(pass(link.register('linux-a'))).rejects.toMatchObject({ reason: 'scale-set-gone' })
  await pass(reader.find('failing', ({ failure }) => failure.reason === 'scale-set-missing'))
  reader.clear()
  await pass(reader.find('demand'))
  expect(clock.now() - start).toBeLessThan(5_000)
  expect(reader.events.findLast(({ kind }) => kind === 'state')).toMatchObject({ state: { scaleSetId: '118' } })
  expect(github.sent('GET', queuePath).at(-1)?.query).not.toHaveProperty('lastMessageId')
  await pass(link.register('linux-b'))
  expect(github.sent('POST', jitPath).at(-1)?.path).toContain('/118/')
})

test('keeps a set that only one call found gone, and deletes its session before it creates another', async () => {
  const { github, connect, pass } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  const { link, reader } = await connect(ours)
  github.once('POST', jitPath, exception(404, 'RunnerScaleSetNotFoundException'))
  await expect(pass(link.register('linux-a'))).rejects.toMatchObject({ reason: 'scale-set-gone' })
  await pass(reader.find('failing'))
  reader.clear()
  await pass(reader.find('demand'))
  expect(github.sent('POST', setsPath)).toEqual([])
  expect(github.sent('DELETE', /\/sessions\//)).toHaveLength(1)
})

test('case 81: returns undefined for no runner of a name, and rejects two', async () => {
  const { github, options, pass, stop } = createBench()
  const config = parseConfigUrl(options.url)
  const tokens = new AdminTokens({ net: options, config, credential: options.credential, userAgent: 'dayfly/0' })
  const service = actionsService(options, tokens, () => 'dayfly/0')
  github.once('GET', agentsPath, list(), list({ id: 1, name: 'a' }, { id: 2, name: 'a' }))
  expect(await pass(findRunner(service, 'a', stop.signal))).toBeUndefined()
  await expect(pass(findRunner(service, 'a', stop.signal))).rejects.toMatchObject({ kind: 'bad-response' })
})

test.each([
  ['204', noContent, 'removed'],
  ['404 AgentNotFound', exception(404, 'AgentNotFoundException'), 'absent'],
  ['404', jsonAnswer(404, {}), 'absent'],
  ['404 with a message that names the runner', jsonAnswer(404, { message: 'runner 7 does not exist' }), 'absent'],
  ['400 JobStillRunning', exception(400, 'TaskAgentJobStillRunningException'), 'busy'],
  ['422 JobStillRunning', exception(422, 'TaskAgentJobStillRunningException'), 'busy'],
] as const)('case 82: deregister after %s', async (_, answer, outcome) => {
  const { github, link, pass } = await createLink()
  github.once('DELETE', agentPath, answer)
  expect(await pass(link.deregister(registration('7')))).toBe(outcome)
})

test('case 82: a 404 without a type is no proof while the list still has the runner', async () => {
  const { github, link, pass } = await createLink()
  github.always('DELETE', agentPath, textAnswer(404, '<html>No such site</html>'))
  github.always('GET', agentsPath, list({ id: 7, name: 'linux-a', runnerScaleSetId: 117 }))
  await expect(pass(link.deregister(registration('7')))).rejects.toMatchObject({ kind: 'not-found' })
})

test.each([
  ['401', jsonAnswer(401, {}), { kind: 'unauthorized', retryAt: undefined }],
  ['403', jsonAnswer(403, { message: 'not yours' }), { kind: 'unauthorized', retryAt: undefined }],
  ['403 at a limit', jsonAnswer(403, {}, { 'retry-after': '70' }), { kind: 'rate-limited', retryAt: 70_000 }],
  ['429', jsonAnswer(429, {}, { 'retry-after': '90' }), { kind: 'rate-limited', retryAt: 90_000 }],
  ['429 without a time', jsonAnswer(429, {}), { kind: 'rate-limited', retryAt: 60_000 }],
  ['503', jsonAnswer(503, {}, { 'retry-after': '120' }), { kind: 'unavailable', retryAt: 120_000 }],
  ['422', jsonAnswer(422, { message: 'Validation failed' }), { kind: 'bad-response', retryAt: undefined }],
] as const)(
  'deregistering that answers %s rejects with its kind, and with the time to retry',
  async (_, answer, expected) => {
    const { github, clock, link, pass } = await createLink()
    github.always('DELETE', agentPath, answer)
    const error = (await pass(link.deregister(registration('7')).catch((thrown: unknown) => thrown))) as PortError
    expect(error).toBeInstanceOf(PortError)
    const retryAt = error.retryAt === undefined ? undefined : error.retryAt - clock.now()
    expect({ kind: error.kind, retryAt }).toEqual(expected)
  },
)

test('rejects if no response confirms the removal', async () => {
  const { github, link, pass } = await createLink()
  github.always('DELETE', agentPath, jsonAnswer(500, {}))
  await expect(pass(link.deregister(registration('7')))).rejects.toMatchObject({ kind: 'unavailable' })
})

test('lists the registrations of our set, with the status that GitHub states', async () => {
  const { github, link, pass } = await createLink()
  github.once(
    'GET',
    agentsPath,
    list(
      { id: 1, name: 'a', runnerScaleSetId: 117, status: 'Online', busy: true },
      { id: 2, name: 'b', RunnerScaleSetId: '117' },
      { id: 3, name: 'c', runnerScaleSetId: 9 },
      { id: 4, name: 'self-hosted' },
    ),
    list({ id: 1, name: '', runnerScaleSetId: 117 }),
  )
  expect(await pass(link.registrations())).toEqual([
    { id: '1', name: 'a', status: 'online', busy: true },
    { id: '2', name: 'b', status: 'unknown', busy: 'unknown' },
  ])
  await expect(pass(link.registrations())).rejects.toMatchObject({ kind: 'bad-response' })
})

test('paces registrations for the whole account', async () => {
  const { clock, options, pass, stop, github } = createBench()
  github.always('GET', setPath, jsonAnswer(200, scaleSet(117, 'linux')))
  const forge = createGitHubForge(options)
  const one = await forge.open(linux, ours, stop.signal)
  const other = await forge.open(linux, ours, stop.signal)
  const start = clock.now()
  for (let index = 0; index < 1_500; index++) await (index % 2 ? one : other).register(`linux-${index}`)
  const limit = { reason: 'ceiling', until: start + 300_000 }
  expect(await one.register('linux-x')).toEqual({ is: 'limited', ...limit })
  expect(other.allowance()).toEqual({ now: 0, nextAt: start + 300_000, limit })
  await clock.advance(300_000)
  expect(one.allowance()).toEqual({ now: 1_500, nextAt: undefined })
  expect(await pass(one.register('linux-x'))).toMatchObject({ is: 'registered' })
})

test('sixty calls at once cause no warning of Node', async () => {
  const { github, clock, link, pass } = await createLink()
  github.always('POST', jitPath, async () => {
    await clock.sleep(1_000)
    return jsonAnswer(200, { runner: { id: 1 }, encodedJITConfig: 'aml0' })
  })
  const warnings: Error[] = []
  const listen = (warning: Error) => warnings.push(warning)
  process.on('warning', listen)
  await pass(Promise.all(Array.from({ length: 60 }, (_, index) => link.register(`linux-${index}`))))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

test('returns a limit of two seconds to the caller instead of waiting', async () => {
  const { github, clock, link, pass } = await createLink()
  github.once('POST', jitPath, textAnswer(429, '', { 'retry-after': '2' }))
  expect(await pass(link.register('linux-a'))).toMatchObject({ is: 'limited', until: clock.now() + 2_000 })
})

test('keeps the limit that GitHub states', async () => {
  const { github, clock, link, pass } = await createLink()
  github.once('POST', jitPath, textAnswer(429, 'slow down', { 'retry-after': '90' }))
  const until = clock.now() + 90_000
  const limit = { reason: 'asked', until }
  expect(await pass(link.register('linux-a'))).toEqual({ is: 'limited', ...limit })
  expect(link.allowance()).toEqual({ now: 0, nextAt: until, limit })
  expect(await link.register('linux-a')).toEqual({ is: 'limited', ...limit })
  expect(github.sent('POST', jitPath)).toHaveLength(1)
  await clock.advance(90_000)
  expect(link.allowance()).toEqual({ now: 1_499, nextAt: undefined })
})

test('no window of time holds more registrations than the limit', () => {
  const steps = fc.array(fc.tuple(fc.nat(40), fc.nat(6)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (script) => {
      const pace = new Pace({ registrations: 5, windowMs: 100 })
      const taken: number[] = []
      let now = 1_000
      for (const [pauseMs, tries] of script) {
        now += pauseMs
        for (let index = 0; index < tries; index++) {
          const { now: free, nextAt } = pace.allowance(now)
          const refused = pace.take(now)
          expect(refused === undefined).toBe(free > 0)
          expect(refused?.until).toBe(nextAt)
          if (refused) expect(refused.until).toBeGreaterThan(now)
          else taken.push(now)
        }
      }
      for (const at of taken)
        expect(taken.filter((time) => time > at - 100 && time <= at).length).toBeLessThanOrEqual(5)
    }),
  )
})
