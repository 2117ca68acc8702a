// The metrics of one controller process: readers, counted transports, and the text of a scrape.
import type { Transport } from '@dayfly/kit/http'
import type { Stopwatch } from '@dayfly/kit/stopwatch'
import type { ForgeExchange } from '@dayfly/runner-set/forge/forge'
import type { ControllerState } from '../controller.ts'
import type { JournalReader } from '../journal.ts'
import { countJournal } from './count-journal.ts'
import { countRequests } from './count-requests.ts'
import { kubernetesLabels } from './kubernetes-labels.ts'
import { createInstruments } from './registry.ts'
import { setGauges } from './set-gauges.ts'

export interface Metrics {
  readonly reader: JournalReader
  /** Returns the transport to the API server, counted. */
  countKubernetes(transport: Transport): Transport
  /** Counts and times a request to a forge. A request that the caller gave up is not counted: it has no answer and no error. */
  readonly countForge: (exchange: ForgeExchange) => void
  /** Runs and times one tick. */
  readonly measureTick: <Result>(tick: () => Result) => Result
  /** Returns the requests that are left, by account, and the 99th percentile of the last ticks in milliseconds. */
  figures(): { readonly budgets: ReadonlyMap<string, number>; readonly tickMs: number | undefined }
  /** Returns the text of a scrape in the exposition format, and its content type. */
  scrape(state: ControllerState | undefined): Promise<{ readonly text: string; readonly type: string }>
}

/** How many ticks are remembered. */
const ticksMax = 200

export function createMetrics(version: string, stopwatch: Stopwatch): Metrics {
  const instruments = createInstruments()
  const { registry, buildInfo, tickSeconds } = instruments
  const budgets = new Map<string, number>()
  const ticks: number[] = []
  buildInfo.set({ version }, 1)
  return {
    reader: countJournal(instruments),
    countKubernetes: (transport) =>
      countRequests(transport, {
        requests: instruments.kubernetesRequests,
        seconds: instruments.kubernetesSeconds,
        labelsOf: kubernetesLabels,
        timed: ['verb'],
        stopwatch,
      }),
    countForge: ({ operation, code, ms, budget }) => {
      if (code === 'aborted') return
      instruments.forgeRequests.inc({ operation, code: typeof code === 'number' ? String(code) : 'error' })
      instruments.forgeSeconds.observe({ operation }, ms / 1_000)
      if (budget) budgets.set(budget.account, budget.remaining)
    },
    measureTick: (tick) => {
      const elapsedMs = stopwatch()
      try {
        return tick()
      } finally {
        const ms = elapsedMs()
        tickSeconds.observe(ms / 1_000)
        if (ticks.push(ms) > ticksMax) ticks.shift()
      }
    },
    figures: () => ({
      budgets,
      tickMs: [...ticks].sort((left, right) => left - right)[Math.ceil(ticks.length * 0.99) - 1],
    }),
    scrape: async (state) => {
      setGauges(instruments, state, budgets)
      return { text: await registry.metrics(), type: registry.contentType }
    },
  }
}
