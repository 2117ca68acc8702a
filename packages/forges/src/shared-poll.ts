// A poll of an account that all its sets share. It runs while a set or a caller needs it.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { abortable, linkSignals } from '@dayfly/kit/signals'
import { PortError } from '@dayfly/runner-set/model/port-error'

/** A complete answer to one poll. `at` is when it was requested. */
type Seen = { readonly at: Instant }

export type PollResult<View extends Seen> =
  | { readonly is: 'listed'; readonly view: View }
  | { readonly is: 'failed'; readonly error: PortError; readonly since: Instant }

export type PollPolicy = {
  /** The shortest and the longest time between two polls, in milliseconds. */
  readonly leastMs: number
  readonly mostMs: number
}

export type SharedPollOptions<View extends Seen> = {
  /** Rejects with a `PortError` if the answer is not complete. */
  readonly list: (at: Instant) => Promise<View>
  readonly clock: Clock
  readonly random: Random
  readonly policy: PollPolicy
  /** Returns the time between two polls as it is now, in milliseconds. */
  readonly pollMs: (view: View | undefined) => number
  /** Receives each answer before the sets do. */
  readonly onView?: (view: View) => void
  /** Receives the last answer whenever it changes; undefined when polling ends. */
  readonly onPolled?: (polled: { readonly view: View | undefined } | undefined) => void
}

type Edit<View> = (view: View) => View

type Waiter<View> = {
  readonly askedAt: Instant
  readonly resolve: (view: View) => void
  readonly reject: (error: unknown) => void
}

const patienceMs = 30_000
/** A single failure of these kinds is repeated before it is reported: the next request often succeeds. */
const passing: readonly PortError['kind'][] = ['unavailable', 'bad-response']

export class SharedPoll<View extends Seen> {
  readonly #options: SharedPollOptions<View>
  readonly #listeners = new Set<(result: PollResult<View>) => void>()
  #waiters: Waiter<View>[] = []
  #edits: { readonly at: Instant; readonly edit: Edit<View> }[] = []
  #result: PollResult<View> | undefined
  #askedAt: Instant = Number.NEGATIVE_INFINITY
  #failures = 0
  #failingSince: Instant = 0
  #retryAt: Instant = 0
  #isRunning = false
  #isHastened = false
  #wake: () => void = () => {}

  constructor(options: SharedPollOptions<View>) {
    this.#options = options
  }

  /** Returns the last complete answer; undefined before the first. */
  get view(): View | undefined {
    return this.#result?.is === 'listed' ? this.#result.view : undefined
  }

  /** Calls the listener for every result from now on, and for a recent answer at once. Returns a function that unsubscribes it. */
  subscribe(listener: (result: PollResult<View>) => void): () => void {
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
   * Returns a complete answer that is requested now or later: it joins the next poll, which comes sooner if the last one is long ago.
   * Rejects with the last failure while the next poll must wait for more than half a minute.
   */
  async listed(signal?: AbortSignal): Promise<View> {
    const askedAt = this.#options.clock.now()
    const failed = this.#result?.is === 'failed' ? this.#result.error : undefined
    if (failed && this.#retryAt - askedAt > patienceMs) throw failed
    const view = new Promise<View>((resolve, reject) => this.#waiters.push({ askedAt, resolve, reject }))
    view.catch(() => undefined)
    this.#start()
    this.#wake()
    return abortable(view, signal)
  }

  /** Changes the last answer by what a call of ours has done, and the next one if that was requested before. */
  change(edit: Edit<View>): void {
    this.#edits.push({ at: this.#options.clock.now(), edit })
    if (this.#result?.is !== 'listed') return
    this.#result = { is: 'listed', view: edit(this.#result.view) }
    this.#polled()
  }

  /** Polls as soon as the policy allows, because something may have changed. */
  hasten(): void {
    this.#isHastened = true
    this.#wake()
  }

  /** Returns the time between two polls as it is now, in milliseconds. */
  pollMs(): number {
    return this.#options.pollMs(this.view)
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
    this.#polled()
    while (this.#isNeeded) {
      await this.#untilDue()
      if (this.#isNeeded) await this.#poll()
    }
    this.#options.onPolled?.(undefined)
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
    return this.#askedAt + (this.#waiters.length > 0 || this.#isHastened ? policy.leastMs : this.pollMs())
  }

  async #poll(): Promise<void> {
    const { clock, list, onView } = this.#options
    this.#askedAt = clock.now()
    this.#isHastened = false
    const at = this.#askedAt
    try {
      const listed = await list(at)
      this.#edits = this.#edits.filter((made) => made.at >= at)
      const view = this.#edits.reduce((before, { edit }) => edit(before), listed)
      this.#failures = 0
      onView?.(view)
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

  #publish(result: PollResult<View>): void {
    this.#result = result
    this.#polled()
    for (const listener of this.#listeners) listener(result)
  }

  #polled(): void {
    if (this.#isRunning) this.#options.onPolled?.({ view: this.view })
  }
}
