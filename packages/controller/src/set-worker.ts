// One runner set at work: its state, its connection to the forge, its loop.
import type { Instant } from '@dayfly/kit/clock'
import { randomName } from '@dayfly/kit/ids'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { Leadership } from '@dayfly/kubernetes/lease'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import { decide, unreported } from '@dayfly/runner-set/core/decide'
import { isPaused } from '@dayfly/runner-set/core/paused'
import { fold } from '@dayfly/runner-set/core/state/fold'
import {
  newSetState,
  type SetState,
  type StoredStatus,
  storedForgeState,
  worldOf,
} from '@dayfly/runner-set/core/state/set-state'
import type { Link } from '@dayfly/runner-set/forge/forge'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { Input } from '@dayfly/runner-set/model/input'
import type { JobRunner } from '@dayfly/runner-set/model/job-pod'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { SetWorld } from '@dayfly/runner-set/model/world'
import { Actor } from './act/act.ts'
import type { ActContext } from './act/context.ts'
import { report } from './act/report.ts'
import { Connection, forgeSet, type Records } from './connection.ts'
import { guarded, isLeading } from './guard.ts'
import { JobLogs } from './job-logs.ts'
import type { Journal } from './journal.ts'
import { Loop } from './loop.ts'
import type { ControllerOptions } from './options.ts'
import { namingRival } from './rival.ts'
import { insightOf, readingOf, type SetInsight, type SetReading } from './set-reading.ts'

/** Ticks of one set are at least this far apart, in milliseconds. */
const spacingMs = 50

/** The right to act, and what this process acts with while it has it. */
type Term = {
  readonly kubernetes: Kubernetes
  readonly leads: () => boolean
  readonly signal: AbortSignal
  readonly actor: Actor
}

/** The connection to the forge. */
type Contact =
  | { readonly is: 'open'; readonly connection: Connection }
  /** The next connection opens after the end of the last one, which knows the access. */
  | { readonly is: 'closed'; readonly over: Promise<unknown>; readonly last: Connection | undefined }

export class SetWorker {
  readonly #options: ControllerOptions
  readonly #journal: Journal
  readonly #loop: Loop
  readonly #rival: (set: RunnerSet) => RunnerSet | undefined
  readonly #state: SetState
  /** Random parts of names that no runner has yet. */
  readonly #ids: string[] = []
  #contact: Contact = { is: 'closed', over: Promise.resolve(), last: undefined }
  #stopped = false
  #term: Term | undefined
  #jobLogs: JobLogs | undefined
  #decided: SetInsight['decided']

  /** @param status the set's stored status @param rival finds another set of this cluster with the same name at the forge */
  constructor(
    options: ControllerOptions,
    journal: Journal,
    { set, status, rival }: { set: RunnerSet; status: unknown; rival: (set: RunnerSet) => RunnerSet | undefined },
  ) {
    const { clock, measureTick = (tick) => tick() } = options
    this.#options = options
    this.#journal = journal
    this.#rival = rival
    this.#state = newSetState(set, (status ?? {}) as StoredStatus)
    this.#loop = new Loop({ clock, spacingMs, tick: (now) => measureTick(() => this.#tick(now)) })
  }

  get set(): RunnerSet {
    return this.#state.set
  }

  /** The open link to the forge; undefined while there is none. */
  get #link(): Link | undefined {
    return this.#contact.is === 'open' ? this.#contact.connection.link : undefined
  }

  get #proxyLogin(): SecretEntries | undefined {
    return this.#contact.is === 'open' ? this.#contact.connection.access?.runnerProxy : undefined
  }

  reading(): SetReading {
    return readingOf(this.#state, this.#link !== undefined)
  }

  insight(): SetInsight {
    return insightOf(this.#state, this.#link !== undefined, this.#decided)
  }

  /** Returns what this set knows of a runner; undefined if the name is not one of its own. */
  runner(name: string): JobRunner | undefined {
    const { set, table, pods } = this.#state
    if (!name.startsWith(runnerPrefix(set))) return undefined
    const pod = table.get(name)?.pod
    return { set, pod: pod?.is === 'present' ? pod.value : undefined, isGone: pods.known && pod === undefined }
  }

  /** Folds one input into the state and wakes the loop. */
  take(input: Input): void {
    this.#fold(input)
    this.#observe(input)
    this.#loop.wake()
  }

  /** From now on, until leadership ends, this process decides and acts. Before, it only watches. */
  lead(leadership: Leadership): void {
    const kubernetes = guarded(this.#options.kubernetes, leadership)
    const leads = () => isLeading(leadership)
    const { signal } = leadership
    const actor = new Actor((outcome) => this.take({ kind: 'outcome', outcome }))
    this.#term = { kubernetes, leads, signal, actor }
    this.#jobLogs = this.#followLogs(signal)
    this.take({ kind: 'term-began' })
    // The connection of an earlier term ended with it.
    if (this.#contact.is === 'open') {
      const { connection } = this.#contact
      this.#contact = { is: 'closed', over: connection.over, last: connection }
    }
    void this.#contact.over.then(() => this.#connect())
  }

  /** The owner changed the set. */
  changed(set: RunnerSet): void {
    const before = this.set
    this.take({ kind: 'set-changed', set })
    if (needsNewLink(before, set)) void this.#disconnect('pause').then(() => this.#connect())
    else this.#link?.update(forgeSet(set, this.#state.capacity.announced))
  }

  /** The stored status changed. Ids that this process has not written are an operator's. */
  statusWritten(status: unknown): void {
    if (this.#contact.is === 'closed') return
    const own = this.#state.forge.state
    const stored = storedForgeState(status)
    const isForeign = Object.entries(stored).some(([name, id]) => own[name] !== id)
    this.#contact.connection.idsStored(isForeign ? stored : undefined)
  }

  /**
   * Ends the work on this set: `remove` if the set is deleted, `pause` if another process or a later start continues it. Runners live on.
   * Returns what the forge may still have of a deleted set: the link may not have been open, or the forge may have failed.
   */
  async stop(how: 'pause' | 'remove'): Promise<Records | undefined> {
    this.#stopped = true
    this.#loop.stop()
    this.#jobLogs?.stop()
    await this.#term?.actor.stop()
    const isDone = await this.#disconnect(how)
    if (isDone || how === 'pause') return undefined
    return {
      set: this.set,
      access: this.#contact.is === 'closed' ? this.#contact.last?.access : undefined,
      state: this.#state.forge.state,
    }
  }

  /** Stops for the next leader: it pauses, and then writes what the status does not show yet, because a counter lives nowhere else. */
  async handOver(): Promise<void> {
    const link = this.#link
    await this.stop('pause')
    const term = this.#term
    if (!term || term.signal.aborted) return
    const { clock, limits } = this.#options
    const now = clock.now()
    const status = unreported({ world: this.#world(link, now), limits, now })
    if (!status) return
    const result = await report(this.#context(term, link, now), status)
    this.#fold({ kind: 'outcome', outcome: { action: 'report', status, result } })
  }

  #tick(now: Instant): Instant | undefined {
    const term = this.#term
    if (!term || term.signal.aborted) return undefined
    const { limits } = this.#options
    const link = this.#link
    const world = this.#world(link, now)
    const decision = decide(world, limits, now, this.#freshIds())
    this.#decided = { held: decision.held, need: world.need }
    const { announced } = this.#state.capacity
    this.#fold({ kind: 'decided', decision })
    if (decision.capacity.announced !== announced) link?.update(forgeSet(this.set, decision.capacity.announced))
    if (decision.marks.length > 0) this.#loop.wake()
    const context = this.#context(term, link, now)
    for (const { kind } of decision.actions) if (kind === 'start-runner') this.#ids.shift()
    term.actor.begin(decision.actions, context)
    return earliest(decision.wakeAt, this.#state.table.nextDue())
  }

  #world(link: Link | undefined, now: Instant): SetWorld {
    const allowance = link?.allowance() ?? { now: 0, nextAt: undefined }
    return worldOf(this.#state, allowance, this.#options.limits, now)
  }

  #context({ kubernetes, leads, signal }: Term, link: Link | undefined, decidedAt: Instant): ActContext {
    const { set, templateHash } = this.#state
    return { kubernetes, leads, signal, set, templateHash, link, proxyLogin: this.#proxyLogin, decidedAt }
  }

  /** Returns the random parts of the next names. One that a runner has used never comes again. */
  #freshIds(): readonly string[] {
    const { random, limits } = this.#options
    while (this.#ids.length < limits.startsPerTick) this.#ids.push(randomName(random, 10))
    return this.#ids
  }

  #fold(input: Input): void {
    const { clock, limits } = this.#options
    for (const event of fold(this.#state, input, limits, clock.now())) this.#journal.write(event)
  }

  #followLogs(signal: AbortSignal): JobLogs | undefined {
    const { clock, random, transport } = this.#options
    const { namespace, source } = this.set
    const { jobLog } = forgeTraits[source.kind]
    if (!jobLog) return undefined
    const logs = createPodLogs({ transport, clock, random })
    const take = (event: ForgeEvent) => this.take({ kind: 'forge-event', event })
    const followed = new JobLogs({ logs, jobLog, namespace, clock, take }, signal)
    for (const { name, pod } of this.#state.table.all()) if (pod.is === 'present') followed.seen(name, pod.value)
    return followed
  }

  #observe(input: Input): void {
    if (!this.#jobLogs) return
    if (input.kind === 'pod-seen') this.#jobLogs.seen(input.name, input.pod)
    if (input.kind === 'pod-gone') this.#jobLogs.gone(input.name)
    if (input.kind === 'pods-listed') for (const [name, pod] of input.pods) this.#jobLogs.seen(name, pod)
  }

  #connect(): void {
    const term = this.#term
    if (!term || term.signal.aborted || this.#contact.is === 'open' || this.#stopped) return
    const { clock, random, forgeFor } = this.#options
    const deps = {
      clock,
      random,
      forgeFor,
      kubernetes: term.kubernetes,
      journal: this.#journal,
      set: () => this.set,
      announced: () => this.#state.capacity.announced,
      forgeState: () => this.#state.forge.state,
      take: (input: Input) => this.take(namingRival(input, () => this.#rival(this.set))),
    }
    this.#contact = { is: 'open', connection: new Connection(deps, term.signal) }
  }

  /** Returns whether the forge did it over a link that was open. */
  async #disconnect(how: 'pause' | 'remove'): Promise<boolean> {
    if (this.#contact.is === 'closed') {
      await this.#contact.over
      return false
    }
    const { connection } = this.#contact
    const closing = connection.close(how)
    this.#contact = { is: 'closed', over: closing, last: connection }
    return closing
  }
}

/** Labels, group and ceiling can change on an open link. Another account, another proxy of the runners, or a pause, needs a new one. */
function needsNewLink(before: RunnerSet, after: RunnerSet): boolean {
  const account = ({ source: { labels, runnerGroup, rerun, ...rest }, network: { proxy } }: RunnerSet) => [rest, proxy]
  const sameAccount = JSON.stringify(account(before)) === JSON.stringify(account(after))
  return !sameAccount || isPaused(before) !== isPaused(after)
}

function earliest(left: Instant | undefined, right: Instant | undefined): Instant | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right)
}
