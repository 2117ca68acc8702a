// The metrics of one controller process: readers, counted transports, and the text of a scrape.
import type { Request, Transport } from '../../lib/http.ts'
import type { Stopwatch } from '../../lib/stopwatch.ts'
import type { ControllerState } from '../controller.ts'
import type { JournalReader } from '../journal.ts'
import { countJournal } from './count-journal.ts'
import { countRequests } from './count-requests.ts'
import { kubernetesLabels } from './kubernetes-labels.ts'
import { createInstruments } from './registry.ts'
import { setGauges } from './set-gauges.ts'

/** Reads the requests and answers of a forge. */
export type ForgeRequests = {
  /** Returns the name of an operation, from a closed list. */
  readonly operationOf: (request: Request) => string
  /** Returns how many requests the forge's rate limit still allows; undefined if the answer does not say. */
  readonly budgetOf: (headers: Readonly<Record<string, string>>) => number | undefined
}

export interface Metrics {
  readonly reader: JournalReader
  /** Returns the transport to the API server, counted. */
  countKubernetes(transport: Transport): Transport
  /** Returns the transport to an account of a forge, counted. */
  countForge(transport: Transport, account: string): Transport
  /** Runs and times one tick. */
  readonly measureTick: <Result>(tick: () => Result) => Result
  /** Returns the text of a scrape in the exposition format, and its content type. */
  scrape(state: ControllerState | undefined): Promise<{ readonly text: string; readonly type: string }>
}

export function createMetrics(version: string, stopwatch: Stopwatch, forge: ForgeRequests): Metrics {
  const instruments = createInstruments()
  const { registry, buildInfo, tickSeconds } = instruments
  const budgets = new Map<string, number>()
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
    countForge: (transport, account) =>
      countRequests(transport, {
        requests: instruments.forgeRequests,
        seconds: instruments.forgeSeconds,
        labelsOf: (request) => ({ operation: forge.operationOf(request) }),
        timed: ['operation'],
        stopwatch,
        onAnswer: ({ headers }) => {
          const remaining = forge.budgetOf(headers)
          if (remaining !== undefined) budgets.set(account, remaining)
        },
      }),
    measureTick: (tick) => {
      const elapsedMs = stopwatch()
      try {
        return tick()
      } finally {
        tickSeconds.observe(elapsedMs() / 1_000)
      }
    },
    scrape: async (state) => {
      setGauges(instruments, state, budgets)
      return { text: await registry.metrics(), type: registry.contentType }
    },
  }
}
