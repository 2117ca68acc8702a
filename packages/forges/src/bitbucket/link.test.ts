// Runner sets on the emulated Bitbucket at 150 ms: events, cordons, removals, limits, refusals.
import { noBody } from '@dayfly/kit/http'
import type { PortErrorKind } from '@dayfly/runner-set/model/port-error'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { expect, test } from 'vitest'
import { type BitbucketBench, bitbucketBench, consumer, errorOf, setNamed, startRunner } from './bench.fixture.ts'
import { CallBudget } from './call-budget.ts'

const minute = 60_000
const stepOf = (bench: BitbucketBench, id = '') => bench.emulator.control.step(id)

test('two sets of one workspace share one list for each poll, and see only their own runners', async () => {
  const bench = bitbucketBench()
  const forge = bench.connect()
  const [one, two] = [await bench.open('linux', forge), await bench.open('linux-gpu', forge)]
  await startRunner(bench, one.link, 'linux-a')
  await startRunner(bench, two.link, 'linux-gpu-a')
  const before = bench.sent('GET', /runners$/)
  await bench.clock.advance(10 * minute)
  expect(bench.sent('GET', /runners$/) - before).toBe(60)
  expect(two.reader.events.at(-1)).toMatchObject({ demand: { busy: 0, idle: 1 } })
  expect((await bench.wait(two.link.registrations())).map(({ name }) => name)).toEqual(['linux-gpu-a'])
})

test('the list shows the start and the end of each step, and a late second step is a job of its own', async () => {
  const bench = bitbucketBench()
  const { link, reader } = await bench.open()
  await startRunner(bench, link, 'linux-a')
  const [first, second] = bench.queue(40_000, 2)
  await bench.clock.advance(3 * minute)
  const jobs = reader.events.flatMap((event) =>
    event.kind === 'job-started' ? [`+${event.job.id}`] : event.kind === 'job-finished' ? [`-${event.jobId}`] : [],
  )
  expect(jobs).toEqual([`+{${first}}`, `-{${first}}`, `+{${second}}`, `-{${second}}`])
})

test('a cordoned runner finishes its step and takes no other one', async () => {
  const bench = bitbucketBench()
  const { link, reader } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  const [first, second] = bench.queue(40_000, 2)
  await bench.wait(reader.find('job-started'))
  await bench.wait(link.cordon(registration))
  await bench.clock.advance(2 * minute)
  expect([stepOf(bench, first)?.result, stepOf(bench, second)?.state]).toEqual(['SUCCESSFUL', 'PENDING'])
  expect(await bench.wait(link.deregister(registration))).toBe('removed')
  expect(bench.emulator.control.runners()).toEqual([])
})

/** A step is given to a runner that asks for its next one 25 s later. */
async function givenStep() {
  const bench = bitbucketBench()
  const { link } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  await bench.clock.advance(35_000)
  const [step] = bench.queue()
  return { bench, link, registration, step }
}

test('a runner that looks idle but has been given a step is not removed', async () => {
  const { bench, link, registration, step } = await givenStep()
  expect(stepOf(bench, step)?.state).toBe('READY')
  expect(await bench.wait(link.deregister(registration))).toBe('busy')
  expect(stepOf(bench, step)?.state).toBe('IN_PROGRESS')
  expect(bench.emulator.control.runners()).toMatchObject([{ status: 'DISABLED' }])
  bench.emulator.control.stub.finish('linux-a', 'SUCCESSFUL')
  expect(await bench.wait(link.deregister(registration))).toBe('removed')
  expect(stepOf(bench, step)?.result).toBe('SUCCESSFUL')
})

test('a list that is out of date does not prove that a runner is idle', async () => {
  const { bench, link, registration, step } = await givenStep()
  const answerLate = async () => {
    await bench.clock.sleep(10_000)
    const headers = { authorization: 'Bearer wat' }
    const path = '/2.0/workspaces/acme/pipelines-config/runners'
    const request = { method: 'GET', path, query: {}, headers, body: noBody, expect: 'whole' } as const
    const { body } = await bench.emulator.transport(request)
    if (body.kind !== 'json') throw new Error('a list is JSON')
    await bench.clock.sleep(30_000)
    const action = { kind: 'answer', status: 200, body: body.value } as const
    bench.emulator.control.fault({ match: { method: 'GET', pathRegex: 'runners$' }, action })
  }
  const [outcome] = await Promise.all([bench.wait(link.deregister(registration)), answerLate()])
  expect(outcome).toBe('busy')
  expect(stepOf(bench, step)?.state).toBe('IN_PROGRESS')
})

test('a busy runner that is offline for a while stays, and counts as busy', async () => {
  const bench = bitbucketBench()
  const { link, reader } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  bench.queue()
  await bench.wait(reader.find('job-started'))
  bench.emulator.control.stub.vanish('linux-a')
  await bench.clock.advance(2 * minute)
  expect(bench.emulator.control.runners()).toMatchObject([{ status: 'OFFLINE' }])
  expect(reader.events.at(-1)).toMatchObject({ demand: { busy: 1, idle: 0 } })
  expect(await bench.wait(link.deregister(registration))).toBe('busy')
})

test('a runner that another client enables again is not removed', async () => {
  const bench = bitbucketBench()
  const { link } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  const error = errorOf(bench, link.deregister(registration))
  const path = `/internal/workspaces/acme/pipelines-config/runners/${encodeURIComponent(registration.id)}/state`
  const enable = async () => {
    await bench.clock.sleep(20_000)
    const body = { kind: 'json', value: { status: 'ENABLED' } } as const
    const headers = { authorization: 'Bearer wat' }
    await bench.emulator.transport({ method: 'PUT', path, query: {}, headers, body, expect: 'whole' })
  }
  await Promise.all([enable(), error])
  expect((await error).kind).toBe('unavailable')
  expect(bench.emulator.control.runners()).toHaveLength(1)
})

test.each([
  ['the internal API is gone', { internalApi: false, publicState: 'accepted' }, 'removed'],
  ['neither API cordons', { internalApi: false, publicState: 'ignored' }, 'did not cordon'],
  ['the public API refuses', { internalApi: false, publicState: 'refused' }, 'cannot be changed'],
] as const)('without proof nothing is removed: %s', async (_, knobs, outcome) => {
  const bench = bitbucketBench({ knobs })
  const { link } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  const removed = bench.wait(link.deregister(registration)).catch((error: Error) => error.message)
  expect(await removed).toContain(outcome)
  expect(bench.emulator.control.runners()).toHaveLength(outcome === 'removed' ? 0 : 1)
})

test('one refusal of the internal API does not end its use, although the public one shows a runner as cordoned', async () => {
  const bench = bitbucketBench()
  const { link } = await bench.open()
  const [one, other] = [await startRunner(bench, link, 'linux-a'), await startRunner(bench, link, 'linux-b')]
  await bench.wait(link.cordon(one))
  const action = { kind: 'answer', status: 403, body: {} } as const
  bench.emulator.control.fault({ match: { method: 'PUT', pathRegex: '^/internal/' }, action })
  await bench.wait(link.cordon(one))
  expect((await errorOf(bench, link.cordon(other))).message).toContain('did not cordon')
  await bench.wait(link.cordon(other))
  expect(bench.emulator.control.runners().map(({ status }) => status)).toEqual(['DISABLED', 'DISABLED'])
})

test('a registration that is gone is absent, and its name is free', async () => {
  const bench = bitbucketBench()
  const { link } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  expect(await bench.wait(link.deregister(registration))).toBe('removed')
  expect(await bench.wait(link.deregister(registration))).toBe('absent')
  expect((await bench.wait(link.register('linux-a'))).is).toBe('registered')
})

test.each([
  ['reset', { kind: 'reset', when: 'after' }],
  ['cut', { kind: 'reset', when: 'mid-body' }],
  ['truncated', { kind: 'truncate' }],
] as const)('a creation whose answer is %s is not repeated, and the next list has the runner', async (_, action) => {
  const bench = bitbucketBench()
  const { link } = await bench.open()
  bench.emulator.control.fault({ match: { method: 'POST', pathRegex: 'runners$' }, action })
  const { kind } = await errorOf(bench, link.register('linux-a'))
  expect(['unavailable', 'bad-response']).toContain(kind)
  expect(bench.sent('POST', /runners$/)).toBe(1)
  expect((await bench.wait(link.registrations())).map(({ name }) => name)).toEqual(['linux-a'])
  expect((await errorOf(bench, link.register('linux-a'))).kind).toBe('conflict')
})

test('the limit of runners is a state, with its time, and ends when there are fewer', async () => {
  const bench = bitbucketBench({ knobs: { runnersMax: 2 } })
  const { link } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  await startRunner(bench, link, 'linux-b')
  expect(await bench.wait(link.register('linux-c'))).toMatchObject({ is: 'limited', reason: 'ceiling' })
  expect(link.allowance()).toMatchObject({ now: 0, limit: { reason: 'ceiling' } })
  expect(bench.sent('POST', /runners$/)).toBe(3)
  expect(await bench.wait(link.register('linux-c'))).toMatchObject({ is: 'limited' })
  expect(bench.sent('POST', /runners$/)).toBe(3)
  expect(await bench.wait(link.deregister(registration))).toBe('removed')
  expect(link.allowance().now).toBeGreaterThan(0)
  expect((await bench.wait(link.register('linux-c'))).is).toBe('registered')
})

const refusals: readonly (readonly [status: number, kind: PortErrorKind])[] = [
  [400, 'bad-response'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'not-found'],
  [409, 'conflict'],
  [422, 'bad-response'],
  [429, 'rate-limited'],
  [503, 'unavailable'],
]

test.each(refusals)(
  'a creation that is refused with %i rejects as %s, and no call repeats it',
  async (status, kind) => {
    const bench = bitbucketBench()
    const { link } = await bench.open()
    const body = { type: 'error', error: { message: 'no, Bearer wat' } }
    const action = { kind: 'answer', status, headers: {}, body } as const
    bench.emulator.control.fault({ match: { method: 'POST', pathRegex: 'runners$' }, action })
    if (status === 429)
      expect(await bench.wait(link.register('linux-a'))).toMatchObject({ is: 'limited', reason: 'asked' })
    else {
      const error = await errorOf(bench, link.register('linux-a'))
      expect([error.kind, error.message]).toEqual([kind, expect.stringContaining('no, Bearer [secret]')])
    }
    expect(bench.sent('POST', /runners$/)).toBe(1)
  },
)

test.each([
  [400, 'forge-unreachable'],
  [401, 'forge-unauthorized'],
  [403, 'forge-unauthorized'],
  [404, 'forge-misconfigured'],
  [409, 'forge-unreachable'],
  [422, 'forge-unreachable'],
  [429, 'forge-limited'],
  [503, 'forge-unreachable'],
] as const)('lists that are refused with %i are reported once as %s, and their end, too', async (status, reason) => {
  const bench = bitbucketBench()
  const { reader } = await bench.open()
  const fault = bench.emulator.control.fault({
    match: { method: 'GET', pathRegex: 'runners$' },
    times: 1_000,
    action: { kind: 'answer', status, headers: {}, body: {} },
  })
  reader.clear()
  await bench.clock.advance(5 * minute)
  expect(reader.events).toMatchObject([{ kind: 'failing', failure: { reason } }])
  bench.emulator.control.removeFault(fault)
  reader.clear()
  await bench.clock.advance(2 * minute)
  expect(reader.events.slice(0, 2).map(({ kind }) => kind)).toEqual(['registrations', 'demand'])
})

test('a call that needs a list does not wait for a limit of an hour', async () => {
  const bench = bitbucketBench()
  const { link, reader } = await bench.open()
  const registration = await startRunner(bench, link, 'linux-a')
  bench.emulator.control.fault({
    match: { method: 'GET', pathRegex: 'runners$' },
    action: { kind: 'answer', status: 429, headers: { 'retry-after': '3600' }, body: {} },
  })
  await bench.wait(reader.find('failing'))
  const start = bench.clock.now()
  const calls = [() => link.registrations(), () => link.deregister(registration), () => link.cordon(registration)]
  for (const call of calls) {
    expect(await errorOf(bench, call())).toMatchObject({ kind: 'rate-limited', retryAt: expect.any(Number) })
  }
  expect(link.allowance()).toMatchObject({ now: 0, limit: { reason: 'asked' } })
  expect(bench.clock.now() - start).toBeLessThan(30_000)
  await bench.clock.advance(3_600_000)
  expect(await bench.wait(link.registrations())).toHaveLength(1)
})

test('one failed list is repeated before it is reported', async () => {
  const bench = bitbucketBench()
  const { reader } = await bench.open()
  bench.emulator.control.fault({
    match: { method: 'GET', pathRegex: 'runners$' },
    action: { kind: 'reset', when: 'after' },
  })
  reader.clear()
  await bench.clock.advance(minute)
  expect(new Set(reader.events.map(({ kind }) => kind))).toEqual(new Set(['registrations', 'demand']))
})

test.each([
  ['has no values', { values: null }],
  ['has an entry that is no runner', { values: [{ name: 'x' }] }],
  ['is shorter than its size', { size: 7 }],
  ['has its next page at another server', { next: 'https://elsewhere.test/2.0/x' }],
])('a list that %s proves nothing', async (_, members) => {
  const bench = bitbucketBench()
  const { link, reader } = await bench.open()
  await startRunner(bench, link, 'linux-a')
  bench.emulator.control.fault({
    match: { method: 'GET', pathRegex: 'runners$' },
    times: 1_000,
    action: { kind: 'members', members },
  })
  reader.clear()
  expect((await errorOf(bench, link.registrations())).kind).toBe('bad-response')
  expect(reader.events.filter(({ kind }) => kind === 'demand')).toEqual([])
})

test('a list that a runner left between two of its pages is read again', async () => {
  const bench = bitbucketBench({ knobs: { pageMax: 2 } })
  const { link } = await bench.open()
  const names = ['linux-a', 'linux-b', 'linux-c', 'linux-d']
  const registrations: Registration[] = []
  for (const name of names) registrations.push(await startRunner(bench, link, name))
  const before = bench.sent('GET', /runners$/)
  const listed = link.registrations()
  while (bench.sent('GET', /runners$/) === before) await bench.clock.advance(10)
  const path = `/2.0/workspaces/acme/pipelines-config/runners/${registrations[0]?.id}`
  const headers = { authorization: 'Bearer wat' }
  const leaving = { method: 'DELETE', path, query: {}, headers, body: noBody, expect: 'whole' } as const
  expect((await bench.wait(bench.emulator.transport(leaving))).status).toBe(204)
  expect((await bench.wait(listed)).map(({ name }) => name).sort()).toEqual(names.slice(1).sort())
})

test('a consumer has one token for many calls, renews it before it expires, and replaces one that is refused', async () => {
  const bench = bitbucketBench({ credential: consumer, knobs: { tokenTtlS: 600 } })
  const { link, reader } = await bench.open()
  await bench.clock.advance(30 * minute)
  expect(bench.sent('POST', /access_token$/)).toBe(4)
  expect(reader.events.some(({ kind }) => kind === 'failing')).toBe(false)
  const match = { method: 'POST', pathRegex: 'runners$' }
  bench.emulator.control.fault({ match, action: { kind: 'answer', status: 401, headers: {}, body: {} } })
  expect((await bench.wait(link.register('linux-a'))).is).toBe('registered')
  expect(bench.sent('POST', /access_token$/)).toBe(5)
  expect(bench.exchanges.filter(({ code }) => code === 401)).toHaveLength(1)
})

test('the old token is used while no new one can be had, until it expires', async () => {
  const bench = bitbucketBench({ credential: consumer, knobs: { tokenTtlS: 600 } })
  const { reader } = await bench.open()
  const match = { method: 'POST', pathRegex: 'access_token$' }
  bench.emulator.control.fault({ match, times: 1_000, action: { kind: 'answer', status: 503, headers: {}, body: {} } })
  reader.clear()
  await bench.clock.advance(9.9 * minute)
  expect(reader.events.some(({ kind }) => kind === 'failing')).toBe(false)
  await bench.clock.advance(2 * minute)
  expect(reader.events.at(-1)).toMatchObject({ kind: 'failing', failure: { reason: 'forge-unreachable' } })
})

test.each([
  ['bad-config', { labels: ['GPU'] }],
  ['bad-config', { group: 'gpu' }],
  ['bad-config', { max: 0 }],
  ['bad-config', { runnerPrefix: '' }],
] as const)('opening rejects with %s for %o', async (kind, change) => {
  const bench = bitbucketBench()
  const { signal } = new AbortController()
  const opening = bench.connect().open({ ...setNamed('linux'), ...change }, undefined, signal)
  expect((await errorOf(bench, opening)).kind).toBe(kind)
})

test('opening rejects for a workspace or repository that does not exist', async () => {
  const bench = bitbucketBench()
  for (const path of ['nobody', 'acme/none']) {
    const opening = bench.connect(path).open(setNamed('linux'), undefined, new AbortController().signal)
    expect(await errorOf(bench, opening)).toMatchObject({ kind: 'bad-config', message: expect.stringContaining(path) })
  }
})

test('removing a set keeps a busy runner and says so', async () => {
  const bench = bitbucketBench()
  const { link, reader } = await bench.open()
  await startRunner(bench, link, 'linux-a')
  await startRunner(bench, link, 'linux-b')
  const [step] = bench.queue()
  await bench.wait(reader.find('job-started'))
  const error = await errorOf(bench, link.close('remove'))
  expect([error.kind, error.message]).toEqual([
    'conflict',
    expect.stringMatching(/1 of its registrations stay.*linux-a|linux-b/),
  ])
  expect(stepOf(bench, step)?.state).toBe('IN_PROGRESS')
  expect(bench.emulator.control.runners()).toMatchObject([{ status: 'DISABLED', step }])
})

test('a paused set lists and removes its runners, and polls no longer', async () => {
  const bench = bitbucketBench()
  const stop = new AbortController()
  const link = await bench.wait(bench.connect().open(setNamed('linux'), undefined, stop.signal))
  expect(await bench.wait(link.registrations())).toEqual([])
  const sent = bench.sent('GET', /runners$/)
  await bench.clock.advance(10 * minute)
  expect(bench.sent('GET', /runners$/)).toBe(sent)
})

test('sets with one credential stay inside its budget, in any 60 minutes of six busy hours', {
  timeout: 60_000,
}, async () => {
  const budget = new CallBudget()
  const bench = bitbucketBench({ budget, knobs: { noRunner: 'queue', callsPerHour: 0 } })
  const sets = [await bench.open('linux', bench.connect()), await bench.open('app', bench.connect('acme/app'))]
  const calls: number[] = []
  const begin = bench.clock.now()
  let used = bench.exchanges.length
  let started = 0
  bench.emulator.control.onStep(({ kind }) => {
    if (kind === 'started') started++
  })
  for (let round = 0; bench.clock.now() - begin < 6 * 60 * minute; round++) {
    bench.queue(5_000, 4)
    for (const [index, { link }] of sets.entries()) {
      const name = `${index === 0 ? 'linux' : 'app'}-${round}`
      if (link.allowance().now < 1) continue
      const outcome = await bench.wait(link.register(name))
      if (outcome.is !== 'registered') continue
      bench.emulator.control.stub.online(name)
      void link.deregister(outcome.registration).catch(() => undefined)
    }
    await bench.clock.advance(15_000)
    calls.push(bench.exchanges.length - used)
    used = bench.exchanges.length
  }
  const perHour = 240
  const sums = calls.slice(perHour).map((_, index) => calls.slice(index, index + perHour).reduce((a, b) => a + b, 0))
  expect(Math.max(...sums)).toBeLessThanOrEqual(1_000)
  expect(Math.max(...sums)).toBeGreaterThan(900)
  expect(started).toBeGreaterThan(500)
})
