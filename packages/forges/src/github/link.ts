// The connection of one runner set to GitHub.
import type { AdaptiveLimit } from '@dayfly/kit/adaptive-limit'
import type { Clock } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import type { Allowance, ForgeEventBatch, ForgeSet, Link, RegisterOutcome, Runs } from '@dayfly/runner-set/forge/forge'
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { ActionsService } from './calls/actions-api.ts'
import { GitHubError, githubError, isGitHubError } from './calls/errors.ts'
import type { Pace } from './calls/pace.ts'
import { standardPolicy } from './calls/retry.ts'
import type { AdminTokens } from './credentials/tokens.ts'
import type { Claim } from './scale-set/claim.ts'
import { findRunner, generateJitConfig, listRunners, removeRunner } from './scale-set/runners.ts'
import { Listener } from './session/listener.ts'
import type { ReportAnomaly } from './session/protocol-anomaly.ts'
import type { VersionWatch } from './version/version-watch.ts'

export type GitHubLinkOptions = {
  readonly service: ActionsService
  readonly claim: Claim
  /** The pace of the account's target, which all links to it share. */
  readonly pace: Pace
  readonly tokens: Pick<AdminTokens, 'limit'>
  /** The limit on the account's calls at once, which all its links share. */
  readonly calls: AdaptiveLimit
  /** Learns the version of the set's runner. */
  readonly versions: VersionWatch
  readonly runs: Runs
  readonly owner: string
  readonly anomalies: ReportAnomaly
  readonly until: AbortSignal
}

const closeMs = 30_000
const runnerName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

export class GitHubLink implements Link {
  readonly #options: GitHubLinkOptions
  readonly #clock: Clock
  readonly #listener: Listener

  constructor(options: GitHubLinkOptions) {
    this.#options = options
    this.#clock = options.service.net.clock
    this.#listener = new Listener(options)
  }

  get runs(): Runs {
    return this.#options.runs
  }

  events(): AsyncIterable<ForgeEventBatch> {
    return this.#listener.events()
  }

  update(set: ForgeSet): void {
    const { claim, anomalies, versions } = this.#options
    const before = claim.set
    versions.configure(set.runner)
    const isValid = Number.isSafeInteger(set.max) && set.max >= 1
    if (!isValid) {
      const sentence = `A maximum of ${set.max} cannot be announced; ${before.max} stays. Close the link to pause the set.`
      anomalies('scale-set-differs', sentence)
    }
    if (set.name !== before.name) {
      anomalies('scale-set-differs', `The scale set keeps the name ${before.name}. Open another link for ${set.name}.`)
    }
    const next = { ...set, name: before.name, max: isValid ? set.max : before.max }
    const settings = JSON.stringify([next.group, next.labels]) !== JSON.stringify([before.group, before.labels])
    if (!settings && next.max === before.max) return
    claim.configure(next)
    this.#listener.reconfigure({ settings })
  }

  allowance(): Allowance {
    const { pace, tokens } = this.#options
    const allowance = pace.allowance(this.#clock.now())
    const limit = tokens.limit()
    const isLater = limit !== undefined && limit.until > (allowance.limit?.until ?? 0)
    return isLater ? { now: 0, nextAt: limit.until, limit } : allowance
  }

  /** Rejects with `conflict` for a name that is taken, after removing a registration of our own set: its credential was lost. Use a new name. */
  async register(name: string): Promise<RegisterOutcome> {
    if (!runnerName.test(name))
      throw githubError(
        'bad-set',
        `${name.slice(0, 80)} cannot be the name of a runner: a pod of this name is not valid.`,
      )
    const { service, claim, pace, versions } = this.#options
    const scaleSetId = claim.id
    const wait = pace.take(this.#clock.now())
    if (wait) return { is: 'limited', ...wait }
    try {
      const generate = () => generateJitConfig(service, scaleSetId, name, this.#options.until)
      const registered = await this.#inTurn('register', generate)
      versions.registered(registered.registration.id)
      return { is: 'registered', ...registered }
    } catch (error) {
      if (isGitHubError(error, 'runner-exists')) await this.#removeStale(name, scaleSetId)
      if (isGitHubError(error, 'scale-set-gone')) this.#listener.reportScaleSetGone(error)
      if (!isGitHubError(error, 'rate-limited', 'budget-spent') || error.retryAt === undefined) throw error
      if (error.reason === 'budget-spent') return { is: 'limited', reason: 'budget', until: error.retryAt }
      pace.hold(error.retryAt)
      return { is: 'limited', reason: 'asked', until: error.retryAt }
    }
  }

  /** Does nothing: GitHub gives each runner only one job. */
  async cordon(): Promise<void> {}

  /** See `removeRunner`: after `removed` and after `absent` the runner gets no job. */
  async deregister(registration: Registration): Promise<'removed' | 'absent' | 'busy'> {
    const { service, until } = this.#options
    return this.#inTurn('deregister', () => removeRunner(service, registration.id, until))
  }

  /** Makes a call when fewer than the account's limit are under way. */
  #inTurn<T>(kind: string, call: () => Promise<T>): Promise<T> {
    return this.#options.calls(kind, async (refused) => {
      try {
        this.#options.until.throwIfAborted()
        return await call()
      } catch (error) {
        if (isGitHubError(error, 'rate-limited')) refused()
        throw error
      }
    })
  }

  async registrations(): Promise<readonly Registration[]> {
    const { service, claim, versions } = this.#options
    const scaleSetId = claim.id
    const listed = (await listRunners(service, this.#options.until)).filter(
      (runner) => runner.scaleSetId === scaleSetId,
    )
    versions.seen(listed)
    return listed.map(({ id, name, status, busy }) => ({ id, name, status, busy }))
  }

  async close(how: 'pause' | 'remove'): Promise<void> {
    const late = () => new GitHubError('timed-out', `The link could not be closed within ${closeMs / 1000} s.`)
    await withDeadline({ clock: this.#clock, ms: closeMs, late }, async (signal) => {
      await this.#listener.close({ policy: standardPolicy, signal })
      if (how === 'remove') await this.#removeScaleSet(signal)
    })
  }

  /** GitHub refuses while a runner of the set has a job: repeats the call until the time is up. */
  async #removeScaleSet(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#options.claim.remove({ policy: standardPolicy, signal })
        return
      } catch (error) {
        if (!isGitHubError(error, 'job-still-running')) throw error
        await this.#clock.sleep(2_000, signal).catch(() => {
          throw error
        })
      }
    }
  }

  async #removeStale(name: string, scaleSetId: number): Promise<void> {
    const { service } = this.#options
    const stale = await findRunner(service, name, this.#options.until)
    if (stale?.scaleSetId === scaleSetId) await removeRunner(service, stale.id, this.#options.until)
  }
}
