// Measures what telemetry costs: npx tsx bench/telemetry.ts [lives]. It prints bytes of one life, and processor time of 1,000.
// The SDK itself reads OTEL_EXPORTER_OTLP_COMPRESSION=gzip.

import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@dayfly/kit/system'
import { entries, goodLife, leads } from '@dayfly/telemetry/one-life.fixture'
import { openTelemetry } from '@dayfly/telemetry/telemetry'

const [role = '10000'] = process.argv.slice(2)
if (role === 'receive') receive()
else await measure(Number(role))

/** A process of its own: its work is not that of the controller. */
function receive(): void {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => response.end('{}'))
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('message', () => process.send?.(bytes))
}

async function measure(lives: number): Promise<void> {
  const child = fork(import.meta.filename, ['receive'], { execArgv: process.execArgv })
  const reply = () => new Promise<number>((resolve) => child.once('message', (value) => resolve(value as number)))
  const environment = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${await reply()}` }
  const clock = systemClock()
  const onFailure = (message: string) => process.stderr.write(`${message}\n`)
  const telemetry = await openTelemetry(environment, {
    version: '0',
    instance: 'bench',
    clock,
    sets: () => [],
    onFailure,
  })
  if (!telemetry) throw new Error('it is off')
  telemetry.reader({ at: clock.now(), event: leads })
  const live = (name: string, events = goodLife) => {
    const own = events.map(([ms, event]) => [ms, { ...event, runner: `${name}-46c77-wxq8jm6prg` }] as const)
    for (const entry of entries(clock.now() - 60_000, own as unknown as typeof goodLife)) telemetry.reader(entry)
  }
  const started = process.cpuUsage()
  for (let index = 0; index < lives; index++) {
    live(`linux-${index}`)
    if (index % 1_000 === 999) await clock.sleep(3_000)
  }
  await telemetry.close()
  const { user, system } = process.cpuUsage(started)
  const bytes = reply()
  child.send('bytes')
  process.stdout.write(
    `${lives} lives: ${Math.round((await bytes) / lives)} bytes each, ${Math.round((user + system) / lives)} ms of a processor for 1,000\n`,
  )
  child.kill()
}
