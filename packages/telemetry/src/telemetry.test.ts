// The whole room against a receiver of OTLP/HTTP on this machine.
import type { Clock } from '@dayfly/kit/clock'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attribute } from './attributes.ts'
import { entries, goodLife, leads, of } from './one-life.fixture.ts'
import type { SetCounts } from './ports.ts'
import { openReceiver, type Receiver } from './receiver.fixture.ts'
import { openTelemetry } from './telemetry.ts'

const machineClock = systemClock()
const linux: SetCounts = {
  namespace: 'ci',
  set: 'linux',
  forge: 'https://github.example/acme',
  phases: { starting: 1, idle: 2, busy: 3, spent: 4, ended: 5 },
  jobs: 7,
}
let receiver: Receiver
let failures: string[]

beforeEach(async () => {
  receiver = await openReceiver()
  failures = []
})
afterEach(() => receiver.close())

async function open(environment: Readonly<Record<string, string>> = {}, clock: Clock = machineClock) {
  const onFailure = (message: string) => failures.push(message)
  const options = { version: '1.2.3', instance: 'pod-1', clock, sets: () => [linux], onFailure }
  const telemetry = await openTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin, ...environment }, options)
  if (!telemetry) throw new Error('it is off')
  const write = (...events: readonly JournalEvent[]) => {
    for (const event of events) telemetry.reader({ at: clock.now(), event })
  }
  const live = (events = goodLife) => {
    for (const entry of entries(clock.now() - 50_000, events)) telemetry.reader(entry)
  }
  return { ...telemetry, write, live }
}

it('is off without a collector', async () => {
  const options = { version: '1', instance: 'x', clock: machineClock, sets: () => [], onFailure: () => {} }
  expect(await openTelemetry({ OTEL_SERVICE_NAME: 'ci' }, options)).toBeUndefined()
})

describe('a leader', () => {
  it('sends one trace for one life, with its phases below one root', async () => {
    const { write, live, close } = await open({ OTEL_RESOURCE_ATTRIBUTES: 'k8s.cluster.name=west' })
    write(leads)
    live()
    await close()
    const spans = receiver.spans()
    const root = spans.find(({ parent }) => parent === '')
    expect(root).toMatchObject({ name: 'RUN ci.yml', kind: 2, failed: false })
    expect(root?.attributes[attribute.repositoryUrl]).toBe('https://github.example/acme/web')
    expect((root?.endAt ?? 0) - (root?.startAt ?? 0)).toBe(50_000)
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    const children = spans
      .filter(({ parent }) => parent === root?.spanId)
      .sort((one, other) => one.startAt - other.startAt)
    expect(children.map(({ name, kind }) => [name, kind])).toEqual(
      ['queued', 'register', 'create pod', 'start', 'connect', 'wait for job', 'job', 'end'].map((name) => [name, 1]),
    )
    expect(receiver.resource()).toMatchObject({
      'service.name': 'dayfly',
      'service.version': '1.2.3',
      'service.instance.id': 'pod-1',
      'k8s.cluster.name': 'west',
    })
  })

  it('dates a life that began before the process', async () => {
    const { write, reader, close } = await open()
    write(leads)
    for (const entry of entries(1_000_000)) reader(entry)
    await close()
    expect(receiver.spans().find(({ parent }) => parent === '')).toMatchObject({ startAt: 999_000, endAt: 1_049_000 })
  })

  it('sends the metrics of the conventions', async () => {
    const { write, live, close } = await open()
    const failure = { reason: 'image-missing', message: '' } as const
    write(leads)
    live()
    write({ ...of, kind: 'runner-failed', runner: 'other', failure }, { ...of, kind: 'forge-failed', failure })
    write({ ...of, kind: 'job-finished', runner: 'other', job: '1', result: 'failed' })
    await close()
    expect(Object.fromEntries(receiver.metrics())).toEqual({
      'cicd.pipeline.run.duration': 's',
      'cicd.pipeline.run.active': '{run}',
      'cicd.worker.count': '{count}',
      'cicd.pipeline.run.errors': '{error}',
      'cicd.system.errors': '{error}',
    })
    const values = (name: string, ...keys: readonly string[]) =>
      receiver.points(name)?.map((point) => [...keys.map((key) => Reflect.get(point, key)), point.value])
    expect(values('cicd.pipeline.run.duration', attribute.pipeline, attribute.state, attribute.result)).toEqual([
      ['ci.yml', 'pending', undefined, 8],
      ['ci.yml', 'executing', 'success', 40],
      ['ci.yml', 'finalizing', 'success', 2],
    ])
    expect(values('cicd.pipeline.run.active', attribute.pipeline, attribute.state)).toEqual([
      ['linux', 'pending', 4],
      ['linux', 'executing', 3],
      ['linux', 'finalizing', 9],
    ])
    expect(values('cicd.worker.count', attribute.set, attribute.workerState)).toEqual([
      ['linux', 'available', 2],
      ['linux', 'busy', 3],
      ['linux', 'offline', 10],
    ])
    expect(values('cicd.pipeline.run.errors', attribute.pipeline, attribute.error)).toEqual([['linux', 'failure', 1]])
    expect(values('cicd.system.errors', attribute.component, attribute.error)).toEqual([
      ['runner', 'image-missing', 1],
      ['forge', 'image-missing', 1],
    ])
  })

  it('sends headers, and only the signal that is on', async () => {
    const { write, live, close } = await open({
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    })
    write(leads)
    live()
    await close()
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/v1/traces'])
    expect(receiver.requests[0]?.headers['authorization']).toBe('Bearer abc')
    expect(receiver.spans()).toHaveLength(9)
  })

  it('sends a trace whole or not at all, and counts what does not fit', async () => {
    const { write, live, close } = await open({ OTEL_BSP_MAX_QUEUE_SIZE: '20' })
    write(leads)
    for (let index = 0; index < 5; index++) {
      live(goodLife.map(([ms, event]) => [ms, { ...event, runner: `linux-${index}` } as JournalEvent]))
    }
    await close()
    const traces = new Set(receiver.spans().map(({ traceId }) => traceId))
    expect([traces.size, receiver.spans().length]).toEqual([2, 18])
    expect(receiver.points('dayfly.telemetry.dropped')).toMatchObject([{ value: 3, [attribute.error]: 'queue-full' }])
  })
})

describe('a process that does not lead', () => {
  it('sends neither lives nor counts', async () => {
    const { live, close } = await open()
    live()
    await close()
    expect(receiver.spans()).toEqual([])
    expect(receiver.points('cicd.pipeline.run.duration')).toBeUndefined()
  })

  it('knows the beginning of a life that ends while it leads', async () => {
    const { write, live, close } = await open()
    live(goodLife.slice(0, 3))
    write(leads)
    live(goodLife.slice(3))
    await close()
    expect(receiver.spans().map(({ name }) => name)).toContain('start')
  })

  it('sends the last lives of its own term', async () => {
    const { write, live, close } = await open()
    write(leads)
    live()
    write({ kind: 'leadership-lost', identity: 'x', why: 'it stops', planned: true })
    live(goodLife.map(([ms, event]) => [ms, { ...event, runner: 'of-the-next-leader' } as JournalEvent]))
    await close()
    expect(receiver.spans().filter(({ parent }) => parent === '')).toHaveLength(1)
  })
})

describe('a collector with a problem', () => {
  it.each([
    ['refuses', /^The collector did not take (traces|metrics): Bad Request$/],
    ['is gone', /^The collector did not take (traces|metrics): .*ECONNREFUSED/],
  ])('%s: the failure is reported once for each signal', { timeout: 30_000 }, async (problem, message) => {
    if (problem === 'refuses') receiver.manner.is = 'refuses'
    else await receiver.close()
    const { write, live, close } = await open({ OTEL_METRIC_EXPORT_INTERVAL: '200', OTEL_EXPORTER_OTLP_TIMEOUT: '500' })
    write(leads)
    live()
    await machineClock.sleep(1_500)
    await close()
    expect(failures.length).toBe(2)
    for (const each of failures) expect(each).toMatch(message)
    if (problem === 'is gone') receiver = await openReceiver()
  })

  it('is silent: the end takes three seconds', async () => {
    receiver.manner.is = 'is silent'
    const clock = virtualClock()
    const { write, live, close } = await open({}, clock)
    write(leads)
    for (let index = 0; index < 1_000; index++) {
      live(goodLife.map(([ms, event]) => [ms, { ...event, runner: `linux-${index}` } as JournalEvent]))
    }
    let isClosed = false
    const closing = close().then(() => {
      isClosed = true
    })
    await clock.advance(2_999)
    expect(isClosed).toBe(false)
    await clock.advance(1)
    expect(isClosed).toBe(true)
    await closing
  })
})

it('sends no text from outside but names, and only attributes of its list', async () => {
  const canary = 'eyJ-canary-credential'
  const failure = { reason: 'image-missing', message: canary } as const
  const { write, live, close } = await open()
  write(leads)
  live(
    goodLife.map(([ms, event]) => {
      if (event.kind === 'runner-ended') return [ms, { ...event, reason: canary }]
      if (event.kind === 'runner-gone') return [ms, { ...event, because: canary }]
      return [ms, event.kind === 'job-finished' ? { ...event, result: canary } : event]
    }),
  )
  write({ ...of, kind: 'pod-created', runner: 'b', uid: 'u' }, { ...of, kind: 'runner-failed', runner: 'b', failure })
  write({ ...of, kind: 'runner-delayed', runner: 'b', failure, since: 0 })
  write({ ...of, kind: 'job-pod-failed', runner: 'b', pod: canary, failure })
  write({ ...of, kind: 'runner-gone', runner: 'b', because: canary })
  write({ ...of, kind: 'start-refused', runner: 'c', failure }, { ...of, kind: 'cordon-failed', runner: 'c', failure })
  write({ ...of, kind: 'set-invalid', problems: [canary] }, { ...of, kind: 'forge-failed', failure })
  write({ ...of, kind: 'write-failed', action: canary, message: canary })
  write({ ...of, kind: 'template-refused', hash: canary, failure })
  write({ ...of, kind: 'registration-kept', name: canary, failure })
  write({ kind: 'protocol-anomaly', set: 'linux', anomaly: canary, message: canary })
  write({ kind: 'watch-failed', resource: canary, message: canary, by: 'outage' })
  write({ kind: 'election-failed', message: canary, by: 'outage' }, { kind: 'cluster-unavailable', message: canary })
  await close()
  expect(receiver.spans().length).toBeGreaterThan(11)
  for (const { text } of receiver.requests) expect(text).not.toContain(canary)
  const names = new Set<string>(Object.values(attribute))
  for (const { attributes, events } of receiver.spans()) {
    for (const each of [attributes, ...events.map((event) => event.attributes)]) {
      for (const name of Object.keys(each)) expect(names).toContain(name)
    }
  }
})
