// Runs the fuzz of the API server over real sockets: malformed HTTP, cut and silent connections, watches that nobody
// reads, and the requests of the other fuzz as bytes.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import type { HttpHandler } from '@dayfly/kit/http-server'
import { type Random, randomInteger, seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { hugeRequest } from './fuzz-huge.fixture.ts'
import { pick } from './fuzz-objects.fixture.ts'
import { type FuzzRequest, fuzzRequest } from './fuzz-requests.fixture.ts'
import { type FuzzResult, perWorld, problemOf } from './fuzz-run.fixture.ts'
import { fuzzWorld } from './fuzz-world.fixture.ts'
import { type Endpoint, openEndpoint } from './wire/endpoint.ts'

type Running = { problems: string[]; statuses: Map<number, number>; cpuMs: number[]; slowest: FuzzResult['slowest'] }

/** A connection's bytes, and how it goes on: it waits for the answer, is cut, stays silent, or never reads. */
type Raw = { readonly bytes: readonly (string | Buffer)[]; readonly ending: 'wait' | 'cut' | 'stay' | 'unread' }

/** How long a server may keep a connection that does nothing. Short, so that the fuzz sees the end of it. */
const limitsMs = { head: 1_000, request: 2_000, stall: 1_500 }
const answerMsMost = 30_000
/** The connections at one time. */
const atOnce = 50
const token = 'Authorization: Bearer token\r\n'
const pods = '/api/v1/namespaces/ci/pods'

export async function runSocketFuzz(
  order: { readonly requests: number; readonly seed: number },
  progress: (done: number) => void = () => {},
): Promise<FuzzResult> {
  const running: Running = { problems: [], statuses: new Map(), cpuMs: [], slowest: { cpuMs: 0, request: '' } }
  for (let done = 0; done < order.requests; done += perWorld) {
    await socketSeed(order.seed + done / perWorld, Math.min(perWorld, order.requests - done), running)
    progress(done + Math.min(perWorld, order.requests - done))
  }
  return running
}

async function socketSeed(seed: number, count: number, running: Running): Promise<void> {
  const random = seededRandom(seed)
  const { cluster, clock, refill } = await fuzzWorld(seed)
  const onError = (error: unknown) => running.problems.push(`seed ${seed}: the handler threw ${String(error)}`)
  const endpoint = await openEndpoint(timed(cluster.handler, running), { clock, limitsMs, onError })
  const left: TLSSocket[] = []
  for (let done = 0; done < count; done += atOnce) {
    await refill()
    const batch = Array.from({ length: Math.min(atOnce, count - done) }, () => rawRequest(random))
    await Promise.all(
      batch.map(async (raw, index) => {
        const sent = await exchange(endpoint, raw, left)
        judge(running, sent, { place: `seed ${seed}, connection ${done + index}`, raw })
      }),
    )
    await clock.advance(Math.floor(random() * 400))
  }
  const alive = await exchange(endpoint, { bytes: [request('GET', '/version', '')], ending: 'wait' }, left)
  if (!alive.startsWith('HTTP/1.1 200')) running.problems.push(`seed ${seed} left a server that answers ${alive}`)
  await Promise.all(left.map(closedInTime)).then((late) => {
    const stayed = late.filter((isLate) => isLate).length
    if (stayed > 0) running.problems.push(`seed ${seed}: the server kept ${stayed} silent connections`)
  })
  await endpoint.close()
  await cluster.stop()
}

/** Measures the processor time of each request. The handler works without a pause until it has an answer or a stream. */
function timed(handler: HttpHandler, running: Running): HttpHandler {
  return (asked) => {
    const started = process.cpuUsage()
    const answer = handler(asked)
    const { user, system } = process.cpuUsage(started)
    const cpuMs = (user + system) / 1_000
    const shown = `${asked.method} ${asked.path} ${asked.body.kind === 'text' ? asked.body.text.slice(0, 300) : JSON.stringify(asked.query).slice(0, 300)}`
    running.cpuMs.push(cpuMs)
    if (cpuMs > running.slowest.cpuMs) running.slowest = { cpuMs, request: shown }
    return answer
  }
}

/** Returns whether the server keeps a connection on which nothing happens for much longer than it may. */
async function closedInTime(socket: TLSSocket): Promise<boolean> {
  socket.resume()
  if (socket.closed) return false
  const late = new AbortController()
  const timer = systemClock().after(answerMsMost, () => late.abort())
  const isLate = await once(socket, 'close', { signal: late.signal }).then(
    () => false,
    () => true,
  )
  timer.cancel()
  socket.destroy()
  return isLate
}

/** Sends the bytes and returns the whole answer, or what came until the connection ended. */
async function exchange(endpoint: Endpoint, { bytes, ending }: Raw, left: TLSSocket[]): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: endpoint.port, ca: endpoint.ca, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => {})
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => {})
  if (ending === 'stay' || ending === 'unread') {
    // Nobody reads this connection.
    socket.pause()
    for (const part of bytes) socket.write(part)
    if (ending === 'stay') left.push(socket)
    return ''
  }
  let text = ''
  const isHead = String(bytes[0]).startsWith('HEAD ')
  const answered = new Promise<void>((resolve) => {
    const timer = systemClock().after(answerMsMost, () => {
      if (text === '') text = 'no answer in time'
      resolve()
    })
    socket.on('close', () => timer.cancel())
    socket.on('close', () => resolve())
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isWhole(text, isHead)) resolve()
    })
  })
  for (const part of bytes) if (!socket.destroyed) socket.write(part)
  if (ending === 'cut') await systemClock().sleep(1)
  else await answered
  socket.destroy()
  return text
}

/** Returns whether the answer is complete. The answer to HEAD has no body, and a stream may go on for an hour. */
function isWhole(text: string, isHead: boolean): boolean {
  const answer = text.replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, '')
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, end))?.[1]
  return isHead || length === undefined || answer.length >= end + 4 + Number(length)
}

function judge(running: Running, answer: string, { place, raw }: { readonly place: string; readonly raw: Raw }): void {
  const shown = `${place}: ${JSON.stringify(raw.bytes.map(String).join('').slice(0, 600))}`
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
  running.statuses.set(status, (running.statuses.get(status) ?? 0) + 1)
  const text = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  const problem = problemOf({ status, cpuMs: 0, text })
  if (problem !== undefined) running.problems.push(`${shown}\n${problem.slice(0, 1_000)}`)
  if (status === 0 && raw.ending === 'wait' && answer !== '')
    running.problems.push(`${shown}\nanswered no HTTP: ${answer}`)
}

const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: v5.channel.k8s.io',
]

/** Asks for a command in a pod, and then sends frames with junk in them. */
function hostileSession(random: Random): Raw {
  const asked = pick(random, ['command=a&stdin=1&stdout=1', 'command=a&command=%00&stderr=1', 'command=&stdin=1', ''])
  const bytes = junk(random)
  // A short binary message with a mask of zeros.
  const frame = Buffer.concat([Buffer.from([0x82, 0x80 | Math.min(125, bytes.length), 0, 0, 0, 0]), bytes])
  const target = `${pods}/${pick(random, ['a', 'a', 'none'])}/exec?${asked}`
  const head = `GET ${target} HTTP/1.1\r\nHost: x\r\n${token}${webSocket.join('\r\n')}\r\n\r\n`
  return { bytes: [head, pick(random, [frame, bytes])], ending: pick(random, ['wait', 'cut', 'stay']) }
}

/** Returns the head of a request and its body. */
function request(method: string, path: string, headers: string, body: string | Buffer = ''): string | Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${token}${headers}${length}\r\n`),
    Buffer.from(body),
  ])
}

function rawRequest(random: Random): Raw {
  const roll = random()
  if (roll < 0.45) return { bytes: [encoded(fuzzRequest(random))], ending: random() < 0.1 ? 'cut' : 'wait' }
  if (roll < 0.47) return { bytes: [encoded(hugeRequest(random))], ending: random() < 0.2 ? 'cut' : 'wait' }
  if (roll < 0.5) return { bytes: [request('GET', `${pods}?watch=true`, '')], ending: 'unread' }
  return pick(random, malformed)(random)
}

function encoded({ method, path, query, headers, bytes }: FuzzRequest): string | Buffer {
  const search = new URLSearchParams(query).toString()
  const plain = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[^\t\x20-\x7e]/g, '?')}\r\n`)
  const asked = `${path.replace(/[^\x21-\x7e]/g, '%20')}${search === '' ? '' : `?${search}`}`
  // A watch ends by itself, so that the fuzz sees its whole answer.
  const limit = query['watch'] === undefined && query['follow'] === undefined ? '' : '&timeoutSeconds=1'
  return request(method, asked + limit, plain.join('') + (limit === '' ? '' : 'Connection: close\r\n'), bytes)
}

const wait = (...bytes: readonly (string | Buffer)[]): Raw => ({ bytes, ending: 'wait' })
const post = `POST ${pods} HTTP/1.1\r\nHost: x\r\n${token}Content-Type: application/json\r\n`
const junk = (random: Random) =>
  Buffer.from(Array.from({ length: randomInteger(random, 1, 300) }, () => randomInteger(random, 0, 255)))

const malformed: readonly ((random: Random) => Raw)[] = [
  hostileSession,
  (random) => wait(junk(random), '\r\n\r\n'),
  (random) =>
    wait(
      `${pick(random, ['BREW', 'get', '', 'PRI', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND'])} ${pods} HTTP/1.1\r\nHost: x\r\n${token}\r\n`,
    ),
  (random) =>
    wait(
      `GET ${pick(random, ['*', 'x', 'http://x/api', '//api//v1', '/../../etc/passwd', '/api/v1/../..', '/%00', '/api/%ff', '/\xff'])} HTTP/1.1\r\nHost: x\r\n${token}\r\n`,
    ),
  (random) => wait(`GET /api HTTP/${pick(random, ['0.9', '1.0', '2.0', '9', 'x', '1.1 '])}\r\nHost: x\r\n${token}\r\n`),
  () => wait('GET /api HTTP/1.1\r\n\r\n'),
  (random) => wait(`GET /${'a'.repeat(randomInteger(random, 1, 100_000))} HTTP/1.1\r\nHost: x\r\n${token}\r\n`),
  (random) => wait(`GET /api HTTP/1.1\r\nHost: x\r\n${token}${'a: b\r\n'.repeat(randomInteger(random, 1, 9_000))}\r\n`),
  (random) =>
    wait(`GET /api HTTP/1.1\r\nHost: x\r\n${token}a: ${'b'.repeat(randomInteger(random, 1, 60_000))}\r\n\r\n`),
  (random) =>
    wait(
      `GET /api HTTP/1.1\r\nHost: x\r\n${token}${pick(random, ['a b: c', ': c', 'a\0: c', 'a: \0', '\xff: \xff', ' folded'])}\r\n\r\n`,
    ),
  (random) =>
    wait(
      `${post}Content-Length: ${pick(random, ['-1', 'x', '1e9', '99999999999999999999', '5, 5', ' ', '+3'])}\r\n\r\n{}`,
    ),
  () => wait(`${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  () => wait(`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
  (random) =>
    wait(
      `${post}Transfer-Encoding: chunked\r\n\r\n${pick(random, ['zz\r\n', '-1\r\n', 'ffffffffffffffff\r\n', '2\r\n{}', '2\r\n{}xx', '0\r\na: b\r\n\r\n', '1;x="\r\n'])}\r\n`,
    ),
  (random) =>
    wait(
      `${post}Transfer-Encoding: chunked\r\n\r\n`,
      ...Array.from({ length: randomInteger(random, 1, 50) }, () => '1\r\n \r\n'),
      '0\r\n\r\n',
    ),
  (random) =>
    wait(
      `${post}Transfer-Encoding: ${pick(random, ['gzip', 'gzip, chunked', 'chunked, chunked', 'x'])}\r\n\r\n0\r\n\r\n`,
    ),
  (random) =>
    wait(`${post}Content-Encoding: ${pick(random, ['gzip', 'deflate', 'br', 'x'])}\r\nContent-Length: 2\r\n\r\n{}`),
  (random) => wait(`${post}Expect: ${pick(random, ['100-continue', 'x'])}\r\nContent-Length: 2\r\n\r\n{}`),
  (random) =>
    wait(
      `GET ${pods} HTTP/1.1\r\nHost: x\r\n${token}Connection: Upgrade\r\nUpgrade: ${pick(random, ['websocket', 'h2c', 'SPDY/3.1', ''])}\r\n\r\n`,
    ),
  (random) => ({
    bytes: [`${post}Content-Length: ${randomInteger(random, 3, 9_999)}\r\n\r\n{}`],
    ending: pick(random, ['cut', 'stay', 'cut']),
  }),
  (random) => ({
    bytes: [`${post}${'a: b\r\n'.repeat(randomInteger(random, 0, 5))}`],
    ending: pick(random, ['cut', 'stay', 'cut']),
  }),
  () => ({ bytes: [], ending: 'cut' }),
  (random) => ({
    bytes: Array.from({ length: randomInteger(random, 2, 30) }, () => request('GET', '/api', '')),
    ending: pick(random, ['wait', 'cut']),
  }),
  (random) =>
    wait(
      request('POST', pods, 'Content-Type: application/json\r\n', 'x'.repeat(randomInteger(random, 1, 4) * 1_048_577)),
    ),
  (random) =>
    wait(
      request(
        'POST',
        '/api/v1/namespaces/ci/configmaps',
        'Content-Type: application/json\r\n',
        JSON.stringify({
          metadata: { name: 'w' },
          [pick(random, ['é', '😀', '\n', '\u007f', '\u2028', 'x'.repeat(9_000)])]: 1,
        }),
      ),
    ),
  (random) => wait(request('POST', pods, '', junk(random))),
]
