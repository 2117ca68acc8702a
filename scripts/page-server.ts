// A server of the web page with sample data, for looking at the page and for measuring it.
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import { httpServer } from '@dayfly/kit/http-server'
import type { Snapshot } from '../packages/dashboard/src/model/page-state.ts'
import type { WindowName } from '../packages/dashboard/src/model/trends.ts'
import { createSample, type Sample, type SampleSize } from '../packages/dashboard/src/web/sample.fixture.ts'
import { costsOf, detailOf, foundFor, trendsOf } from '../packages/dashboard/src/web/sample-answers.fixture.ts'
import { buildPage } from './build-page.ts'

export type PageOptions = {
  readonly size: SampleSize
  readonly stepMs: number
  readonly port: number
  /** The path of the page, as behind a reverse proxy. It begins and ends with a slash. */
  readonly prefix: string
  readonly isPriced: boolean
  /** Refuses requests for data without it. */
  readonly token?: string
}

export interface PageServer {
  readonly address: string
  /** The folder of the built page. */
  readonly folder: string
  close(): Promise<void>
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Sends a text to each follower. */
type Followers = Set<(text: string) => void>

/** Builds the page and serves it. */
export async function servePage(options: PageOptions): Promise<PageServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-page-'))
  await buildPage(folder)
  const sample = createSample(options.size, Date.now())
  const followers: Followers = new Set()
  const steps = setInterval(() => {
    const changes = sample.step(Date.now())
    const text = `id: ${changes.version}\nevent: changes\ndata: ${JSON.stringify(changes)}\n\n`
    for (const send of followers) send(text)
  }, options.stepMs)
  const answer = async (request: Request): Promise<Answer> => {
    if (!request.path.startsWith(options.prefix)) return textAnswer(404, 'The page is not here.\n')
    const [first = '', second = ''] = request.path.slice(options.prefix.length).split('/')
    if (first !== 'api') return file(folder, first === '' ? 'index.html' : first)
    const isRefused = options.token !== undefined && request.headers['authorization'] !== `Bearer ${options.token}`
    if (isRefused) return textAnswer(401, 'A token is needed.\n')
    if (second === 'changes') {
      const first = sample.snapshot(Date.now())
      const isCurrent = request.query['after'] === String(first.version)
      return events(changes(followers, request.signal, isCurrent ? undefined : first))
    }
    return api(sample, second, request, options.isPriced)
  }
  const server = await httpServer(answer, { port: options.port })
  const close = async () => {
    clearInterval(steps)
    await server.close()
    await rm(folder, { recursive: true })
  }
  return { address: `${server.origin}${options.prefix}`, folder, close }
}

async function file(folder: string, name: string): Promise<Answer> {
  const type = types[path.extname(name)]
  const text = type === undefined ? undefined : await readFile(path.join(folder, name), 'utf8').catch(() => undefined)
  if (type === undefined || text === undefined) return textAnswer(404, 'There is no such file.\n')
  return textAnswer(200, text, { 'content-type': type, 'content-security-policy': policy })
}

function api({ snapshot, lives, jobs }: Sample, name: string, { query, signal }: Request, isPriced: boolean): Answer {
  const now = Date.now()
  const window = (query['window'] ?? '24h') as WindowName
  if (name === 'snapshot') return jsonAnswer(200, snapshot(now))
  if (name === 'log') return events(log(signal))
  if (name === 'find') return jsonAnswer(200, foundFor(query['q'] ?? '', lives, jobs))
  const sets = [...new Set([...lives.values()].map(({ set }) => set))].sort()
  if (name === 'trends') return jsonAnswer(200, trendsOf(window, sets, now))
  if (name === 'costs') return jsonAnswer(200, costsOf(window, sets, isPriced, now))
  const life = lives.get(query['id'] ?? '')
  if (name === 'runner' && life) return jsonAnswer(200, detailOf(life, now))
  return textAnswer(404, 'No runner has this name. The history keeps ended runners for 24 h.\n')
}

function events(chunks: AsyncIterable<string>): Answer {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: { kind: 'bytes', chunks } }
}

/** A page that has another version first gets a snapshot. */
async function* changes(
  followers: Followers,
  signal: AbortSignal | undefined,
  first?: Snapshot,
): AsyncGenerator<string> {
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
  if (first) yield `id: ${first.version}\nevent: snapshot\ndata: ${JSON.stringify(first)}\n\n`
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
    const text = `${new Date().toISOString()} compile package ${line} of the workspace`
    yield `event: line\ndata: ${JSON.stringify(text)}\n\n`
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
}
