// The emulated Gitea: owners, repositories, runners and jobs on one address, with latency, faults and a request log.
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { createDeadlines } from '../server/deadlines.ts'
import { createFaults } from '../server/faults.ts'
import { createRequestLog, type Redaction } from '../server/request-log.ts'
import { createRouter, methodsAt, type Routing, type Site } from '../server/router.ts'
import { createForgeServer, type ForgeServer } from '../server/server.ts'
import { type KnobChange, type Knobs, knobsFrom } from './config.ts'
import { type Control, createControl } from './control.ts'
import { type EmulatedCredential, userOf } from './credentials.ts'
import { dialectNames, dialects } from './dialect.ts'
import type { Emulation } from './emulation.ts'
import { createIdleStubs } from './idle-stubs.ts'
import { createState } from './places.ts'
import type { GiteaRoute } from './reach.ts'
import { noRoute, otherMethods } from './refusal.ts'
import { controlRoutes } from './routes-control.ts'
import { jobRoutes } from './routes-jobs.ts'
import { repositoryRoutes } from './routes-repositories.ts'
import { rpcRoutes } from './routes-rpc.ts'
import { runnerRoutes } from './routes-runners.ts'
import { settle } from './settle.ts'
import type { EmulatedOwner } from './state.ts'

export type GiteaEmulatorOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly owners: readonly EmulatedOwner[]
  /** The accepted tokens. Any other one gets 401. Each user of a token has an account, also if `owners` lacks it. */
  readonly credentials: readonly EmulatedCredential[]
  readonly knobs?: KnobChange | undefined
  /** Sends the deliveries of webhooks. Without it, none is sent. */
  readonly deliver?: Transport | undefined
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface GiteaEmulator extends ForgeServer {
  readonly control: Control
}

export function createGiteaEmulator(options: GiteaEmulatorOptions): GiteaEmulator {
  const { clock, random, owners, credentials, deliver, tls } = options
  const freshState = () => createState(owners, credentials.map(userOf), clock.now())
  const emulation: Emulation = {
    clock,
    random,
    deadlines: createDeadlines(clock, () => settle(emulation)),
    listeners: new Set(),
    deliver,
    revoked: new Set(),
    unsettled: { jobs: new Set(), runners: new Set() },
    idleStubs: createIdleStubs(),
    origin: 'http://127.0.0.1',
    knobs: knobsFrom(options.knobs),
    state: freshState(),
    freshState,
  }
  const faults = createFaults()
  const log = createRequestLog(redaction)
  const control = createControl(emulation, faults, log)
  const access = { emulation, credentials }
  const site: Site = { scheme: () => (tls ? 'https' : 'http'), path: () => emulation.knobs.rootPath }
  const routes = [jobRoutes, runnerRoutes, repositoryRoutes].flatMap((of) => of(access))
  const forge = createDialectRouting([...routes, ...rpcRoutes(emulation)], site, () => emulation.knobs)
  const server = createForgeServer({
    clock,
    latencyMs: () => emulation.knobs.latencyMs,
    faults,
    log,
    forge,
    controlled: createRouter(controlRoutes(emulation, control), { ...site, path: () => '' }),
    notFound: noRoute,
    complete: (answer) => ({ ...answer, headers: { date: new Date(clock.now()).toUTCString(), ...answer.headers } }),
    tls,
    close: () => emulation.deadlines.clearAll(),
  })
  return { ...server, control }
}

/** Every path of the server lies below the path of its `ROOT_URL`, and each dialect has its own routes. */
function createDialectRouting(routes: readonly GiteaRoute[], site: Site, knobs: () => Knobs): Routing {
  const byDialect = new Map(
    dialectNames.map((name) => {
      const own = routes.filter(({ exists }) => exists === undefined || exists(dialects[name]))
      return [name, { own, route: createRouter(own, site) }]
    }),
  )
  return (request) => {
    const { dialect, rootPath } = knobs()
    const routing = byDialect.get(dialect)
    if (!routing || !request.path.startsWith(`${rootPath}/`)) return undefined
    const path = request.path.slice(rootPath.length)
    const answer = routing.route({ ...request, path })
    if (answer) return answer
    const methods = methodsAt(routing.own, path)
    return methods.length > 0 ? Promise.reject(otherMethods(methods)) : undefined
  }
}

/** A client sends secrets in the header, and the registration token in the body of `Register`. */
const redaction: Redaction = {
  text: (text) => text.replace(/"token":"[^"]*"/g, '"token":"[secret]"'),
  authorization: (header) => header.replace(/ .*/, ' [secret]'),
  hidesBody: () => false,
}
