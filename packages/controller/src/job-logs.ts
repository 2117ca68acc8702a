// Follows the logs of a set's runners, so that a busy one is seen at once and not only in the forge's next list.
import type { Clock } from '@dayfly/kit/clock'
import { type LinkedSignal, linkSignals } from '@dayfly/kit/signals'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { JobLog } from '@dayfly/runner-set/model/forges/traits'
import type { PodFacts } from '@dayfly/runner-set/model/runner'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'
import { jobLogReader } from './observe/job-log.ts'

export type JobLogsDeps = {
  readonly logs: PodLogs
  readonly jobLog: JobLog
  readonly namespace: string
  readonly clock: Clock
  readonly take: (event: ForgeEvent) => void
}

/** A log that breaks off while its container runs is read again from its start after this time, in milliseconds. The reader knows which jobs are over. */
const againMs = 5_000
/** Without the right to read logs, the forge's lists are enough. The right may come later. */
const deniedMs = 10 * 60_000

export class JobLogs {
  readonly #deps: JobLogsDeps
  readonly #until: LinkedSignal
  readonly #followed = new Map<string, LinkedSignal>()
  #deniedUntil = 0

  constructor(deps: JobLogsDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#until = linkSignals(signal)
  }

  /** Follows the log from the start of the runner container until its end. */
  seen(name: string, { startedAt, end }: PodFacts): void {
    if (end) this.gone(name)
    else if (startedAt !== undefined && !this.#followed.has(name)) void this.#follow(name)
  }

  gone(name: string): void {
    this.#followed.get(name)?.abort()
  }

  stop(): void {
    this.#until.abort()
    this.#until.dispose()
  }

  async #follow(name: string): Promise<void> {
    if (this.#until.signal.aborted || this.#deps.clock.now() < this.#deniedUntil) return
    const until = linkSignals(this.#until.signal)
    this.#followed.set(name, until)
    try {
      await this.#readUntilEnd(name, until.signal)
    } finally {
      this.#followed.delete(name)
      until.dispose()
    }
  }

  async #readUntilEnd(name: string, signal: AbortSignal): Promise<void> {
    const { logs, jobLog, namespace, clock, take } = this.#deps
    const read = jobLogReader(jobLog, name)
    while (!signal.aborted) {
      try {
        for await (const line of logs.follow({ namespace, name }, { container: runnerContainer, signal })) {
          const event = signal.aborted ? undefined : read(line, clock.now())
          if (event) take(event)
        }
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof KubernetesError)) throw error
        if (error.kind === 'forbidden') this.#deniedUntil = clock.now() + deniedMs
        if (error.kind === 'forbidden' || error.kind === 'not-found') return
      }
      await clock.sleep(againMs, signal).catch(() => {})
    }
  }
}
