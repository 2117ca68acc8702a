// The emulated GitHub: REST API, Actions service, message queue and runner API on one address, with latency, faults and a request log.
import type { Clock } from '@dayfly/kit/clock'
import type { Answer, Request } from '@dayfly/kit/http'
import { uuid } from '@dayfly/kit/ids'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { createDeadlines } from '../server/deadlines.ts'
import { createFaults, jsonText } from '../server/faults.ts'
import { createRequestLog, type Redaction } from '../server/request-log.ts'
import { createRouter, type Site } from '../server/router.ts'
import { createForgeServer, type ForgeServer } from '../server/server.ts'
import { type EmulatedApp, installationsOf } from './apps.ts'
import { type KnobChange, knobsFrom } from './config.ts'
import { type Control, createControl } from './control.ts'
import type { Emulation } from './emulation.ts'
import { type KeptState, stateFrom } from './kept-state.ts'
import { inOutage } from './outages.ts'
import { restError } from './refusal.ts'
import { RestBudgets } from './rest-budget.ts'
import { actionsRoutes } from './routes-actions.ts'
import { agentRoutes } from './routes-agents.ts'
import { appRoutes } from './routes-apps.ts'
import { controlRoutes } from './routes-control.ts'
import { queueRoutes } from './routes-queue.ts'
import { repositoryRoutes } from './routes-repository.ts'
import { restRoutes } from './routes-rest.ts'
import { runRoutes } from './routes-run.ts'
import { runnerRoutes } from './routes-runner.ts'
import { sessionRoutes } from './routes-sessions.ts'
import { settle } from './settle.ts'
import { createState } from './state.ts'
import { createTokens, type Tokens } from './tokens.ts'

export type GitHubEmulatorOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly knobs?: KnobChange | undefined
  /** The same as the knob `latencyMs`. */
  readonly latencyMs?: number | undefined
  /** The accepted personal access tokens. If empty, every bearer token is accepted. */
  readonly tokens?: readonly string[] | undefined
  readonly apps?: readonly EmulatedApp[] | undefined
  /** The state that an earlier emulator has kept. The default is a GitHub without any scale set. */
  readonly kept?: KeptState | undefined
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface GitHubEmulator extends ForgeServer {
  readonly control: Control
}

export function createGitHubEmulator(options: GitHubEmulatorOptions): GitHubEmulator {
  const { clock, random, apps = [], tls, kept } = options
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
    state: kept ? stateFrom(kept) : createState(knobs.firstMessageId),
  }
  const faults = createFaults()
  const log = createRequestLog(redactionOf(emulation.tokens))
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
    ...repositoryRoutes(emulation, { tokens: options.tokens ?? [] }),
    ...restRoutes(emulation, { tokens: options.tokens ?? [] }),
  ]
  const forge = createRouter(routes, site)
  const controlled = createRouter(controlRoutes(emulation, control), site)

  const server = createForgeServer({
    clock,
    latencyMs: () => emulation.knobs.latencyMs,
    faults,
    log,
    forge: (request) => inOutage(emulation, request, () => forge(withoutServicePath(request, emulation))),
    controlled,
    notFound: () => restError(404, 'Not Found'),
    complete: (answer) => complete(emulation, answer),
    tls,
    close: () => emulation.deadlines.clearAll(),
  })
  return { ...server, control }
}

/** The Actions service has routes at the root, where the knob gives it no path of its own. */
function withoutServicePath(request: Request, { knobs }: Emulation): Request {
  const { servicePath } = knobs
  return request.path.startsWith(`${servicePath}/`)
    ? { ...request, path: request.path.slice(servicePath.length) }
    : request
}

/** Adds the two correlation ids to a response, and the byte order mark of the knob `bom`. */
function complete({ random, knobs }: Emulation, answer: Answer): Answer {
  const part = () => randomInteger(random, 0, 0xffff).toString(16).toUpperCase()
  const requestId = `${part()}:${part()}:${part()}:${part()}:${part()}`
  const headers = { ActivityId: uuid(random), 'X-GitHub-Request-Id': requestId, ...answer.headers }
  const { body } = answer
  if (knobs.bom && body.kind === 'json') return jsonText({ ...answer, headers }, `\uFEFF${JSON.stringify(body.value)}`)
  return { ...answer, headers }
}

/** A token that the emulator did not issue is a personal access token. */
function redactionOf(tokens: Tokens): Redaction {
  return {
    text: tokens.redact,
    authorization: (header) => tokens.redact(header).replace(/ (?!\[).*/, ' [pat]'),
    hidesBody: (path) => path.startsWith('/runner/'),
  }
}
