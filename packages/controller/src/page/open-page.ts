// Serves the page of one controller process.
import { History } from '@dayfly/dashboard/history/history'
import type { Prices } from '@dayfly/dashboard/model/trends'
import type { Admission, Gate } from '@dayfly/dashboard/server/source'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { createIdentityCheck } from '@dayfly/kubernetes/identity'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { ListenAddress } from '../command/process/listen-address.ts'
import type { Controller } from '../controller.ts'
import type { Journal } from '../journal.ts'
import { feedHistory } from './feed-history.ts'
import { type GateKind, gateOf } from './gate.ts'
import type { Figures } from './health.ts'
import { type KeptHistory, keepHistory } from './keep-history.ts'
import { presentOf } from './present.ts'
import { type ServedPage, servePage } from './serve-page.ts'

export type PageSettings = {
  readonly address: ListenAddress
  readonly access: GateKind
  readonly prices: Prices | null
  /** The folder that keeps the past; undefined to forget it with the process. */
  readonly history: KeptHistory | undefined
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

/** Follows the journal from now on, and serves the page. Throws a `CliFailure` if it cannot listen. */
export async function openPage(settings: PageSettings, parts: PageParts): Promise<ServedPage> {
  const { clock, random, journal, kubernetes, transport, limits, userAgent, controller, figures, version } = parts
  let history = new History()
  const fresh = () => {
    history = new History()
    return history
  }
  const priceLabels = settings.prices?.nodes.map(({ label }) => label) ?? []
  // It comes first: the history that begins with a term must see that the term began.
  const stopKeeping = settings.history && keepHistory(settings.history, { fresh, journal, clock })
  const stopFeeding = feedHistory({ history: () => history, journal, clock, controller, priceLabels })
  const logs = createPodLogs({ transport, clock, random, userAgent })
  const cluster = { kubernetes, clock }
  const present = presentOf({ controller, cluster, logs, clock, limits, figures, jobs: () => history.jobs() })
  const identity = createIdentityCheck({ transport, clock, random, userAgent })
  const namespaces = () => [...new Set((controller()?.insights() ?? []).map(({ set }) => set.namespace))].sort()
  const gate = leadersOnly(gateOf({ kind: settings.access, identity, clock, namespaces }), controller)
  const { address, prices } = settings
  const page = await servePage({
    address,
    prices,
    clock,
    random,
    history: () => history,
    present,
    gate,
    version,
    option: '--dashboard-address',
  })
  return {
    origin: page.origin,
    close: async () => {
      stopFeeding()
      if (stopKeeping) await stopKeeping()
      await page.close()
    },
  }
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
    holder === undefined ? 'This process does not lead yet.' : `This process is a standby, and ${holder} leads.`
  const pod = holder?.replace(/_[^_]*$/, '') ?? 'NAME'
  const next = `The page connects again by itself. For a fixed connection: kubectl port-forward pod/${pod} 8081`
  return { is: 'refused', status: 503, sentence, next }
}
