// Wraps an exporter of OpenTelemetry: it reports failures, counts exports, and ends connections with the process.
import http from 'node:http'
import https from 'node:https'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Tls } from './settings/settings.ts'

export type Connections = ReturnType<typeof openConnections>

type Outcome = { readonly code: number; readonly error?: Error }
type Export<Batch> = (batch: Batch, done: (outcome: Outcome) => void) => void

/** The code of a success, from the core of the SDK, which is no dependency. */
const success = 0
const reportEveryMs = 60_000

/** Reports a failure at most once a minute. */
export function failureReports(signal: string, clock: Pick<Clock, 'now'>, report: (message: string) => void) {
  let reportedAt: Instant | undefined
  return (error: Error | undefined) => {
    const now = clock.now()
    if (reportedAt !== undefined && now < reportedAt + reportEveryMs) return
    reportedAt = now
    report(`The collector did not take ${signal}: ${describe(error)}`)
  }
}

/** Calls `onOver` after each export of the exporter. The SDK itself would write a failure to a log of its own. */
export function watched<Batch>(
  exporter: { export: Export<Batch> },
  onOver: (batch: Batch, error: Error | undefined) => void,
): void {
  const send = exporter.export.bind(exporter)
  exporter.export = (batch, done) =>
    send(batch, ({ code, error }) => {
      onOver(batch, code === success ? undefined : (error ?? new Error('the export failed')))
      done({ code: success })
    })
}

/** Connections that end with `close`. A request that waits for a silent collector would keep the process alive. */
export function openConnections() {
  const agents: http.Agent[] = []
  return {
    agentFor:
      (tls: Tls) =>
      (protocol: string): http.Agent => {
        const agent =
          protocol === 'https:' ? new https.Agent({ keepAlive: true, ...tls }) : new http.Agent({ keepAlive: true })
        agents.push(agent)
        return agent
      },
    close: () => {
      for (const agent of agents.splice(0)) {
        agent.destroy()
        // The exporter would repeat the request that has just ended.
        agent.createConnection = () => {
          throw new Error('the process ended before the collector answered')
        }
      }
    },
  }
}

/** A refused connection to a name with two addresses has a code alone. The body of an answer is left out. */
function describe(error: Error | undefined): string {
  const text = error?.message.split('\n', 1)[0]
  if (text) return text.slice(0, 200)
  return error && 'code' in error ? String(error.code) : 'the export failed'
}
