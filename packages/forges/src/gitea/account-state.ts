// Everything that the sets of one account share: its API, what it is at its server, its polls and its cordons.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { gitea } from '@dayfly/runner-set/model/forges/gitea'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { ClientPorts } from '../send-once.ts'
import { type PollPolicy, SharedPoll } from '../shared-poll.ts'
import { AccountSets } from './account-sets.ts'
import { GiteaApi } from './api.ts'
import { Follower } from './follower.ts'
import { busyIn, type JobsView, shapeOf } from './jobs-view.ts'
import { endedJobs, listRunners, listRunning, listUnfinished, readOneJob } from './lists.ts'
import { type GivenPlace, parsePlace } from './place.ts'
import { cordonRunner, deleteRunner, Registrations } from './runners.ts'
import { findServer, type Server } from './server.ts'
import type { ListedJob, ListedRunner } from './wire.ts'

/** Everything that the client needs to reach one account. */
export type GiteaAccess = ClientPorts & {
  /** The URL of a server, an organization, a user or a repository, for example `https://gitea.example.com/acme`. */
  readonly url: string
  /** An access token of a user. */
  readonly token: string
  readonly random: Random
  /** Absent: the pace for a server that others use, too. */
  readonly pace?: Pace | undefined
}

export type Pace = PollPolicy & {
  /** The time between two polls while a job waits or a runner lives, and the longest while nothing changes, in milliseconds. */
  readonly busyMs: number
  readonly steadyMs: number
  /** See `ForgeTraits.pickUpDelayMs`. */
  readonly pickUpDelayMs: number
}

/** Without work, an account makes four requests a minute: three lists of jobs, and one of runners. */
export const giteaPace: Pace = {
  leastMs: 1_000,
  busyMs: 2_000,
  steadyMs: 10_000,
  mostMs: 20_000,
  pickUpDelayMs: gitea.pickUpDelayMs,
}

/** The runners that have a job. */
type BusyView = { readonly at: Instant; readonly runnerIds: ReadonlySet<string> }

/** Where nothing of ours lives, the runners are read this often, in milliseconds. */
const runnersEveryMs = 60_000
/** The polls may take at most this part of the server's time. */
const loadMax = 1 / 4

export class AccountState {
  readonly place: GivenPlace
  readonly api: GiteaApi
  readonly clock: Clock
  readonly poll: SharedPoll<JobsView>
  readonly registrations: Registrations
  readonly sets: AccountSets
  readonly #pace: Pace
  /** The runners with a job, for a proof that one has none. */
  readonly #busy: SharedPoll<BusyView>
  readonly #cordonedAt = new Map<string, Instant>()
  readonly #follower: Follower
  #server: Promise<Server> | undefined
  #needsRunners = true
  #changedAt: Instant
  #tookMs = 0

  /** Throws a `PortError` of kind `bad-config` if the URL cannot be one of Gitea's. Sends no request. */
  constructor(access: GiteaAccess) {
    const { clock, random, url, pace = giteaPace } = access
    this.place = parsePlace(url)
    this.api = new GiteaApi({ ...access, origin: this.place.origin })
    this.clock = clock
    this.#pace = pace
    this.#changedAt = clock.now()
    this.registrations = new Registrations(this.api, this.place)
    this.sets = new AccountSets((at) => this.api.fromServer(at))
    this.#follower = new Follower(async (job) => readOneJob(this.api, await this.server(), job))
    this.poll = new SharedPoll<JobsView>({
      list: (at) => this.#list(at),
      clock,
      random,
      policy: pace,
      pollMs: (view) => this.#pollMs(view),
    })
    this.#busy = new SharedPoll<BusyView>({
      list: (at) => this.#listBusy(at),
      clock,
      random,
      policy: pace,
      pollMs: () => pace.mostMs,
    })
  }

  /** Returns what the URL means. The server is asked once; a failure is not remembered. */
  async server(): Promise<Server> {
    const asked = this.#server ?? findServer(this.api, this.place)
    this.#server = asked
    return asked.catch((error: unknown) => {
      if (this.#server === asked) this.#server = undefined
      throw error
    })
  }

  /** Lets the set take jobs of the account. Returns how to end that. */
  join(set: () => ForgeSet): () => void {
    this.#needsRunners = true
    return this.sets.join(set)
  }

  /** Counts a runner that was just registered. */
  registered(runner: ListedRunner): void {
    this.poll.change((view) => ({
      ...view,
      runners: [...view.runners.filter(({ id }) => id !== runner.id), runner],
      isActive: true,
    }))
  }

  /** Returns every runner of the level, with what is known of its job. The lists are requested now or later. */
  async listed(signal?: AbortSignal): Promise<JobsView> {
    this.#needsRunners = true
    return this.poll.listed(signal)
  }

  async cordon(id: string, signal?: AbortSignal): Promise<void> {
    const server = await this.server()
    if (!server.dialect.hasCordon) return
    await cordonRunner(this.api, server, id, signal)
    this.#cordonedAt.set(id, this.clock.now())
  }

  /**
   * Removes a registration. Gitea itself would remove a busy runner, so the runner is cordoned first. A list of running jobs that is
   * requested after the pick-up delay then proves that it has none. Without a cordon, only a runner that has been silent may go.
   */
  async remove(id: string, signal?: AbortSignal): Promise<'removed' | 'absent' | 'busy'> {
    const server = await this.server()
    if (!server.dialect.hasCordon) {
      const runner = (await this.listed(signal)).runners.find((one) => one.id === id)
      if (!runner) return 'absent'
      const mayWork = runner.isOnline || this.#isKnownBusy(id) || this.#follower.has(id)
      return mayWork ? 'busy' : this.delete(id, signal)
    }
    try {
      if (!this.#cordonedAt.has(id)) await this.cordon(id, signal)
    } catch (error) {
      if (error instanceof PortError && error.kind === 'not-found') return this.#gone(id)
      throw error
    }
    if (this.#isKnownBusy(id) && (await this.#isBusy(id, signal))) return 'busy'
    const since = this.#cordonedAt.get(id) ?? this.clock.now()
    const waitMs = since + this.#pace.pickUpDelayMs - this.clock.now()
    if (waitMs > 0) await this.clock.sleep(waitMs, signal)
    return (await this.#isBusy(id, signal)) ? 'busy' : this.delete(id, signal)
  }

  /** Removes a registration without any proof. */
  async delete(id: string, signal?: AbortSignal): Promise<'removed' | 'absent'> {
    const answer = await deleteRunner(this.api, await this.server(), id, signal)
    this.#gone(id)
    return answer
  }

  /** Returns whether a list that is requested now or later shows a job of the runner. A job that is being cancelled is in no such list. */
  async #isBusy(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    if ((await this.#busy.listed(signal)).runnerIds.has(id)) return true
    return (await this.#follower.stillRuns(id)) === true
  }

  #isKnownBusy(id: string): boolean {
    return this.poll.view?.busy.has(id) === true
  }

  #gone(id: string): 'absent' {
    this.#cordonedAt.delete(id)
    this.poll.change((view) => ({ ...view, runners: view.runners.filter((runner) => runner.id !== id) }))
    return 'absent'
  }

  async #list(at: Instant): Promise<JobsView> {
    const server = await this.server()
    const entries = await listUnfinished(this.api, server)
    const waiting = new Set([...this.sets.assign(entries).waiting.values()].flat())
    const isFollowed = (job: ListedJob) => waiting.has(job) || this.sets.has(job.runnerName)
    const { missed, ended: followed } = await this.#follower.compare(
      entries,
      server.dialect.jobs === 'every' ? isFollowed : () => false,
      at,
    )
    const jobs = missed.length > 0 ? [...entries, ...missed] : entries
    const { runners, runnersAt } = await this.#runnersFor(jobs, at)
    const unseen = runnersAt === at ? await this.#unseenJobs(runners, [...jobs, ...followed]) : []
    const ended = unseen.length > 0 ? this.#follower.add(unseen, at) : followed
    const isActive = waiting.size > 0 || runners.some(({ name }) => this.sets.has(name))
    const view = { at, jobs, busy: busyIn(jobs), ended, runners, runnersAt, isActive }
    if (shapeOf(view) !== shapeOf(this.poll.view)) this.#changedAt = at
    this.#tookMs = this.clock.now() - at
    return view
  }

  /** Reads the runners after the jobs: one that is missing then had its job end, or was never there. Reads none while nothing of ours lives. */
  async #runnersFor(jobs: readonly ListedJob[], at: Instant): Promise<Pick<JobsView, 'runners' | 'runnersAt'>> {
    const before = this.poll.view
    const lives = jobs.length > 0 || before?.isActive === true
    if (before && !lives && !this.#needsRunners && at - before.runnersAt < runnersEveryMs) return before
    this.#needsRunners = false
    const askedAt = this.clock.now()
    const runners = await listRunners(this.api, await this.server())
    this.#forgetCordons(runners, askedAt)
    return { runners, runnersAt: at }
  }

  /**
   * Returns the jobs that began and ended between two polls, on runners of ours that have left the list of runners without a known job.
   * The newest jobs are on the last page.
   */
  async #unseenJobs(runners: readonly ListedRunner[], known: readonly ListedJob[]): Promise<readonly ListedJob[]> {
    const server = await this.server()
    const ids = new Set([...runners.map(({ id }) => id), ...known.map(({ runnerId }) => runnerId)])
    const left = (this.poll.view?.runners ?? []).filter(({ id, name }) => !ids.has(id) && this.sets.has(name))
    if (left.length === 0 || server.dialect.jobs !== 'every') return []
    const first = await endedJobs(this.api, server, 1, undefined)
    const last = Math.ceil(first.total / Math.max(1, first.entries.length))
    const { entries } = last > 1 ? await endedJobs(this.api, server, last, undefined) : first
    return entries.filter(({ runnerId }) => left.some(({ id }) => id === runnerId))
  }

  async #listBusy(at: Instant): Promise<BusyView> {
    return { at, runnerIds: busyIn(await listRunning(this.api, await this.server())) }
  }

  #forgetCordons(runners: readonly ListedRunner[], askedAt: Instant): void {
    const cordoned = new Set(runners.flatMap(({ id, isCordoned }) => (isCordoned ? [id] : [])))
    for (const [id, at] of this.#cordonedAt) if (at < askedAt && !cordoned.has(id)) this.#cordonedAt.delete(id)
  }

  /** The longer nothing changes, the longer the time between two polls, and a slow server is asked less often. */
  #pollMs(view: JobsView | undefined): number {
    const { busyMs, steadyMs, mostMs } = this.#pace
    const calmMs = this.clock.now() - this.#changedAt
    const wantedMs = view?.isActive ? Math.min(steadyMs, Math.max(busyMs, calmMs / 10)) : mostMs
    return Math.min(mostMs, Math.max(wantedMs, this.#tookMs / loadMax))
  }
}
