import { type IncomingMessage, request as nodeRequest } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isFull } from './full.fixture.ts'
import type { Method } from './http.ts'
import { AnswerReader } from './http-answer.ts'

type Outcome = { readonly status: number; readonly headers: object; readonly body: string } | 'refused'

/** Reads the bytes in these pieces, and then the end of the connection. */
function ours(method: Method, pieces: readonly Buffer[]): Outcome & object {
  const seen = { status: 0, headers: {} as object, body: '', ended: false }
  const reader = new AnswerReader(method, {
    head: ({ status, headers }) => Object.assign(seen, { status, headers }),
    data: (chunk) => {
      seen.body += chunk.toString('latin1')
    },
    end: () => {
      seen.ended = true
    },
  })
  for (const piece of pieces) if (!reader.hasEnded) reader.read(piece)
  reader.close()
  expect(seen.ended).toBe(true)
  return { status: seen.status, headers: seen.headers, body: seen.body }
}

function oursOrRefused(method: Method, pieces: readonly Buffer[]): Outcome {
  try {
    return ours(method, pieces)
  } catch {
    return 'refused'
  }
}

/** The same with the parser of Node.js. */
function theirs(method: Method, bytes: Buffer): Promise<Outcome> {
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  socket.on('error', () => {})
  return new Promise((resolve) => {
    const refuse = () => resolve('refused')
    const outgoing = nodeRequest({ method, createConnection: () => socket })
    outgoing
      .on('error', refuse)
      .on('upgrade', refuse)
      .on('response', (incoming: IncomingMessage) => {
        let body = ''
        incoming.on('data', (chunk: Buffer) => {
          body += chunk.toString('latin1')
        })
        const done = () => resolve({ status: incoming.statusCode ?? 0, headers: { ...incoming.headers }, body })
        incoming.on('end', done).on('error', refuse).on('close', refuse)
      })
    outgoing.end()
    socket.push(bytes)
    socket.push(null)
  })
}

const crlf = '\r\n'
const text = fc.string({ unit: fc.constantFrom('a', '{', '\r', '\n', '0', ' ', 'ÿ', '\u0000'), maxLength: 40 })
const token = fc.constantFrom('x-one', 'X-Two', 'Warning', 'retry-after', 'Location', 'content-type', '__proto__')
const header = fc
  .tuple(
    token,
    fc.constantFrom('', ' ', '\t '),
    fc.constantFrom('a', 'b, c', '"q;"', 'é', ''),
    fc.constantFrom('', ' '),
  )
  .map(([name, before, value, after]) => `${name}:${before}${value}${after}`)
const chunked = fc.array(text.filter((one) => one !== '')).chain((chunks) =>
  fc.constantFrom('', ';a=b', ';c').map((extension) => {
    const sized = chunks.map((one) => `${one.length.toString(16)}${extension}${crlf}${one}${crlf}`)
    return `${sized.join('')}0${crlf}${crlf}`
  }),
)
const framed = fc.oneof(
  text.map((body) => ({ framing: `Content-Length: ${body.length}`, body })),
  chunked.map((body) => ({ framing: 'Transfer-Encoding: chunked', body })),
  text.map((body) => ({ framing: 'Connection: close', body })),
)
const answer = fc
  .record({
    first: fc.constantFrom(
      '',
      `HTTP/1.1 100 Continue${crlf}${crlf}`,
      `HTTP/1.1 103 Early Hints${crlf}Link: x${crlf}${crlf}`,
    ),
    version: fc.constantFrom('1.1', '1.0'),
    status: fc.constantFrom('200 OK', '201', '404 Not Found', '500 ', '204 No Content', '304 Not Modified'),
    headers: fc.array(header, { maxLength: 5 }),
    framed,
  })
  .map(({ first, version, status, headers, framed: { framing, body } }) => {
    const hasBody = !/^[23]04/.test(status)
    const lines = [`HTTP/${version} ${status}`, ...headers, ...(hasBody ? [framing] : [])]
    return Buffer.from(`${first}${lines.join(crlf)}${crlf}${crlf}${hasBody ? body : ''}`, 'latin1')
  })

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((left, right) => left - right)]
  return [...sorted, bytes.length].slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

const numRuns = isFull ? 5_000 : 300

describe('an answer', () => {
  it('is read as Node.js reads it, with its bytes cut at any place', async () => {
    const places = fc.array(fc.nat(), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(answer, places, async (bytes, at) => {
        expect(ours('GET', cut(bytes, at))).toEqual(await theirs('GET', bytes))
      }),
      { numRuns },
    )
  })

  it('is refused if it is broken, or read as Node.js reads it', async () => {
    const change = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 3 }),
      add: fc.constantFrom('', '\r', '\n', '0', ':', ' '),
    })
    await fc.assert(
      fc.asyncProperty(answer, fc.array(change, { minLength: 1, maxLength: 3 }), async (whole, changes) => {
        let bytes = whole
        for (const { at, remove, add } of changes) {
          const place = at % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from(add), bytes.subarray(place + remove)])
        }
        const outcome = oursOrRefused('GET', [bytes])
        const other = await theirs('GET', bytes)
        if (outcome !== 'refused' && other !== 'refused') expect(outcome).toEqual(other)
      }),
      { numRuns },
    )
  })

  const head = 'HTTP/1.1 200 OK\r\n'
  test.each<[Method, string, string]>([
    ['HEAD', `${head}content-length: 5\r\n\r\n`, ''],
    ['GET', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n', ''],
    ['GET', `${head}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n`, 'abc'],
    ['GET', `${head}content-length: 3\r\ncontent-length: 3\r\n\r\nabc`, 'abc'],
    ['GET', `${head}\r\nabc`, 'abc'],
  ])('to %s has the right end: %j', (method, answer, body) => {
    expect(ours(method, [Buffer.from(answer)])).toMatchObject({ body })
    expect(
      ours(
        method,
        [...Buffer.from(answer)].map((byte) => Buffer.of(byte)),
      ),
    ).toMatchObject({ body })
  })

  test.each([
    ['two lengths', `${head}content-length: 3\r\ncontent-length: 4\r\n\r\nabc`],
    ['a length and chunks', `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown coding', `${head}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a negative length', `${head}content-length: -1\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['an endless header', `${head}x: ${'a'.repeat(40_000)}`],
    ['an endless size of a chunk', `${head}transfer-encoding: chunked\r\n\r\n${'0'.repeat(40_000)}`],
  ])('is refused with %s', (_, answer) => {
    expect(oursOrRefused('GET', [Buffer.from(answer)])).toBe('refused')
  })

  test.each([
    ['HTTP/1.1', '', Number.POSITIVE_INFINITY],
    ['HTTP/1.1', 'keep-alive: timeout=5, max=100\r\n', 4_000],
    ['HTTP/1.1', 'keep-alive: timeout=1\r\n', 0],
    ['HTTP/1.1', 'connection: x, Close\r\n', 0],
    ['HTTP/1.0', '', 0],
    ['HTTP/1.0', 'connection: Keep-Alive\r\n', Number.POSITIVE_INFINITY],
  ])('says how long its connection is kept: %s with %j', (version, header, expected) => {
    const reader = new AnswerReader('GET', { head: () => {}, data: () => {}, end: () => {} })
    const behind = reader.read(Buffer.from(`${version} 200 OK\r\n${header}content-length: 2\r\n\r\n{}behind`))
    expect([reader.keptAliveMs, String(behind)]).toEqual([expected, 'behind'])
  })
})
