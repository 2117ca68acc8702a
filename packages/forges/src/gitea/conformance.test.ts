// The numbered cases of the reference at the emulated server (docs/reference/gitea.md#s9). The real one runs the shared ones, too (test/gitea).
import { PortError } from '@dayfly/runner-set/model/port-error'
import { describe, expect, it, test } from 'vitest'
import { readForgeEvents } from '../event-reader.fixture.ts'
import { type EmulatedBench, giteaBench, shortTimeouts } from './bench.fixture.ts'
import { giteaCases } from './conformance.fixture.ts'
import { giteaTimeoutCases } from './conformance-server.fixture.ts'

test.each([
  ...giteaCases.map((one) => ({ ...one, knobs: {} })),
  ...giteaTimeoutCases.map((one) => ({ ...one, knobs: shortTimeouts })),
])('$name', async ({ run, knobs }) => {
  const bench = giteaBench({ knobs })
  await run(bench)
  bench.stop.abort()
})

async function errorOf(bench: EmulatedBench, promise: Promise<unknown>): Promise<PortError> {
  const error = await bench.wait(
    promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
  )
  if (error instanceof PortError) return error
  throw new Error(`expected a PortError, got ${String(error)}`)
}

const refused = (bench: EmulatedBench, more: Parameters<EmulatedBench['connect']>[0]) =>
  errorOf(bench, bench.connect(more).open(bench.set, undefined, bench.stop.signal))

describe('a registration', () => {
  it('2: whose answer was lost is in the next list by its name', async () => {
    const bench = giteaBench()
    const { link } = await bench.open()
    bench.emulator.control.fault({ match: { pathRegex: '/Register$' }, action: { kind: 'reset', when: 'after' } })
    expect((await errorOf(bench, link.register('linux-a'))).kind).toBe('unavailable')
    expect(await bench.wait(link.registrations())).toMatchObject([{ name: 'linux-a', status: 'offline' }])
  })

  it('5: that a broken server fails keeps its token', async () => {
    const bench = giteaBench()
    const { link } = await bench.open()
    const body = { code: 'unknown', message: 'database is locked' }
    bench.emulator.control.fault({ match: { pathRegex: '/Register$' }, action: { kind: 'answer', status: 500, body } })
    const error = await errorOf(bench, link.register('linux-a'))
    expect([error.kind, error.message]).toEqual(['unavailable', expect.stringContaining('database is locked')])
    expect(await bench.wait(link.register('linux-b'))).toMatchObject({ is: 'registered' })
    expect(bench.sent('POST', /registration-token$/)).toBe(1)
  })

  it('3: that is refused with the newest token is an error of the credential', async () => {
    const bench = giteaBench()
    const { link } = await bench.open()
    const body = { code: 'unknown', message: 'runner registration token not found' }
    const action = { kind: 'answer', status: 500, body } as const
    bench.emulator.control.fault({ match: { pathRegex: '/Register$' }, times: 2, action })
    expect((await errorOf(bench, link.register('linux-a'))).kind).toBe('unauthorized')
  })

  it('6: of a set with a scheme in a label is refused before it is sent', async () => {
    const bench = giteaBench()
    const error = await errorOf(
      bench,
      bench.connect().open({ ...bench.set, labels: ['ubuntu:docker://node:22'] }, undefined, bench.stop.signal),
    )
    expect([error.kind, error.message]).toEqual(['bad-config', expect.stringContaining('spec.gitea.jobImage')])
  })
})

describe('the demand', () => {
  it('9: follows the total of the server, whose pages are shorter than asked', async () => {
    const bench = giteaBench({ knobs: { pageMax: 10 } })
    const { reader } = await bench.open()
    bench.emulator.control.queueJobs(Array.from({ length: 52 }, () => ({ repository: 'acme/app', labels: ['linux'] })))
    await bench.wait(reader.find('demand', ({ demand }) => demand.kind === 'queued' && demand.jobs === 52))
  })

  it('10: misses no end of a job that left the list while it was read', async () => {
    const bench = giteaBench({ knobs: { pageMax: 1, pickUpMs: 0 } })
    const { link, reader } = await bench.open()
    bench.emulator.control.queueJobs([1, 2, 3].map(() => ({ repository: 'acme/app', labels: ['linux'] })))
    for (const name of ['linux-a', 'linux-b', 'linux-c']) {
      await bench.wait(link.register(name))
      bench.emulator.control.stub.online(name)
    }
    await bench.wait(reader.find('job-started', ({ runner }) => runner === 'linux-c'))
    // The first job ends after its page was read, so the second one is on no page.
    bench.emulator.control.stub.finish('linux-a', 'success')
    for (let turn = 0; turn < 40; turn++) {
      await bench.clock.advance(50)
      if (bench.sent('GET', /actions\/jobs$/) % 3 === 1) break
    }
    bench.emulator.control.stub.finish('linux-b', 'failure')
    await bench.wait(reader.find('job-finished', ({ runner }) => runner === 'linux-b'))
    const ends = reader.events.flatMap((event) =>
      event.kind === 'job-finished' ? [`${event.runner} ${event.result}`] : [],
    )
    expect(ends.sort()).toEqual(['linux-a succeeded', 'linux-b failed'])
  })

  it('9: leaves no registration that moved between two pages while others were removed', async () => {
    const bench = giteaBench({ knobs: { pageMax: 2, pickUpMs: 0 } })
    const { link } = await bench.open()
    const names = ['linux-a', 'linux-b', 'linux-c', 'linux-d']
    for (const name of names) await bench.wait(link.register(name))
    const before = bench.sent('GET', /actions\/runners$/)
    const closed = link.close('remove')
    while (bench.sent('GET', /actions\/runners$/) === before) await bench.clock.advance(10)
    await bench.clock.advance(60)
    const [first] = bench.emulator.control.runners()
    bench.emulator.control.deleteRunner(first?.name ?? '')
    await bench.wait(closed)
    expect(bench.emulator.control.runners()).toEqual([])
  })

  it('38: is unknown, and not zero, while the server refuses the connection', async () => {
    const bench = giteaBench()
    const { reader } = await bench.open()
    reader.clear()
    bench.emulator.control.fault({ match: { pathRegex: '.' }, times: 99, action: { kind: 'reset', when: 'before' } })
    await bench.wait(reader.find('failing', ({ failure }) => failure.reason === 'forge-unreachable'))
    expect(reader.events.filter(({ kind }) => kind === 'demand')).toEqual([])
  })

  it('41: is unknown if a proxy answers with a page', async () => {
    const bench = giteaBench()
    const { reader } = await bench.open()
    reader.clear()
    const headers = { 'content-type': 'text/html' }
    const action = { kind: 'answer', status: 200, headers, text: '<html>Sign in</html>' } as const
    bench.emulator.control.fault({ match: { pathRegex: 'actions/jobs' }, times: 99, action })
    const { failure } = await bench.wait(reader.find('failing'))
    expect(failure.message).toContain('something else answers')
  })
})

describe('a runner', () => {
  it('22 and 23: with a silent step, or without a network, is busy by the list of jobs', async () => {
    const bench = giteaBench({ knobs: { reportMs: 0, pickUpMs: 0 } })
    const { link } = await bench.open()
    bench.emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
    const outcome = await bench.wait(link.register('linux-a'))
    if (outcome.is !== 'registered') throw new Error('it is registered')
    bench.emulator.control.stub.online('linux-a')
    await bench.clock.advance(120_000)
    expect(bench.emulator.control.runner('linux-a')?.status).toBe('offline')
    expect(await bench.wait(link.deregister(outcome.registration))).toBe('busy')
  })

  it('24: is not removed if the running jobs cannot be listed', async () => {
    const bench = giteaBench()
    const { link } = await bench.open()
    const outcome = await bench.wait(link.register('linux-a'))
    if (outcome.is !== 'registered') throw new Error('it is registered')
    const action = { kind: 'answer', status: 503 } as const
    bench.emulator.control.fault({ match: { pathRegex: 'actions/jobs' }, times: 99, action })
    expect((await errorOf(bench, link.deregister(outcome.registration))).kind).toBe('unavailable')
    expect(bench.sent('DELETE', /runners/)).toBe(0)
  })

  it('32: that was killed keeps its registration until the server gives its job up', async () => {
    const bench = giteaBench({ knobs: { pickUpMs: 0 } })
    const { link, reader } = await bench.open()
    bench.emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
    const outcome = await bench.wait(link.register('linux-a'))
    if (outcome.is !== 'registered') throw new Error('it is registered')
    bench.emulator.control.stub.online('linux-a')
    bench.emulator.control.stub.vanish('linux-a')
    expect(await bench.wait(link.deregister(outcome.registration))).toBe('busy')
    await bench.clock.advance(15 * 60_000)
    expect(await bench.wait(reader.find('job-finished'))).toMatchObject({ result: 'failed' })
    expect(await bench.wait(link.deregister(outcome.registration))).toBe('absent')
  })
})

describe('a signal to a runner', () => {
  it.each([
    [undefined, '20s'],
    [3_600, '3590s'],
    [9, '6s'],
    [0, '0s'],
  ])('33: lets the job go on for most of a grace period of %s s: %s', async (graceSeconds, shutdown) => {
    const bench = giteaBench()
    const { link } = await bench.open(graceSeconds === undefined ? {} : { graceSeconds })
    const outcome = await bench.wait(link.register('linux-a'))
    if (outcome.is !== 'registered') throw new Error('it is registered')
    const { runner } = JSON.parse(outcome.credential.reveal()['config.yaml'] ?? '')
    expect(runner.shutdown_timeout).toBe(shutdown)
  })
})

describe('a place', () => {
  const reads = { token: 'reads', user: 'ci', scopes: ['read:repository'] }
  const admin = { token: 'admin', user: 'ci', scopes: ['write:admin'], isSiteAdmin: true }
  const member = {
    token: 'member',
    user: 'joe',
    scopes: ['write:repository'],
    roles: { 'acme/app': 'member' },
  } as const

  it('43: whose token may only read names the scope when a runner is registered', async () => {
    const bench = giteaBench({ credentials: [reads] })
    const link = await bench.wait(bench.connect({ token: 'reads' }).open(bench.set, undefined, bench.stop.signal))
    const events = link.events()[Symbol.asyncIterator]()
    await bench.wait(events.next())
    const error = await errorOf(bench, link.register('linux-a'))
    expect([error.kind, error.message]).toEqual(['unauthorized', expect.stringContaining('write:repository')])
  })

  it('54: whose token may not read repositories names the scope before any job runs', async () => {
    const scopes = ['write:organization', 'read:user']
    const bench = giteaBench({ credentials: [{ token: 'orgs', user: 'ci', scopes }] })
    const error = await refused(bench, { token: 'orgs', place: 'acme' })
    expect([error.kind, error.message]).toEqual(['unauthorized', expect.stringContaining('read:repository')])
  })

  it.each([
    ['44: whose token is for the whole server', 'admin', 'write:repository'],
    ['45: whose user is no owner', 'member', 'must own the repository'],
  ])('%s says what is missing', async (_, token, advice) => {
    const bench = giteaBench({ credentials: [admin, member] })
    const link = await bench.wait(bench.connect({ token }).open(bench.set, undefined, bench.stop.signal))
    const { failure } = await bench.wait(readForgeEvents(link).find('failing'))
    expect([failure.reason, failure.message]).toEqual(['forge-unauthorized', expect.stringContaining(advice)])
  })

  it('46: whose token is revoked reports it, and removes nothing', async () => {
    const bench = giteaBench()
    const { link, reader } = await bench.open()
    await bench.wait(link.register('linux-a'))
    bench.emulator.control.revoke('secret')
    expect(await bench.wait(reader.find('failing'))).toMatchObject({ failure: { reason: 'forge-unauthorized' } })
    expect(bench.sent('DELETE', /runners/)).toBe(0)
  })

  it('48: that was renamed says where it is now, and no request follows', async () => {
    const bench = giteaBench()
    const { reader } = await bench.open()
    bench.emulator.control.renameRepository('acme/app', 'web')
    const { failure } = await bench.wait(reader.find('failing'))
    expect([failure.reason, failure.message]).toEqual(['forge-misconfigured', expect.stringContaining('acme/web')])
  })

  it('50: with Actions switched off keeps its waiting jobs as demand', async () => {
    const bench = giteaBench()
    const { reader } = await bench.open()
    bench.emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
    bench.emulator.control.disableActions('acme/app')
    await bench.wait(reader.find('demand', ({ demand }) => demand.kind === 'queued' && demand.jobs === 1))
  })

  it('51: at a server that is too old says so', async () => {
    const error = await refused(giteaBench({ knobs: { dialect: 'gitea-1.24' } }), {})
    expect([error.kind, error.message]).toEqual(['bad-config', expect.stringContaining('needs Gitea 1.25')])
  })

  it('another server than Gitea is named as such', async () => {
    const bench = giteaBench()
    const action = { kind: 'answer', status: 200, headers: { 'content-type': 'text/html' }, text: '<html>' } as const
    bench.emulator.control.fault({ match: { pathRegex: '/version$' }, times: 9, action })
    expect((await refused(bench, {})).message).toContain('No Gitea answers at http://gitea.test/acme/app')
  })
})

describe.each(['gitea-1.25', 'forgejo-15'] as const)('without a cordon, %s', (dialect) => {
  it('removes a runner only when it has been silent', async () => {
    const bench = giteaBench({ knobs: { dialect, pickUpMs: 0 } })
    const { link } = await bench.open()
    const outcome = await bench.wait(link.register('linux-a'))
    if (outcome.is !== 'registered') throw new Error('it is registered')
    bench.emulator.control.stub.online('linux-a')
    expect(await bench.wait(link.deregister(outcome.registration))).toBe('busy')
    bench.emulator.control.stub.vanish('linux-a')
    await bench.clock.advance(90_000)
    expect(await bench.wait(link.deregister(outcome.registration))).toBe('removed')
  })

  it('52: shows the jobs that wait', async () => {
    const bench = giteaBench({ knobs: { dialect } })
    const { reader } = await bench.open()
    bench.emulator.control.queueJobs([{ repository: 'acme/app', labels: ['linux'] }])
    await bench.wait(reader.find('demand', ({ demand }) => demand.kind === 'queued' && demand.jobs === 1))
  })
})

it('asks four times a minute while nothing waits and nothing lives', async () => {
  const bench = giteaBench()
  await bench.open()
  await bench.clock.advance(60_000)
  const before = bench.emulator.control.requests().length
  await bench.clock.advance(600_000)
  expect(bench.emulator.control.requests().length - before).toBeLessThanOrEqual(40)
  bench.stop.abort()
})
