// The emulated Bitbucket: workspaces, runners and steps on one address, with latency, faults and a request log.
import type { Clock } from '@dayfly/kit/clock'
import { uuid } from '@dayfly/kit/ids'
import type { Random } from '@dayfly/kit/random'
import { createDeadlines } from '../server/deadlines.ts'
import { createFaults } from '../server/faults.ts'
import { createRequestLog, type Redaction } from '../server/request-log.ts'
import { createRouter, type Site } from '../server/router.ts'
import { createForgeServer, type ForgeServer } from '../server/server.ts'
import { type KnobChange, knobsFrom } from './config.ts'
import { type Control, createControl } from './control.ts'
import type { EmulatedCredential } from './credentials.ts'
import type { Emulation } from './emulation.ts'
import { bitbucketError } from './refusal.ts'
import { controlRoutes } from './routes-control.ts'
import { runnerRoutes } from './routes-runners.ts'
import { wireRoutes } from './routes-wire.ts'
import { settle } from './settle.ts'
import { createState, type EmulatedWorkspace } from './state.ts'

export type BitbucketEmulatorOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly workspaces: readonly EmulatedWorkspace[]
  /** The accepted credentials. Any other one gets 401. */
  readonly credentials: readonly EmulatedCredential[]
  readonly knobs?: KnobChange | undefined
  /** Serves over TLS with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface BitbucketEmulator extends ForgeServer {
  readonly control: Control
}

export function createBitbucketEmulator(options: BitbucketEmulatorOptions): BitbucketEmulator {
  const { clock, random, workspaces, credentials, tls } = options
  const emulation: Emulation = {
    clock,
    random,
    deadlines: createDeadlines(clock, () => settle(emulation)),
    listeners: new Set(),
    knobs: knobsFrom(options.knobs),
    state: createState(workspaces, random),
  }
  const faults = createFaults()
  const log = createRequestLog(redaction)
  const control = createControl(emulation, faults, log)
  const site: Site = { scheme: () => (tls ? 'https' : 'http'), path: () => '' }
  const server = createForgeServer({
    clock,
    latencyMs: () => emulation.knobs.latencyMs,
    faults,
    log,
    forge: createRouter([...runnerRoutes(emulation, credentials), ...wireRoutes(emulation)], site),
    controlled: createRouter(controlRoutes(emulation, control), site),
    notFound: () => bitbucketError(404, 'Resource not found.'),
    complete: (answer) => ({ ...answer, headers: { 'X-Request-Id': uuid(random), ...answer.headers } }),
    tls,
    close: () => emulation.deadlines.clearAll(),
  })
  return { ...server, control }
}

/** A client sends secrets only in this header: bodies have names and labels. */
const redaction: Redaction = {
  text: (text) => text,
  authorization: (header) => header.replace(/ .*/, ' [secret]'),
  hidesBody: () => false,
}
