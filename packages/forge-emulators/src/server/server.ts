// One emulated forge behind one address: latency, faults and the request log around its routes, over HTTP and in process.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, parseBody, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { type HttpHandler, type HttpServer, httpServer } from '@dayfly/kit/http-server'
import { applyFault, type Faults, faultAnswer, resetAnswer } from './faults.ts'
import { Refusal } from './refusal.ts'
import type { RequestLog } from './request-log.ts'
import type { Routing } from './router.ts'

export type ForgeServerOptions = {
  readonly clock: Clock
  /** The latency of every request: half before and half after the processing. */
  readonly latencyMs: () => number
  readonly faults: Faults
  readonly log: RequestLog
  readonly forge: Routing
  /** The control API. It has neither latency nor faults, and is not logged. */
  readonly controlled: Routing
  /** Returns the refusal of a path that the forge does not have. */
  readonly notFound: () => Refusal
  /** Adds to each response what the forge adds to all of them. */
  readonly complete: (answer: Answer) => Answer
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  /** Stops the forge's timers. */
  readonly close: () => void
}

export interface ForgeServer {
  readonly handler: HttpHandler
  /** The emulator without sockets. Responses look as over HTTP. */
  readonly transport: Transport
  /** Serves on 127.0.0.1. Port 0 selects a free port. Closing the server closes the emulator. */
  listen(port: number): Promise<HttpServer>
  /** Stops all timers. */
  close(): void
}

export function createForgeServer(options: ForgeServerOptions): ForgeServer {
  const { clock, faults, log, forge, controlled, close, tls } = options
  const pause = async (request: Request) => {
    const ms = options.latencyMs()
    if (ms > 0) await clock.sleep(ms / 2, request.signal)
  }
  const answered = async (answer: Promise<Answer> | undefined): Promise<Answer> => {
    try {
      return await (answer ?? Promise.reject(options.notFound()))
    } catch (error) {
      if (error instanceof Refusal) return error.answer
      throw error
    }
  }
  const carryOut = async (request: Request): Promise<Answer> => {
    const action = faults.take(request)
    if (action?.kind === 'answer') return faultAnswer(action)
    if (action?.kind === 'reset' && action.when === 'before') return resetAnswer
    if (action?.kind === 'delay') await clock.sleep(action.ms, request.signal)
    const answer = await answered(forge(request))
    return action ? applyFault(action, answer) : answer
  }
  const handler: HttpHandler = async (request) => {
    if (request.path.startsWith('/_emulator/')) return answered(controlled(request))
    const done = log.begin(request, clock.now())
    let status: number | 'broken' = 'broken'
    try {
      await pause(request)
      const answer = await carryOut(request)
      await pause(request)
      if (answer.body.kind !== 'cut') status = answer.status
      return options.complete(answer)
    } finally {
      done(status)
    }
  }
  return {
    handler,
    transport: async (request) => asReceived(await handler(asSent(request)), request),
    listen: async (port) => {
      const server = await httpServer(handler, { port, ...(tls ? { tls } : {}) })
      return {
        ...server,
        close: async () => {
          close()
          await server.close()
        },
      }
    },
    close,
  }
}

/** Reads the raw query, as a server over HTTP does. */
function asSent(request: Request): Request {
  if (!request.search) return request
  const values = new URLSearchParams(request.search)
  const all = [...values.keys()].map((name) => [name, values.getAll(name)] as const)
  const repeated = Object.fromEntries(all.filter(([, each]) => each.length > 1))
  const query = { ...Object.fromEntries(values), ...request.query }
  return { ...request, query, repeated: { ...repeated, ...request.repeated } }
}

/** Converts a response to the form that an HTTP client sees. */
function asReceived(answer: Answer, request: Request): Answer {
  const { body } = answer
  if (body.kind === 'cut') throw new TransportError('lost', `${request.method} ${request.path}: connection reset`)
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (body.kind !== 'text') return { ...answer, headers }
  return { ...answer, headers, body: parseBody(Buffer.from(body.text), headers['content-type'] ?? '') }
}
