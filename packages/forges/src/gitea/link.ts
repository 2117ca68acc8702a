// The connection of one runner set to Gitea. Its events come from the lists that all sets of the account share.
import type { Instant } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import { type LinkedSignal, linkSignals } from '@dayfly/kit/signals'
import type { Allowance, ForgeEventBatch, ForgeSet, Link, RegisterOutcome } from '@dayfly/runner-set/forge/forge'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { checkFree, checkName } from '../new-runner.ts'
import { PolledEvents } from '../polled-events.ts'
import { failureOf } from '../rest-errors.ts'
import type { AccountState } from './account-state.ts'
import { giteaError } from './errors.ts'
import { type Attempts, attemptsIn, eventsBetween } from './job-events.ts'
import type { JobsView } from './jobs-view.ts'
import { differenceOf, problemOf } from './labels.ts'
import { registrationOf, unlistedRunners } from './registration.ts'
import type { ListedJob, ListedRunner } from './wire.ts'

const closeMs = 25_000
/** Registrations at once: one takes the server about 20 ms (docs/reference/gitea.md#s4-8). */
const registrationsAtOnce = 50

export class GiteaLink implements Link {
  readonly runs = undefined
  readonly #account: AccountState
  readonly #closing: LinkedSignal
  readonly #events: PolledEvents<JobsView>
  #attempts: Attempts = new Map()
  #lastAt: Instant | undefined
  #set: ForgeSet
  /** The settings as they were last reported; undefined before the first report. */
  #settings: { readonly failure: Failure | undefined } | undefined

  constructor(account: AccountState, set: ForgeSet, until: AbortSignal) {
    this.#account = account
    this.#set = set
    this.#closing = linkSignals(until)
    account.sets.link(() => this.#set, this.#closing.signal)
    const eventsOf = (view: JobsView) => this.#eventsOf(view)
    this.#events = new PolledEvents({ poll: account.poll, clock: account.clock, eventsOf, failureOf })
  }

  /** The set takes jobs of the account only while the controller reads its events. */
  async *events(): AsyncGenerator<ForgeEventBatch> {
    const leave = this.#account.join(() => this.#set)
    try {
      yield* this.#events.batches(this.#closing.signal)
    } finally {
      leave()
    }
  }

  update(set: ForgeSet): void {
    this.#set = { ...set, name: this.#set.name, runnerPrefix: this.#set.runnerPrefix }
    this.#account.sets.changed()
    this.#events.again()
  }

  allowance(): Allowance {
    return { now: registrationsAtOnce, nextAt: undefined, limit: undefined, pollMs: this.#account.poll.pollMs() }
  }

  /** Rejects with `conflict` for a name that is registered. Gitea would accept it a second time. */
  async register(name: string): Promise<RegisterOutcome> {
    const { poll, registrations } = this.#account
    const { signal } = this.#closing
    const problem = problemOf(this.#set)
    if (problem !== undefined) throw giteaError('bad-config', problem)
    checkName(name, this.#set, giteaError)
    checkFree(name, poll.view, giteaError)
    try {
      const { id, credential } = await registrations.create(await this.#account.server(), name, this.#set, signal)
      const runner = { id, name, labels: this.#set.labels, isOnline: false, isCordoned: false }
      this.#account.registered(runner)
      return { is: 'registered', registration: registrationOf(runner, new Set()), credential }
    } catch (error) {
      if (!(error instanceof PortError) || error.kind !== 'rate-limited' || error.retryAt === undefined) throw error
      return { is: 'limited', reason: 'asked', until: error.retryAt }
    }
  }

  async cordon(registration: Registration): Promise<void> {
    await this.#account.cordon(registration.id, this.#closing.signal)
  }

  async deregister(registration: Registration): Promise<'removed' | 'absent' | 'busy'> {
    return this.#account.remove(registration.id, this.#closing.signal)
  }

  async registrations(): Promise<readonly Registration[]> {
    const view = await this.#account.listed(this.#closing.signal)
    return [...this.#own(view).map((runner) => registrationOf(runner, view.busy)), ...this.#unlisted(view)]
  }

  async close(how: 'pause' | 'remove'): Promise<void> {
    this.#closing.abort(new Error('the link is closed'))
    this.#closing.dispose()
    if (how === 'pause') return
    const late = () => giteaError('unavailable', `The set was not removed in ${closeMs / 1_000} s.`)
    await withDeadline({ clock: this.#account.clock, ms: closeMs, late }, (signal) => this.#removeAll(signal))
  }

  /**
   * The set is deleted, and its pods with it: runners without a job go at once. The server removes a busy one when its job is over. A list
   * may lack one that moved between its pages, and nobody looks later, so the last list shows none that was not removed.
   */
  async #removeAll(signal: AbortSignal): Promise<void> {
    const gone = new Set<string>()
    for (;;) {
      const view = await this.#account.listed(signal)
      const own = this.#own(view).map((runner) => registrationOf(runner, view.busy))
      const idle = own.filter(({ id, busy }) => busy !== true && !gone.has(id))
      if (idle.length === 0) return refuseWhileBusy(own.filter(({ busy }) => busy === true))
      const answers = await Promise.allSettled(idle.map(({ id }) => this.#account.delete(id, signal)))
      const failed = answers.find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
      for (const { id } of idle) gone.add(id)
    }
  }

  #eventsOf(view: JobsView): readonly ForgeEvent[] {
    const waiting = this.#account.sets.waitingFor(this.#set, view)
    const own = this.#own(view).map((runner) => registrationOf(runner, view.busy))
    const busy = own.filter((one) => one.busy === true).length
    return [
      ...this.#jobEvents(view, waiting),
      ...this.#settingsEvents(this.#own(view)),
      ...(view.runnersAt === view.at
        ? [{ kind: 'registrations', registrations: [...own, ...this.#unlisted(view)], at: view.at } as const]
        : []),
      {
        kind: 'demand',
        demand: { kind: 'queued', jobs: waiting.length },
        at: view.at,
        runners: { registered: own.length, busy },
        unserved: this.#account.sets.unservedFor(this.#set, view),
      },
    ]
  }

  #jobEvents(view: JobsView, waiting: readonly ListedJob[]): readonly ForgeEvent[] {
    const { runnerPrefix } = this.#set
    const fromServer = (at: Instant) => this.#account.api.fromServer(at)
    const set = { runnerPrefix, waiting, fromServer, lastAt: this.#lastAt }
    const before = this.#attempts
    this.#attempts = attemptsIn(view, before, set)
    this.#lastAt = view.at
    return eventsBetween(before, this.#attempts, view, set)
  }

  #settingsEvents(own: readonly ListedRunner[]): readonly ForgeEvent[] {
    const failure = differenceOf(this.#set, own)
    if (this.#settings && this.#settings.failure?.message === failure?.message) return []
    this.#settings = { failure }
    return [{ kind: 'settings', failure }]
  }

  /** The runners that only a running job still shows: a list without a runner then proves that its job is over. */
  #unlisted(view: JobsView): readonly Registration[] {
    return unlistedRunners(view, this.#set.runnerPrefix)
  }

  #own({ runners }: JobsView): readonly ListedRunner[] {
    return runners.filter(({ name }) => name.startsWith(this.#set.runnerPrefix))
  }
}

function refuseWhileBusy(busy: readonly Registration[]): void {
  if (busy.length === 0) return
  const names = busy.slice(0, 5).map(({ name }) => name)
  const sentence = `The set is removed, but ${busy.length} of its registrations stay until their jobs are over:`
  throw giteaError('conflict', `${sentence} ${names.join(', ')}.`)
}
