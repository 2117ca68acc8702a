// One life of the real controller, as a collector receives it.
import type { Receiver } from '@dayfly/telemetry/receiver.fixture'
import { expect, vi } from 'vitest'
import { until } from '../cli.ts'
import { type ControllerWorld, forgeToken, openControllerWorld } from './process-world.ts'

const waitMs = 60_000

/** Runs one job with a controller that sends to the collector, until the controller has ended. Returns its log. */
export async function liveOnce(collector: string): Promise<string> {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector)
  vi.stubEnv('OTEL_METRIC_EXPORT_INTERVAL', '1000')
  const world = await openControllerWorld({ apiMs: 20, forgeMs: 20 })
  try {
    return await run(world)
  } finally {
    await world.close()
    vi.unstubAllEnvs()
  }
}

async function run(world: ControllerWorld): Promise<string> {
  world.install()
  const controller = world.start('--log-level', 'debug')
  await controller.saw('forge-connected')
  const [queued] = world.queue(1, 2)
  await until('the job ends', waitMs, () => world.emulator.control.job(queued?.id ?? '')?.result === 'succeeded')
  await controller.saw('runner-gone', waitMs)
  await controller.saw('job-finished', waitMs)
  controller.child.kill('SIGTERM')
  expect(await controller.ended).toEqual({ code: 0, signal: null })
  return controller.stdout()
}

/** Waits until one trace with one root has arrived, and checks it and the metrics. */
export async function expectOneLife(receiver: Receiver): Promise<void> {
  await until(
    'the metrics and the trace arrive',
    waitMs,
    () => receiver.spans().length > 0 && receiver.metrics().size > 0,
  )
  const spans = receiver.spans()
  const roots = spans.filter(({ parent }) => parent === '')
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(roots).toMatchObject([
    { kind: 2, failed: false, attributes: { 'cicd.pipeline.result': 'success', 'dayfly.set': 'linux' } },
  ])
  const children = spans.filter(({ parent }) => parent === roots[0]?.spanId)
  expect(children).toHaveLength(spans.length - 1)
  const from = (name: string) => children.find((span) => span.name === name)?.startAt ?? Number.NaN
  const order = ['register', 'create pod', 'start', 'wait for job', 'job', 'end']
  expect(order.map(from)).toEqual(order.map(from).sort((one, other) => one - other))
  for (const { kind, startAt, endAt } of children) expect([kind, endAt >= startAt]).toEqual([1, true])
  const job = children.find(({ name }) => name === 'job')
  expect((job?.endAt ?? 0) - (job?.startAt ?? 0)).toBeGreaterThan(1_000)
  for (const name of ['cicd.pipeline.run.duration', 'cicd.pipeline.run.active', 'cicd.worker.count']) {
    expect([...receiver.metrics().keys()]).toContain(name)
  }
  const states = receiver
    .points('cicd.pipeline.run.duration')
    ?.map((point) => Reflect.get(point, 'cicd.pipeline.run.state'))
  expect(states).toEqual(['pending', 'executing', 'finalizing'])
  for (const { text } of receiver.requests) expect(text.includes(forgeToken), 'a token was sent').toBe(false)
}
