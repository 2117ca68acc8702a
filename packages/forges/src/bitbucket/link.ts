// The connection of one runner set to Bitbucket. Its events come from the list of runners that all sets of the account share.
import type { Instant } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import { type LinkedSignal, linkSignals } from '@dayfly/kit/signals'
import type { Allowance, ForgeEventBatch, ForgeSet, Link, RegisterOutcome } from '@dayfly/runner-set/forge/forge'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { bitbucket } from '@dayfly/runner-set/model/forges/bitbucket'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { checkFree, checkName } from '../new-runner.ts'
import { PolledEvents } from '../polled-events.ts'
import { failureOf, statusOf } from '../rest-errors.ts'
import type { AccountState } from './account-state.ts'
import { bitbucketError } from './errors.ts'
import { differenceOf, labelsOf, problemOf } from './labels.ts'
import { createRunner, type RosterView } from './runners.ts'
import { demandOf, type Steps, stepEvents, stepsOf } from './step-events.ts'
import { type ListedRunner, registrationOf } from './wire.ts'

const closeMs = 25_000
/** The words of a refusal that may mean the limit of runners. */
const limitWords = /limit|exceed|maximum|too many/i

export class BitbucketLink implements Link {
  readonly runs = undefined
  readonly #account: AccountState
  readonly #closing: LinkedSignal
  readonly #events: PolledEvents<RosterView>
  #set: ForgeSet
  #steps: Steps = new Map()
  /** The settings as they were last reported; undefined before the first report. */
  #settings: { readonly failure: Failure | undefined } | undefined
  /** Bitbucket refused a registration while it had so many runners. */
  #ceiling: { readonly runners: number; readonly until: Instant } | undefined

  constructor(account: AccountState, set: ForgeSet, until: AbortSignal) {
    this.#account = account
    this.#set = set
    this.#closing = linkSignals(until)
    const eventsOf = (view: RosterView) => this.#eventsOf(view)
    this.#events = new PolledEvents({ poll: account.roster, clock: account.clock, eventsOf, failureOf })
  }

  events(): AsyncGenerator<ForgeEventBatch> {
    return this.#events.batches(this.#closing.signal)
  }

  update(set: ForgeSet): void {
    this.#set = { ...set, name: this.#set.name, runnerPrefix: this.#set.runnerPrefix }
    this.#events.again()
  }

  allowance(): Allowance {
    const { budget, clock, roster } = this.#account
    const pollMs = roster.pollMs()
    const ceiling = this.#ceilingNow()
    if (ceiling) return { now: 0, nextAt: ceiling.until, limit: ceiling, pollMs }
    const { now, limit } = budget.registrations(clock.now())
    return { now, nextAt: limit?.until, limit, pollMs }
  }

  /** Rejects with `conflict` for a name that is registered. Bitbucket would accept it a second time. */
  async register(name: string): Promise<RegisterOutcome> {
    const { roster, clock, api, place } = this.#account
    const { signal } = this.#closing
    const problem = problemOf(this.#set)
    if (problem !== undefined) throw bitbucketError('bad-config', problem)
    checkName(name, this.#set, bitbucketError)
    const identity = await this.#account.identity(signal)
    checkFree(name, roster.view, bitbucketError)
    const ceiling = this.#ceilingNow()
    if (ceiling) return { is: 'limited', ...ceiling }
    const { limit } = this.#account.budget.registrations(clock.now())
    if (limit) return { is: 'limited', ...limit }
    try {
      const body = { name, labels: labelsOf(this.#set) }
      const { runner, credential } = await createRunner(api, { place, identity }, body, signal)
      roster.change((view) => ({
        ...view,
        runners: [...view.runners.filter(({ id }) => id !== runner.id), runner],
      }))
      return { is: 'registered', registration: { ...registrationOf(runner), status: 'offline' }, credential }
    } catch (error) {
      return this.#limited(error)
    }
  }

  async cordon(registration: Registration): Promise<void> {
    await this.#account.cordon(registration.id, this.#closing.signal)
  }

  async deregister(registration: Registration): Promise<'removed' | 'absent' | 'busy'> {
    return this.#account.remove(registration.id, this.#closing.signal)
  }

  async registrations(): Promise<readonly Registration[]> {
    return this.#own(await this.#account.roster.listed(this.#closing.signal)).map(registrationOf)
  }

  async close(how: 'pause' | 'remove'): Promise<void> {
    this.#closing.abort(new Error('the link is closed'))
    this.#closing.dispose()
    if (how === 'pause') return
    const late = () => bitbucketError('unavailable', `The set was not removed in ${closeMs / 1_000} s.`)
    await withDeadline({ clock: this.#account.clock, ms: closeMs, late }, (signal) => this.#removeAll(signal))
  }

  /** The set is deleted, and its pods with it: runners without a step go at once. Busy ones are cordoned and stay. */
  async #removeAll(signal: AbortSignal): Promise<void> {
    const own = this.#own(await this.#account.roster.listed(signal))
    const idle = own.filter(({ step }) => step === undefined)
    const busy = own.filter(({ step }) => step !== undefined)
    const calls = [
      ...idle.map(({ id }) => this.#account.delete(id, signal)),
      ...busy.map(({ id }) => this.#account.cordon(id, signal)),
    ]
    const failed = (await Promise.allSettled(calls)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    if (busy.length === 0) return
    const names = busy.slice(0, 5).map(({ name }) => name)
    const sentence = `The set is removed, but ${busy.length} of its registrations stay, because their runners are busy:`
    throw bitbucketError('conflict', `${sentence} ${names.join(', ')}. Remove them when the steps are over.`)
  }

  #eventsOf(view: RosterView): readonly ForgeEvent[] {
    const own = this.#own(view)
    const steps = stepsOf(own)
    const demand = demandOf(own)
    const events = stepEvents(this.#steps, steps, view.at, this.#repository())
    this.#steps = steps
    return [
      ...events,
      ...this.#settingsEvents(own),
      { kind: 'registrations', registrations: own.map(registrationOf), at: view.at },
      { kind: 'demand', demand, at: view.at, runners: { registered: own.length, busy: demand.busy } },
    ]
  }

  #settingsEvents(own: readonly ListedRunner[]): readonly ForgeEvent[] {
    const failure = differenceOf(this.#set, own)
    if (this.#settings && this.#settings.failure?.message === failure?.message) return []
    this.#settings = { failure }
    return [{ kind: 'settings', failure }]
  }

  #own({ runners }: RosterView): readonly ListedRunner[] {
    return runners.filter(({ name }) => name.startsWith(this.#set.runnerPrefix))
  }

  #repository(): string {
    const { workspace, repository } = this.#account.place
    return repository === undefined ? workspace : `${workspace}/${repository}`
  }

  /** The limit of runners that Bitbucket named, until there are fewer or the next list is due. */
  #ceilingNow() {
    const { roster, clock } = this.#account
    const count = roster.view?.runners.length ?? 0
    if (!this.#ceiling || count < this.#ceiling.runners || clock.now() >= this.#ceiling.until) return undefined
    return { reason: 'ceiling', until: this.#ceiling.until } as const
  }

  #limited(error: unknown): RegisterOutcome {
    if (!(error instanceof PortError)) throw error
    if (error.kind === 'rate-limited' && error.retryAt !== undefined) {
      return { is: 'limited', reason: 'asked', until: error.retryAt }
    }
    const { roster, clock } = this.#account
    const runners = roster.view?.runners.length ?? 0
    const isFull = statusOf(error) === 400 && (limitWords.test(error.message) || runners >= bitbucket.runnersMax)
    if (!isFull) throw error
    const until = clock.now() + Math.max(roster.pollMs(), 60_000)
    this.#ceiling = { runners, until }
    return { is: 'limited', reason: 'ceiling', until }
  }
}
