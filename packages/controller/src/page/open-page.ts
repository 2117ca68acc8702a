// Serves the page of one controller process.
import { fileURLToPath } from 'node:url'
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import { History } from '@dayfly/dashboard/history/history'
import type { Prices } from '@dayfly/dashboard/model/trends'
import { readAssets } from '@dayfly/dashboard/server/assets'
import { PageServer } from '@dayfly/dashboard/server/page-server'
import { pastOf } from '@dayfly/dashboard/server/past'
import type { Admission, Gate } from '@dayfly/dashboard/server/source'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import { type HttpServer, httpServer } from '@dayfly/kit/http-server'
import type { Random } from '@dayfly/kit/random'
import { createIdentityCheck } from '@dayfly/kubernetes/identity'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { ListenAddress } from '../command/process/listen-address.ts'
import type { Controller } from '../controller.ts'
import type { Journal } from '../journal.ts'
import { type GateKind, gateOf } from './gate.ts'
import type { Figures } from './health.ts'
import { feedHistory } from './past.ts'
import { presentOf } from './present.ts'

export type PageSettings = {
  readonly address: ListenAddress
  readonly access: GateKind
  readonly prices: Prices | null
  /** The folder that keeps the past; undefined to forget it with the process. */
  readonly history: string | undefined
}

export type PageParts = {
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal
  readonly kubernetes: Kubernetes
  readonly transport: Transport
  readonly limits: Limits
  readonly userAgent: string
  readonly version: string
  /** Undefined until the controller runs. */
  readonly controller: () => Controller | undefined
  readonly figures: () => Figures
}

export type OpenPage = { readonly origin: string; readonly close: () => Promise<void> }

/** Follows the journal from now on, and serves the page. Throws a `CliFailure` if it cannot listen. */
export async function openPage(settings: PageSettings, parts: PageParts): Promise<OpenPage> {
  const { clock, random, journal, kubernetes, transport, limits, userAgent, controller, figures, version } = parts
  const history = new History()
  const stopFeeding = feedHistory({ history, journal, clock, controller })
  const logs = createPodLogs({ transport, clock, random, userAgent })
  const cluster = { kubernetes, clock }
  const present = presentOf({ controller, cluster, logs, clock, limits, figures, jobs: () => history.jobs() })
  const past = pastOf({ history, clock, prices: settings.prices, whyOf: (set) => whyOf(present.sets(), set) })
  const identity = createIdentityCheck({ transport, clock, random, userAgent })
  const namespaces = () => [...new Set((controller()?.insights() ?? []).map(({ set }) => set.namespace))].sort()
  const gate = leadersOnly(gateOf({ kind: settings.access, identity, clock, namespaces }), controller)
  const asset = await pageFiles()
  const page = new PageServer({ clock, present, past, gate, asset, version })
  const server = await listen(settings.address, page)
  return {
    origin: server.origin,
    close: async () => {
      stopFeeding()
      page.stop()
      await server.close()
    },
  }
}

function whyOf(sets: ReturnType<ReturnType<typeof presentOf>['sets']>, set: string): string | null {
  return sets.find(({ id }) => id === set)?.why ?? null
}

/** The build puts the page beside the program. */
async function pageFiles() {
  const folders = ['./page/', '../../../dashboard/dist/page/'].map((folder) => new URL(folder, import.meta.url))
  for (const folder of folders) {
    const files = await readAssets(fileURLToPath(folder))
    if (files) return files
  }
  throw new CliFailure({
    code: 'not-built',
    sentence: 'The files of the page are missing.',
    next: 'Run npm run build.',
    exitCode: 1,
  })
}

/** Only the leader knows the demand. A client that a Service sent here connects again, and finds the leader after some attempts. */
function leadersOnly(gate: Gate, controller: () => Controller | undefined): Gate {
  return async (request) => {
    const state = controller()?.state().election.state
    return state?.is === 'leading' ? gate(request) : standby(state?.is === 'following' ? state.holder : undefined)
  }
}

function standby(holder: string | undefined): Admission {
  const sentence =
    holder === undefined ? 'This process does not lead yet.' : `This process stands by, and ${holder} leads.`
  const pod = holder?.replace(/_[^_]*$/, '') ?? 'NAME'
  const next = `The page connects again by itself. For a fixed connection: kubectl port-forward pod/${pod} 8081`
  return { is: 'refused', status: 503, sentence, next }
}

async function listen({ host, port }: ListenAddress, page: PageServer): Promise<HttpServer> {
  try {
    return await httpServer(page.handle, { host, port, bytesMax: 16 * 1_024 })
  } catch (cause) {
    throw new CliFailure({
      code: 'dashboard-address-unusable',
      sentence: `The page cannot be served on ${host}:${port} (${codeOf(cause)}).`,
      next: 'Choose another --dashboard-address, or "off" to serve no page.',
      cause,
    })
  }
}
