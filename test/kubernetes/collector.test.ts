// OpenTelemetry's own collector receives one life of the controller. It passes on what it understood.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { valueAt } from '@dayfly/kit/read-json'
import { openReceiver, type Receiver } from '@dayfly/telemetry/receiver.fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { compileCollector } from '../../scripts/control-plane/build.ts'
import { until } from '../cli.ts'
import { expectOneLife, liveOnce } from '../controller/traced-life.ts'
import { guideText } from '../dayfly/guide-pages.ts'

let folder: string
let obstacle: string | undefined
let receiver: Receiver
let child: ChildProcess | undefined

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'dayfly-collector-'))
  receiver = await openReceiver()
  obstacle = (await compileCollector(new AbortController().signal, path.join(folder, 'collector')))?.why
}, 600_000)

afterAll(async () => {
  child?.kill()
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

test('the collector receives one trace for one life, and its metrics', { timeout: 180_000 }, async (context) => {
  if (obstacle) context.skip(obstacle)
  const port = await freePort()
  const printed = await startCollector(port)
  await liveOnce(`http://127.0.0.1:${port}`)
  await expectOneLife(receiver)
  // The page shows a part of this text.
  if (process.env['DAYFLY_COLLECTOR_OUTPUT']) await writeFile(process.env['DAYFLY_COLLECTOR_OUTPUT'], printed())
  expect(printed()).toContain('-> Name: cicd.pipeline.run.duration')
  const page = guideText('telemetry')
  const spans = [...page.matchAll(/Name: (.+?) {2,}Kind: (\w+)/g)]
  const attributes = [...page.matchAll(/-> [\w.]+: Str/g)]
  expect([spans.length, attributes.length]).toEqual([3, 9])
  for (const [, name, kind] of spans) expect(printed()).toMatch(new RegExp(`Name +: ${name}\\n +Kind +: ${kind}\\n`))
  for (const [attribute] of attributes) expect(printed()).toContain(attribute)
})

test('the command of the page sets a value of the chart', async () => {
  const values: unknown = parse(await readFile('deploy/chart/values.yaml', 'utf8'))
  const [, key = ''] = /--set ([\w.]+)=/.exec(guideText('telemetry')) ?? []
  expect(valueAt(values, ...key.split('.'))).toBe('')
})

/** Returns what the collector has printed so far. */
async function startCollector(port: number): Promise<() => string> {
  const file = path.join(folder, 'config.yaml')
  const exporters = {
    debug: { verbosity: 'detailed' },
    otlp_http: { endpoint: receiver.origin, encoding: 'json', compression: 'none' },
  }
  const pipeline = { receivers: ['otlp'], exporters: Object.keys(exporters) }
  const configuration = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters,
    service: { telemetry: { metrics: { level: 'none' } }, pipelines: { traces: pipeline, metrics: pipeline } },
  }
  // YAML reads JSON.
  await writeFile(file, JSON.stringify(configuration))
  let output = ''
  child = spawn(path.join(folder, 'collector'), ['--config', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await until(`the collector starts:\n${output}`, 20_000, () => output.includes('Everything is ready'))
  return () => output
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
