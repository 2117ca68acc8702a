// One request over HTTP/2, on a connection that it shares with others.
import { constants } from 'node:http2'
import type { Request } from './http.ts'
import {
  bodyTimeoutMs,
  encodeBody,
  type Incoming,
  joinedHeaders,
  lateError,
  pathOf,
  unsentCode,
} from './http-exchange.ts'
import type { Sessions, Stream } from './http2-sessions.ts'

type Options = { readonly origin: string; readonly sessions: Sessions; readonly headersTimeoutMs: number }

/** Sends the request and resolves with the head of the answer, or with undefined if the server speaks HTTP/1.1 only. */
export async function exchangeHttp2(
  request: Request,
  { origin, sessions, headersTimeoutMs }: Options,
): Promise<Incoming | undefined> {
  const { headers, text } = encodeBody(request)
  const head = { ':method': request.method, ':path': pathOf(request), ...headers }
  return await sessions.begin({ origin, headers: head, signal: request.signal }, (stream) =>
    converse(stream, request, text, headersTimeoutMs),
  )
}

function converse(
  { http2, givenUp }: Stream,
  { expect, signal }: Request,
  text: string | undefined,
  headersTimeoutMs: number,
): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const giveUp = (error: Error) => {
      givenUp()
      http2.close(constants.NGHTTP2_CANCEL)
      http2.destroy(error)
    }
    const fail = (error: Error) => {
      const refused = http2.rstCode === constants.NGHTTP2_REFUSED_STREAM
      reject(refused ? Object.assign(error, { code: unsentCode }) : error)
    }
    let answered = false
    http2.on('error', fail).on('close', () => {
      if (!answered) fail(new Error('the stream was closed without an answer'))
    })
    http2.setTimeout(headersTimeoutMs, () => giveUp(lateError(false)))
    http2.on('response', (headers) => {
      answered = true
      http2.setTimeout(expect === 'whole' ? bodyTimeoutMs : 0)
      const cut = () => http2.rstCode !== constants.NGHTTP2_NO_ERROR
      const { ':status': status = 0 } = headers
      resolve({ status, headers: joinedHeaders(headers as NodeJS.Dict<string | string[]>), body: http2, cut })
    })
    if (signal) {
      const stop = () => giveUp(new Error('aborted'))
      signal.addEventListener('abort', stop, { once: true })
      http2.on('close', () => signal.removeEventListener('abort', stop))
    }
    http2.end(text)
  })
}
