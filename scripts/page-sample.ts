// Serves the web page with sample data that changes: npx tsx scripts/page-sample.ts [--runners 1000] [--sets 8] [--port 8090]

import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import type { WindowName } from '../packages/dashboard/src/model/trends.ts'
import { createSample, type Sample } from '../packages/dashboard/src/web/sample.fixture.ts'
import { costsOf, detailOf, foundFor, trendsOf } from '../packages/dashboard/src/web/sample-answers.fixture.ts'
import { buildPage } from './build-page.ts'

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: '8' },
    runners: { type: 'string', default: '60' },
    gone: { type: 'string', default: '200' },
    failing: { type: 'string', default: '2' },
    waiting: { type: 'string', default: '9' },
    silent: { type: 'string', default: '0' },
    'step-ms': { type: 'string', default: '250' },
    port: { type: 'string', default: '8090' },
    token: { type: 'string' },
    prices: { type: 'boolean', default: false },
  },
})
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-page-'))
await buildPage(folder)
const sample = createSample(
  {
    sets: Number(options.sets),
    runners: Number(options.runners),
    gone: Number(options.gone),
    failing: Number(options.failing),
    waiting: Number(options.waiting),
    silent: Number(options.silent),
  },
  Date.now(),
)
const setNames = sample.snapshot(Date.now()).sets.map(({ id }) => id)
const followers = new Set<(text: string) => void>()
const steps = setInterval(() => {
  const changes = sample.step(Date.now())
  const text = `id: ${changes.version}\nevent: changes\ndata: ${JSON.stringify(changes)}\n\n`
  for (const send of followers) send(text)
}, Number(options['step-ms']))
const server = await httpServer(answer, { port: Number(options.port) })
process.stdout.write(`${server.origin}/\n`)
process.once('SIGINT', stop)
process.once('SIGTERM', stop)

async function stop(): Promise<void> {
  clearInterval(steps)
  await server.close()
  await rm(folder, { recursive: true })
}

async function answer(request: Request): Promise<Answer> {
  const [, first = '', second = ''] = request.path.split('/')
  if (first !== 'api') return file(first === '' ? 'index.html' : first)
  if (options.token !== undefined && request.headers['authorization'] !== `Bearer ${options.token}`) {
    return textAnswer(401, 'A token is needed.\n')
  }
  return api(sample, second, request)
}

async function file(name: string): Promise<Answer> {
  const type = types[path.extname(name)]
  if (type === undefined || name.includes('..')) return textAnswer(404, 'There is no such file.\n')
  const headers = { 'content-type': type, 'content-security-policy': policy }
  return textAnswer(200, await readFile(path.join(folder, name), 'utf8'), headers)
}

function api({ snapshot, lives, jobs }: Sample, name: string, { query, signal }: Request): Answer {
  const now = Date.now()
  const window = (query['window'] ?? '24h') as WindowName
  if (name === 'snapshot') return jsonAnswer(200, snapshot(now))
  if (name === 'changes') return events(changes(signal))
  if (name === 'log') return events(log(signal))
  if (name === 'trends') return jsonAnswer(200, trendsOf(window, setNames, now))
  if (name === 'costs') return jsonAnswer(200, costsOf(window, setNames, options.prices, now))
  if (name === 'find') return jsonAnswer(200, foundFor(query['q'] ?? '', lives, jobs))
  const life = lives.get(query['id'] ?? '')
  if (name === 'runner' && life) return jsonAnswer(200, detailOf(life, now))
  return textAnswer(404, 'No runner has this name. The history keeps ended runners for 24 h.\n')
}

function events(chunks: AsyncIterable<string>): Answer {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: { kind: 'bytes', chunks } }
}

async function* changes(signal: AbortSignal | undefined): AsyncGenerator<string> {
  const waiting: string[] = []
  let wake = () => {}
  const send = (text: string) => {
    waiting.push(text)
    wake()
  }
  followers.add(send)
  signal?.addEventListener('abort', () => {
    followers.delete(send)
    wake()
  })
  yield `event: beat\ndata: ${Date.now()}\n\n`
  while (!signal?.aborted) {
    while (waiting.length > 0) yield waiting.shift() ?? ''
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

async function* log(signal: AbortSignal | undefined): AsyncGenerator<string> {
  for (let line = 1; !signal?.aborted; line++) {
    yield `event: line\ndata: ${new Date().toISOString()} compile package ${line} of the workspace\n\n`
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}
