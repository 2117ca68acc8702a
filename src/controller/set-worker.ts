// One runner set at work: its cache, its connection to the forge, its loop.
import { decide } from '../core/decide.ts'
import type { Link } from '../forge/forge.ts'
import type { Kubernetes } from '../kubernetes/kubernetes.ts'
import type { Leadership } from '../kubernetes/lease.ts'
import type { Instant } from '../lib/clock.ts'
import { type LinkedSignal, linkSignals } from '../lib/signals.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { Actor } from './act/act.ts'
import type { ActContext } from './act/context.ts'
import { forgeFailure } from './act/failures.ts'
import { consumeForgeEvents } from './consume-forge-events.ts'
import { guarded } from './guard.ts'
import type { Journal } from './journal.ts'
import { Loop } from './loop.ts'
import { SetCache } from './observe/set-cache.ts'
import { openLink } from './open-link.ts'
import type { ControllerOptions } from './options.ts'

/** Ticks of one set are at least this far apart, in milliseconds (design chapter 5). */
const spacingMs = 50

export class SetWorker {
  readonly cache: SetCache
  readonly #options: ControllerOptions
  readonly #journal: Journal
  readonly #loop: Loop
  #actor: Actor | undefined
  #link: Link | undefined
  #connection: { readonly until: LinkedSignal; readonly over: Promise<void> } | undefined
  #context: ActContext | undefined

  constructor(options: ControllerOptions, journal: Journal, set: RunnerSet) {
    const { clock, limits, random } = options
    this.#options = options
    this.#journal = journal
    this.cache = new SetCache({ set, limits, random, journal: journal.write })
    this.#loop = new Loop({ clock, spacingMs, tick: (now) => this.#tick(now) })
  }

  wake(): void {
    this.#loop.wake()
  }

  /** From now on, until leadership ends, this process decides and acts; before, it only watches. */
  lead(leadership: Leadership): void {
    const { clock, random, limits } = this.#options
    const context: ActContext = {
      kubernetes: guarded(this.#options.kubernetes, leadership, clock),
      clock,
      random,
      cache: this.cache,
      journal: this.#journal.write,
      link: () => this.#link,
      signal: leadership.signal,
    }
    this.#context = context
    this.#actor = new Actor(context, limits, () => this.wake())
    this.#connect()
    this.wake()
  }

  /** The owner changed the set. */
  changed(set: RunnerSet): void {
    const before = this.cache.set
    this.cache.setChanged(set)
    if (this.#context && JSON.stringify(before.source) !== JSON.stringify(set.source)) void this.#reconnect()
    else if (before.scale.max !== set.scale.max) this.#rescale(before.scale.max, set)
    this.wake()
  }

  /** Ends the work on this set: `remove` when the set is gone for good, `pause` when another process or a later start goes on with it. Runners live on. */
  async stop(how: 'pause' | 'remove'): Promise<void> {
    this.#loop.stop()
    await this.#actor?.settled()
    await this.#disconnect(how)
  }

  #tick(now: Instant): Instant | undefined {
    if (!this.#context || this.#context.signal.aborted || !this.#actor) return undefined
    const allowance = this.#link?.allowance() ?? { now: 0, nextAt: undefined }
    const decision = decide(this.cache.world(now, allowance), this.#options.limits, now)
    this.cache.decided(decision, now)
    for (const event of decision.events) this.#journal.write(event)
    if (decision.events.length > 0) this.wake()
    this.#actor.begin(decision)
    const times = [decision.wakeAt, this.cache.table.nextDue()].filter((at) => at !== undefined)
    return times.length > 0 ? Math.min(...times) : undefined
  }

  #rescale(before: number, set: RunnerSet): void {
    if ((before === 0) !== (set.scale.max === 0)) void this.#reconnect()
    else if (set.scale.max > 0) this.#link?.update(forgeSet(set))
  }

  async #reconnect(): Promise<void> {
    await this.#disconnect('pause')
    if (this.#context && !this.#context.signal.aborted) this.#connect()
  }

  /** A paused set (`max` 0) has no connection: announcing no capacity would lose its jobs (scale-set protocol 9.2). */
  #connect(): void {
    if (!this.#context || this.cache.set.scale.max === 0) return
    const { kubernetes, signal } = this.#context
    const until = linkSignals(signal)
    this.#connection = { until, over: this.#run(kubernetes, until.signal).finally(until.dispose) }
  }

  async #disconnect(how: 'pause' | 'remove'): Promise<void> {
    const link = this.#link
    this.#link = undefined
    // The link gives its session back first; its stream ends by that.
    await link?.close(how).catch((error: unknown) => {
      const { namespace, name: set } = this.cache.set
      this.#journal.write({ kind: 'forge-failed', namespace, set, failure: forgeFailure(error) })
    })
    this.#connection?.until.abort()
    await this.#connection?.over
    this.#connection = undefined
  }

  async #run(kubernetes: Kubernetes, until: AbortSignal): Promise<void> {
    const deps = { ...this.#options, kubernetes, journal: this.#journal, cache: this.cache, wake: () => this.wake() }
    const link = await openLink(deps, forgeSet(this.cache.set), until)
    if (!link) return
    this.#link = link
    await consumeForgeEvents(deps, link, until)
    if (this.#link === link) this.#link = undefined
  }
}

function forgeSet(set: RunnerSet) {
  const { name, source, scale } = set
  return { name, labels: source.labels, group: source.runnerGroup, max: scale.max }
}
