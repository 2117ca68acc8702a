// The built controller with a collector of OpenTelemetry: one that takes everything, one that is silent, and wrong variables.
import { openReceiver, type Receiver } from '@dayfly/telemetry/receiver.fixture'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openControllerWorld } from '../controller/process-world.ts'
import { expectOneLife, liveOnce } from '../controller/traced-life.ts'

let receiver: Receiver

beforeEach(async () => {
  receiver = await openReceiver()
})
afterEach(() => receiver.close())

test('a controller sends one trace for one life, and its metrics', { timeout: 120_000 }, async () => {
  await liveOnce(receiver.origin)
  await expectOneLife(receiver)
})

test('a controller works and ends with a collector that refuses, and logs that', { timeout: 120_000 }, async () => {
  receiver.manner.is = 'refuses'
  const log = await liveOnce(receiver.origin)
  expect(log).toContain('"event":"telemetry-failed"')
  expect(log.match(/telemetry-failed/g)?.length).toBeLessThanOrEqual(4)
})

test('a controller does not start with a variable that it cannot use', { timeout: 60_000 }, async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317')
  const world = await openControllerWorld()
  try {
    const controller = world.start()
    expect(await controller.ended).toEqual({ code: 2, signal: null })
    expect(controller.stderr()).toMatch(
      /^error telemetry-settings: OTEL_EXPORTER_OTLP_ENDPOINT is no address .*\n {2}next: Set /,
    )
  } finally {
    await world.close()
    vi.unstubAllEnvs()
  }
})
