// Learns the version of one set's runner and when GitHub ends it, beside the message session: no error of it is an error of the set.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { RunnerImage, RunnerVersion } from '@dayfly/runner-set/model/runner-version'
import type { ActionsService } from '../calls/actions-api.ts'
import { GitHubError } from '../calls/errors.ts'
import { findRunner, type ListedRunner } from '../scale-set/runners.ts'
import { type Scheduled, scheduleMs, type VersionSchedules } from './version-schedules.ts'

export type VersionWatchOptions = {
  readonly service: ActionsService
  readonly schedules: VersionSchedules
  /** The lowest version that may register. */
  readonly minimum: string | undefined
  /** The image of the set's runner; undefined if nobody wants to know its version. */
  readonly runner: RunnerImage | undefined
}

/** After a failure nothing is asked for this time, or for longer if GitHub says so, in milliseconds. */
const retryMs = 10 * 60_000
/** A runner is looked up by its name at most this often, in milliseconds. */
const lookUpMs = 60_000

export class VersionWatch {
  readonly #options: VersionWatchOptions
  #runner: RunnerImage | undefined
  /** The newest runner that has reported a version, and when a list showed it. */
  #newest: { readonly id: number; readonly version: string; readonly at: Instant } | undefined
  /** The highest id that the set's runners have had, and the highest of those that are older than its image. */
  #lastId = 0
  #olderIds = 0
  /** A runner with a job, to look up its version. */
  #candidate: string | undefined
  #scheduled: (Scheduled & { readonly version: string }) | undefined
  #isBusy = false
  #resumeAt: Instant = 0
  #lookUpAt: Instant = 0
  /** The text of the last event; undefined if the next one must be sent in any case. */
  #sent: string | undefined = ''

  constructor(options: VersionWatchOptions) {
    this.#options = options
    this.#runner = options.runner
  }

  /** Takes over the image of the set. The runners until now have another one. */
  configure(runner: RunnerImage | undefined): void {
    if (runner?.image === this.#runner?.image) return
    this.#runner = runner
    this.#olderIds = this.#lastId
    this.#newest = undefined
    this.#sent = undefined
  }

  /** A runner was registered. */
  registered(id: string): void {
    this.#lastId = Math.max(this.#lastId, Number(id) || 0)
  }

  /** Reads the versions in a list of the set's runners. */
  seen(runners: readonly ListedRunner[]): void {
    const at = this.#now()
    for (const { id, version } of runners) {
      this.registered(id)
      const number = Number(id)
      if (version === undefined || !/^\d+(?:\.\d+){1,3}$/.test(version) || number <= this.#olderIds) continue
      if (number >= (this.#newest?.id ?? 0)) this.#newest = { id: number, version, at }
    }
  }

  /** A runner that got its job at once may be gone before any list shows it. */
  jobStarted(runner: string): void {
    this.#candidate = runner
  }

  /** Begins the calls that are due. Their result comes with a later `take`. */
  begin(signal: AbortSignal): void {
    if (this.#isBusy || this.#now() < this.#resumeAt || !(this.#mustLookUp() || this.#mustAsk())) return
    this.#isBusy = true
    void this.#run(signal).finally(() => {
      this.#isBusy = false
    })
  }

  /** Returns what is new since the last call. A version is not reported before GitHub was asked for its end. */
  take(): readonly ForgeEvent[] {
    const version = this.#version()
    if (this.#mustAsk() && this.#now() >= this.#resumeAt) return []
    const text = version ? JSON.stringify(version) : ''
    if (text === this.#sent) return []
    this.#sent = text
    return [{ kind: 'runner-version', version }]
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      if (this.#mustLookUp()) await this.#lookUp(signal)
      const version = this.#current()
      if (version === undefined || !this.#mustAsk()) return
      this.#scheduled = { version, ...(await this.#options.schedules.of(version, signal)) }
    } catch (error) {
      if (!signal.aborted && !(error instanceof GitHubError)) throw error
      const retryAt = error instanceof GitHubError ? error.retryAt : undefined
      this.#resumeAt = Math.max(this.#now() + retryMs, retryAt ?? 0)
    }
  }

  async #lookUp(signal: AbortSignal): Promise<void> {
    const name = this.#candidate ?? ''
    this.#candidate = undefined
    this.#lookUpAt = this.#now() + lookUpMs
    const found = await findRunner(this.#options.service, name, signal)
    if (found) this.seen([found])
  }

  #mustLookUp(): boolean {
    const now = this.#now()
    if (!this.#runner) return false
    const isOld = this.#newest === undefined || now >= this.#newest.at + scheduleMs
    return isOld && this.#candidate !== undefined && now >= this.#lookUpAt
  }

  #mustAsk(): boolean {
    const version = this.#current()
    if (version === undefined) return false
    return version !== this.#scheduled?.version || this.#now() >= this.#scheduled.at + scheduleMs
  }

  #current(): string | undefined {
    return this.#runner && (this.#newest?.version ?? this.#runner.version)
  }

  #version(): RunnerVersion | undefined {
    const version = this.#current()
    if (version === undefined) return undefined
    const schedule = this.#scheduled?.version === version ? this.#scheduled.schedule : undefined
    return { version, from: this.#newest ? 'runner' : 'image', schedule, minimum: this.#options.minimum }
  }

  #now(): Instant {
    return this.#options.service.net.clock.now()
  }
}
