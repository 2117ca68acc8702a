// Sends JSON over HTTP to one server. It uses only node:http, because the program must start fast.
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'

export type Reply = { readonly status: number; readonly value: Readonly<Record<string, unknown>> }

export interface Connection {
  /** Sends a request. Relative URLs are joined to the server's. Rejects without a whole response within `timeoutMs` (30 s), or when the signal is aborted. */
  call(method: string, url: string, options?: CallOptions): Promise<Reply>
  close(): void
}

export type CallOptions = {
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

const answerBytesMax = 16 * 1024 * 1024

/** @param own the headers of every request */
export function connect(base: string, own: Readonly<Record<string, string>>): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, noDelay: true })
  return {
    call: async (method, url, { body, signal, timeoutMs = 30_000 } = {}) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers = {
        ...own,
        'user-agent': 'dayfly-runner',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      }
      const request = openRequest(new URL(url, base), {
        method,
        agent,
        headers,
        timeout: timeoutMs,
        ...(signal && { signal }),
      })
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
      request.end(text)
      const response = await head(request)
      return { status: response.statusCode ?? 0, value: await readJson(response) }
    },
    close: () => agent.destroy(),
  }
}

function head(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // This listener stays: without it, an error after the response head would end the program.
    request.on('error', reject)
  })
}

async function readJson(response: IncomingMessage): Promise<Reply['value']> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > answerBytesMax) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
    return typeof value === 'object' && value !== null ? (value as Reply['value']) : {}
  } catch {
    return {}
  }
}
