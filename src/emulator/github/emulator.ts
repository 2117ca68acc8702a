// The emulated GitHub: REST API, Actions service, message queue and runner API on one address, with latency, faults and a request log.
import type { Clock } from '../../lib/clock.ts'
import { type Answer, parseBody, type Request, type Transport, TransportError } from '../../lib/http.ts'
import { type HttpHandler, type HttpServer, httpServer } from '../../lib/http-server.ts'
import { uuid } from '../../lib/ids.ts'
import { type Random, randomInteger } from '../../lib/random.ts'
import { type EmulatedApp, installationsOf } from './apps.ts'
import { type KnobChange, knobsFrom } from './config.ts'
import { type Control, createControl } from './control.ts'
import { createDeadlines } from './deadlines.ts'
import type { Emulation } from './emulation.ts'
import { applyFault, createFaults, faultAnswer, jsonText, resetAnswer } from './faults.ts'
import { Refusal, restError } from './refusal.ts'
import { createRequestLog } from './request-log.ts'
import { RestBudgets } from './rest-budget.ts'
import { createRouter, type Site } from './router.ts'
import { actionsRoutes } from './routes-actions.ts'
import { agentRoutes } from './routes-agents.ts'
import { appRoutes } from './routes-apps.ts'
import { controlRoutes } from './routes-control.ts'
import { queueRoutes } from './routes-queue.ts'
import { restRoutes } from './routes-rest.ts'
import { runRoutes } from './routes-run.ts'
import { runnerRoutes } from './routes-runner.ts'
import { sessionRoutes } from './routes-sessions.ts'
import { settle } from './settle.ts'
import { createState } from './state.ts'
import { createTokens } from './tokens.ts'

export type GitHubEmulatorOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly knobs?: KnobChange | undefined
  /** The same as the knob `latencyMs`. */
  readonly latencyMs?: number | undefined
  /** The accepted personal access tokens. If empty, every bearer token is accepted. */
  readonly tokens?: readonly string[] | undefined
  readonly apps?: readonly EmulatedApp[] | undefined
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface GitHubEmulator {
  readonly handler: HttpHandler
  /** The emulator without sockets. Responses look as over HTTP. */
  readonly transport: Transport
  /** Serves on 127.0.0.1. Port 0 selects a free port. Closing the server closes the emulator. */
  listen(port: number): Promise<HttpServer>
  readonly control: Control
  /** Stops all timers. */
  close(): void
}

export function createGitHubEmulator(options: GitHubEmulatorOptions): GitHubEmulator {
  const { clock, random, apps = [], tls } = options
  const knobs = knobsFrom({ latencyMs: options.latencyMs, ...options.knobs })
  const emulation: Emulation = {
    clock,
    random,
    deadlines: createDeadlines(clock, () => settle(emulation)),
    tokens: createTokens(random),
    listeners: new Set(),
    installations: installationsOf(apps),
    budgets: new RestBudgets(),
    knobs,
    state: createState(knobs.firstMessageId),
  }
  const faults = createFaults()
  const log = createRequestLog(emulation.tokens)
  const control = createControl(emulation, faults, log)
  const site: Site = { scheme: () => (tls ? 'https' : 'http'), path: () => emulation.knobs.servicePath }
  const routes = [
    ...queueRoutes(emulation),
    ...runRoutes(emulation),
    ...runnerRoutes(emulation),
    ...agentRoutes(emulation),
    ...sessionRoutes(emulation),
    ...actionsRoutes(emulation),
    ...appRoutes(emulation, apps),
    ...restRoutes(emulation, { tokens: options.tokens ?? [] }),
  ]
  const forge = createRouter(routes, site)
  const controlled = createRouter(controlRoutes(emulation, control), site)

  const carryOut = async (request: Request): Promise<Answer> => {
    const action = faults.take(request)
    if (action?.kind === 'answer') return faultAnswer(action)
    if (action?.kind === 'reset' && action.when === 'before') return resetAnswer
    if (action?.kind === 'delay') await clock.sleep(action.ms, request.signal)
    const answer = await answered(forge(withoutServicePath(request, emulation)))
    return action ? applyFault(action, answer) : answer
  }
  const handler: HttpHandler = async (request) => {
    if (request.path.startsWith('/_emulator/')) return answered(controlled(request))
    const done = log.begin(request, clock.now())
    let status: number | 'broken' = 'broken'
    try {
      await pause(emulation, request)
      const answer = await carryOut(request)
      await pause(emulation, request)
      if (answer.body.kind !== 'cut') status = answer.status
      return complete(emulation, answer)
    } finally {
      done(status)
    }
  }
  const close = () => emulation.deadlines.clearAll()
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
    control,
    close,
  }
}

async function answered(answer: Promise<Answer> | undefined): Promise<Answer> {
  try {
    return await (answer ?? Promise.reject(restError(404, 'Not Found')))
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

/** The Actions service has routes at the root, where the knob gives it no path of its own. */
function withoutServicePath(request: Request, { knobs }: Emulation): Request {
  const { servicePath } = knobs
  return request.path.startsWith(`${servicePath}/`)
    ? { ...request, path: request.path.slice(servicePath.length) }
    : request
}

/** Waits for half of the latency. */
async function pause({ clock, knobs }: Emulation, request: Request): Promise<void> {
  if (knobs.latencyMs > 0) await clock.sleep(knobs.latencyMs / 2, request.signal)
}

/** Adds the two correlation ids to a response, and the byte order mark of the knob `bom`. */
function complete({ random, knobs }: Emulation, answer: Answer): Answer {
  const requestId = Array.from({ length: 5 }, () => randomInteger(random, 0, 0xffff).toString(16).toUpperCase())
  const headers = { ActivityId: uuid(random), 'X-GitHub-Request-Id': requestId.join(':'), ...answer.headers }
  const { body } = answer
  if (knobs.bom && body.kind === 'json') return jsonText({ ...answer, headers }, `\uFEFF${JSON.stringify(body.value)}`)
  return { ...answer, headers }
}

/** Reads the raw query, as a server over HTTP does. */
function asSent(request: Request): Request {
  if (!request.search) return request
  return { ...request, query: { ...Object.fromEntries(new URLSearchParams(request.search)), ...request.query } }
}

/** Converts a response to the form that an HTTP client sees. */
function asReceived(answer: Answer, request: Request): Answer {
  const { body } = answer
  if (body.kind === 'cut') throw new TransportError('lost', `${request.method} ${request.path}: connection reset`)
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (body.kind !== 'text') return { ...answer, headers }
  return { ...answer, headers, body: parseBody(Buffer.from(body.text), headers['content-type'] ?? '') }
}
