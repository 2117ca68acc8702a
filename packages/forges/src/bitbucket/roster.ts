// The list of an account's runners: one request for each poll, shared by all its sets. It polls while a set or a caller needs it.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { abortable, linkSignals } from '@dayfly/kit/signals'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { CallBudget, PollPolicy } from './call-budget.ts'
import type { ListedRunner } from './wire.ts'

/** A complete list. `at` is when it was requested. */
export type RosterView = { readonly at: Instant; readonly runners: readonly ListedRunner[] }

export type RosterResult =
  | { readonly is: 'listed'; readonly view: RosterView }
  | { readonly is: 'failed'; readonly error: PortError; readonly since: Instant }

export type Listed = {
  readonly runners: readonly ListedRunner[]
  /** The number of requests that the list took. */
  readonly pages: number
}

export type RosterOptions = {
  readonly list: () => Promise<Listed>
  readonly clock: Clock
  readonly random: Random
  readonly budget: CallBudget
  readonly policy: PollPolicy
  /** Receives each list before the sets do. */
  readonly onView: (view: RosterView) => void
}

type Edit = (runners: readonly ListedRunner[]) => readonly ListedRunner[]

type Waiter = {
  readonly askedAt: Instant
  readonly resolve: (view: RosterView) => void
  readonly reject: (error: unknown) => void
}

const patienceMs = 30_000
/** A single failure of these kinds is repeated before it is reported: the next request often succeeds. */
const passing: readonly PortError['kind'][] = ['unavailable', 'bad-response']

export class Roster {
  readonly #options: RosterOptions
  readonly #listeners = new Set<(result: RosterResult) => void>()
  #waiters: Waiter[] = []
  #edits: { readonly at: Instant; readonly edit: Edit }[] = []
  #result: RosterResult | undefined
  #askedAt: Instant = Number.NEGATIVE_INFINITY
  #pages = 1
  #failures = 0
  #failingSince: Instant = 0
  #retryAt: Instant = 0
  #isRunning = false
  #wake: () => void = () => {}

  constructor(options: RosterOptions) {
    this.#options = options
  }

  /** Returns the last complete list; undefined before the first. */
  get view(): RosterView | undefined {
    return this.#result?.is === 'listed' ? this.#result.view : undefined
  }

  /** Calls the listener for every result from now on, and for a recent list at once. Returns a function that unsubscribes it. */
  subscribe(listener: (result: RosterResult) => void): () => void {
    const { clock, policy } = this.#options
    this.#listeners.add(listener)
    const { view } = this
    if (view && this.#isRunning && clock.now() - view.at <= policy.mostMs) listener({ is: 'listed', view })
    this.#start()
    return () => {
      this.#listeners.delete(listener)
      this.#wake()
    }
  }

  /**
   * Returns a complete list that is requested now or later: it joins the next poll, which comes sooner if the last one is long ago.
   * Rejects with the last failure while the next poll must wait for more than half a minute.
   */
  async listed(signal?: AbortSignal): Promise<RosterView> {
    const askedAt = this.#options.clock.now()
    const failed = this.#result?.is === 'failed' ? this.#result.error : undefined
    if (failed && this.#retryAt - askedAt > patienceMs) throw failed
    const view = new Promise<RosterView>((resolve, reject) => this.#waiters.push({ askedAt, resolve, reject }))
    view.catch(() => undefined)
    this.#start()
    this.#wake()
    return abortable(view, signal)
  }

  /** Changes the last list by what a call of ours has done, and the next one if that was requested before. */
  change(edit: Edit): void {
    this.#edits.push({ at: this.#options.clock.now(), edit })
    if (this.#result?.is !== 'listed') return
    const { view } = this.#result
    this.#result = { is: 'listed', view: { ...view, runners: edit(view.runners) } }
    this.#countLiving()
  }

  /** The time between two lists as it is now, in milliseconds. */
  pollMs(): number {
    const { budget, policy, clock } = this.#options
    return budget.pollMs(policy, clock.now())
  }

  get #isNeeded(): boolean {
    return this.#listeners.size > 0 || this.#waiters.length > 0
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    const { budget } = this.#options
    this.#countLiving()
    while (this.#isNeeded) {
      await this.#untilDue()
      if (this.#isNeeded) await this.#poll()
    }
    budget.polled(this, undefined)
    this.#isRunning = false
  }

  /** Waits for the next poll. A caller or the end of the last subscription may bring the end of the wait forward. */
  async #untilDue(): Promise<void> {
    const { clock } = this.#options
    for (;;) {
      const waitMs = this.#dueAt() - clock.now()
      if (!this.#isNeeded || waitMs <= 0) return
      const woken = linkSignals()
      this.#wake = () => woken.abort()
      await clock.sleep(waitMs, woken.signal).catch(() => undefined)
      this.#wake = () => {}
      woken.dispose()
    }
  }

  #dueAt(): Instant {
    const { policy } = this.#options
    if (this.#failures > 0) return this.#retryAt
    return this.#askedAt + (this.#waiters.length > 0 ? policy.leastMs : this.pollMs())
  }

  async #poll(): Promise<void> {
    const { clock, list, onView } = this.#options
    this.#askedAt = clock.now()
    const at = this.#askedAt
    try {
      const { runners: listed, pages } = await list()
      this.#pages = pages
      this.#edits = this.#edits.filter((made) => made.at >= at)
      const view: RosterView = { at, runners: this.#edits.reduce((runners, { edit }) => edit(runners), listed) }
      this.#failures = 0
      onView(view)
      this.#publish({ is: 'listed', view })
      const [served, late] = [this.#waiters.filter(({ askedAt }) => askedAt <= at), this.#waiters]
      this.#waiters = late.filter(({ askedAt }) => askedAt > at)
      for (const { resolve } of served) resolve(view)
    } catch (error) {
      if (!(error instanceof PortError)) throw error
      this.#failed(error)
    }
  }

  #failed(error: PortError): void {
    const { clock, random, policy } = this.#options
    const now = clock.now()
    if (this.#failures === 0) this.#failingSince = this.#askedAt
    this.#failures++
    const retry = { baseMs: policy.leastMs / 5, capMs: policy.leastMs * 3 }
    this.#retryAt = Math.max(now + backoffMs(retry, this.#failures, random), error.retryAt ?? 0)
    if (this.#failures === 1 && passing.includes(error.kind)) return
    this.#publish({ is: 'failed', error, since: this.#failingSince })
    for (const { reject } of this.#waiters.splice(0)) reject(error)
  }

  #publish(result: RosterResult): void {
    this.#result = result
    this.#countLiving()
    for (const listener of this.#listeners) listener(result)
  }

  #countLiving(): void {
    if (!this.#isRunning) return
    this.#options.budget.polled(this, { living: this.view?.runners.length ?? 0, pages: this.#pages })
  }
}
