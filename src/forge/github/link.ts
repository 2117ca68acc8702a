// One runner set's connection to GitHub.
import type { Clock } from '../../lib/clock.ts'
import { linkSignals } from '../../lib/signals.ts'
import type { Registration } from '../../model/runner.ts'
import type { ForgeEventBatch, ForgeSet, Link, RegisterOutcome } from '../forge.ts'
import type { ActionsService } from './actions-api.ts'
import type { Claim } from './claim.ts'
import { GitHubError, githubError, isGitHubError } from './errors.ts'
import { Listener } from './listener.ts'
import type { Pace } from './pace.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import { standardPolicy } from './retry.ts'
import { findRunner, generateJitConfig, listRunners, removeRunner } from './runners.ts'

export type GitHubLinkOptions = {
  readonly service: ActionsService
  readonly claim: Claim
  /** Of the account: every link of it takes from the same. */
  readonly pace: Pace
  readonly set: ForgeSet
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
  #set: ForgeSet

  constructor(options: GitHubLinkOptions) {
    this.#options = options
    this.#clock = options.service.net.clock
    this.#set = options.set
    this.#listener = new Listener({ ...options, capacity: () => this.#set.max })
  }

  events(): AsyncIterable<ForgeEventBatch> {
    return this.#listener.events()
  }

  /** The ceiling is announced at once. Name, group and labels of a scale set do not change: the set is made anew for them. */
  update(set: ForgeSet): void {
    const before = this.#set
    if (!Number.isSafeInteger(set.max) || set.max < 1) {
      this.#options.anomalies(
        'scale-set-differs',
        `A ceiling of ${set.max} is never announced; ${before.max} stands. Close the link to pause.`,
      )
      return
    }
    this.#set = set
    const sameScaleSet =
      set.name === before.name && set.group === before.group && set.labels.join() === before.labels.join()
    if (!sameScaleSet) {
      this.#options.anomalies(
        'scale-set-differs',
        'Name, group and labels of a scale set take effect when it is created anew.',
      )
    }
    if (set.max !== before.max) this.#listener.restartPoll()
  }

  allowance(): { readonly now: number; readonly nextAt: number | undefined } {
    return this.#options.pace.allowance(this.#clock.now())
  }

  /** A name that is taken rejects with a conflict: ours is removed first, as its credential was lost; the caller goes on with a new name. */
  async register(name: string): Promise<RegisterOutcome> {
    if (!runnerName.test(name))
      throw githubError('bad-set', `${name.slice(0, 80)} cannot be the name of a runner and its pod.`)
    const { service, claim, pace } = this.#options
    const scaleSetId = claim.id
    const wait = pace.take(this.#clock.now())
    if (wait) return { is: 'limited', until: wait.until }
    try {
      return { is: 'registered', ...(await generateJitConfig(service, scaleSetId, name, this.#options.until)) }
    } catch (error) {
      if (isGitHubError(error, 'runner-exists')) await this.#removeStale(name, scaleSetId)
      if (isGitHubError(error, 'scale-set-gone')) this.#listener.loseScaleSet(error)
      if (!isGitHubError(error, 'rate-limited') || error.retryAt === undefined) throw error
      pace.hold(error.retryAt)
      return { is: 'limited', until: error.retryAt }
    }
  }

  /** GitHub's runners take one job by themselves: there is nothing to cordon. */
  async cordon(): Promise<void> {}

  /** `removed` also covers a registration that GitHub no longer had (204); `absent` is said where it tells the difference (404). Neither can get a job any more. */
  async deregister(registration: Registration): Promise<'removed' | 'absent' | 'busy'> {
    return removeRunner(this.#options.service, registration.id, this.#options.until)
  }

  async registrations(): Promise<readonly Registration[]> {
    const { service, claim } = this.#options
    const scaleSetId = claim.id
    const listed = await listRunners(service, this.#options.until)
    return listed
      .filter((runner) => runner.scaleSetId === scaleSetId)
      .map(({ id, name, status, busy }) => ({ id, name, status, busy }))
  }

  async close(how: 'pause' | 'remove'): Promise<void> {
    const budget = linkSignals()
    const late = () =>
      budget.abort(new GitHubError('timed-out', `The link could not be closed within ${closeMs / 1000} s.`))
    const timer = this.#clock.after(closeMs, late)
    try {
      await this.#listener.close({ policy: standardPolicy, signal: budget.signal })
      if (how === 'remove') await this.#removeScaleSet(budget.signal)
    } finally {
      timer.cancel()
      budget.dispose()
    }
  }

  /** Refused while a runner of the set has a job: tried again until the time is up. */
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
