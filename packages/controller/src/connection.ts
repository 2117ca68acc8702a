// The connection of one set to its forge: opens the link, folds its events, and opens it again with a changed credential.
import { backoffMs } from '@dayfly/kit/backoff'
import { type LinkedSignal, linkSignals } from '@dayfly/kit/signals'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { isPaused } from '@dayfly/runner-set/core/paused'
import { versionedImage } from '@dayfly/runner-set/core/runner-image'
import type { ForgeAccess, ForgeSet, Link } from '@dayfly/runner-set/forge/forge'
import type { ForgeEvent, ForgeState } from '@dayfly/runner-set/model/forge-event'
import type { Input } from '@dayfly/runner-set/model/input'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { failureOfForge, messageOf } from './act/unsuccessful.ts'
import { type Access, MissingAccess, readAccess, sameAccess } from './credential.ts'
import type { Journal } from './journal.ts'
import type { ControllerOptions } from './options.ts'
import { writeStatus } from './write-status.ts'

export type ConnectionDeps = Pick<ControllerOptions, 'clock' | 'random' | 'forgeFor'> & {
  readonly kubernetes: Kubernetes
  readonly journal: Journal
  /** The set as its owner wants it now. */
  readonly set: () => RunnerSet
  /** How many runners the set announces now. */
  readonly announced: () => number
  /** The ids that the forge wanted stored: a link resumes with them. */
  readonly forgeState: () => ForgeState
  readonly take: (input: Input) => void
}

const openRetry = { baseMs: 1_000, capMs: 60_000 }
const storeRetry = { baseMs: 500, capMs: 10_000 }
/** How often the access is read while nothing is wrong, so that a changed credential is in use within a minute. */
const readEveryMs = 45_000
/** The same after the forge refused the credential. */
const readAfterRefusalMs = 5_000

export class Connection {
  readonly #deps: ConnectionDeps
  readonly #until: LinkedSignal
  /** Resolves when the connection has ended. */
  readonly over: Promise<void>
  #link: Link | undefined
  #access: Access | undefined
  #refused = false
  #closed = false
  #wakeReader: () => void = () => {}
  #wakeOpener: () => void = () => {}
  #foreignIds: ForgeState | undefined

  /** Connects at once. @param signal ends the connection without giving the forge's session back */
  constructor(deps: ConnectionDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#until = linkSignals(signal)
    this.over = this.#run(this.#until.signal).finally(this.#until.dispose)
  }

  /** The set's link; undefined while it is not open. */
  get link(): Link | undefined {
    return this.#link
  }

  /** The access that was read last, also if no link opened with it. */
  get access(): Access | undefined {
    return this.#access
  }

  /** @param ids what another client has stored; undefined if the stored ids are our own */
  idsStored(ids: ForgeState | undefined): void {
    this.#foreignIds = ids
    if (ids) this.#wakeOpener()
  }

  /** Gives the session back. `remove`: removes the set's records at the forge, too. Returns whether a link was open, and the forge did so. */
  async close(how: 'pause' | 'remove'): Promise<boolean> {
    this.#closed = true
    const isDone = await this.#closeLink(how)
    this.#until.abort()
    await this.over
    return isDone
  }

  async #run(until: AbortSignal): Promise<void> {
    while (!until.aborted && !this.#closed) {
      const opened = await this.#open(until)
      if (!opened) return
      const { link, access } = opened
      this.#link = link
      // The set may have changed while the link was opening. An update with the same settings does nothing.
      link.update(forgeSet(this.#deps.set(), this.#deps.announced()))
      const watching = linkSignals(until)
      const changed = this.#watchAccess(access, watching.signal)
      if (isPaused(this.#deps.set())) await this.#rest(changed)
      else await this.#consume(link, until)
      watching.abort()
      watching.dispose()
      await changed
      if (this.#link === link) this.#link = undefined
    }
  }

  /** Tries until it succeeds. Returns undefined only when the signal is aborted. */
  async #open(until: AbortSignal) {
    const { random, forgeFor, kubernetes, forgeState, announced, take } = this.#deps
    for (let attempt = 1; !until.aborted; attempt++) {
      try {
        const set = this.#deps.set()
        const access = await readAccess(kubernetes, set, until)
        this.#access = access
        return {
          link: await openLink(forgeFor, { set, access, state: forgeState(), announced: announced() }, until),
          access,
        }
      } catch (error) {
        if (until.aborted) return undefined
        const failure = error instanceof MissingAccess ? error.failure : failureOfForge(error)
        take({ kind: 'forge-failed', failure })
        const collides = failure.reason === 'registration-collides'
        if (!collides || !this.#foreignIds)
          await this.#sleep(backoffMs(openRetry, attempt, random), until, (wake) => {
            this.#wakeOpener = wake
          })
        if (collides) this.#useForeignIds()
      }
    }
    return undefined
  }

  /** An operator may have stored the id of the scale set that this set takes over. */
  #useForeignIds(): void {
    const state = this.#foreignIds
    this.#foreignIds = undefined
    if (state) this.#deps.take({ kind: 'forge-event', event: { kind: 'state', state } })
  }

  /** A paused set has no session: to announce no capacity in one would lose its jobs (docs/reference/scale-set-protocol.md#s9-2). Its link can still remove registrations. */
  async #rest(changed: Promise<void>): Promise<void> {
    this.#deps.take({ kind: 'forge-paused' })
    await changed
  }

  async #consume(link: Link, until: AbortSignal): Promise<void> {
    const { journal, take } = this.#deps
    journal.write({ kind: 'forge-connected', ...this.#subject() })
    for await (const batch of link.events()) {
      if (until.aborted) return
      for (const event of batch.events) {
        take({ kind: 'forge-event', event })
        this.#noteRefusal(event)
      }
      if (batch.events.some(({ kind }) => kind === 'state')) await this.#storeState(until)
      if (!until.aborted) batch.ack()
    }
  }

  #noteRefusal(event: ForgeEvent): void {
    const refused = event.kind === 'failing' && event.failure.reason === 'forge-unauthorized'
    if (event.kind !== 'failing' && event.kind !== 'demand') return
    if (refused && !this.#refused) this.#wakeReader()
    this.#refused = refused
  }

  /** Ends when an entry of the access has changed: it closes the link, so that the next one opens with the new access. */
  async #watchAccess(access: Access, signal: AbortSignal): Promise<void> {
    const { kubernetes, journal, set } = this.#deps
    while (!signal.aborted) {
      // The first refusal of the credential ends the wait.
      await this.#sleep(this.#refused ? readAfterRefusalMs : readEveryMs, signal, (wake) => {
        this.#wakeReader = wake
      })
      if (signal.aborted) return
      // An object that is missing or cannot be read changes nothing: the access in use may still be good.
      const read = await readAccess(kubernetes, set(), signal).catch(() => undefined)
      if (read === undefined || sameAccess(read, access)) continue
      journal.write({ kind: 'credential-changed', ...this.#subject() })
      this.#refused = false
      await this.#closeLink('pause')
      return
    }
  }

  /** @param offer gets the function that ends the sleep early, and a function without effect afterwards */
  async #sleep(ms: number, signal: AbortSignal, offer: (wake: () => void) => void): Promise<void> {
    const woken = linkSignals(signal)
    offer(() => woken.abort())
    await this.#deps.clock.sleep(ms, woken.signal).catch(() => {})
    offer(() => {})
    woken.dispose()
  }

  /** Returns whether an open link was closed without a failure. */
  async #closeLink(how: 'pause' | 'remove'): Promise<boolean> {
    const link = this.#link
    this.#link = undefined
    try {
      // The link gives its session back first; its stream ends with that.
      await link?.close(how)
      return link !== undefined
    } catch (error) {
      this.#deps.journal.write({ kind: 'forge-failed', ...this.#subject(), failure: failureOfForge(error) })
      return false
    }
  }

  #subject() {
    const { namespace, name } = this.#deps.set()
    return { namespace, set: name }
  }

  /** The forge's ids are in the set's status before the forge goes on: a new leader finds everything again (docs/decisions/0003-state-before-acknowledge.md). */
  async #storeState(until: AbortSignal): Promise<void> {
    const { set, clock, random, journal, kubernetes, forgeState } = this.#deps
    const { namespace, name, uid } = set()
    for (let attempt = 1; !until.aborted; attempt++) {
      try {
        await writeStatus(kubernetes, { namespace, name, uid }, { forge: forgeState() }, until)
        return
      } catch (error) {
        if (until.aborted) return
        const message = messageOf(error)
        journal.write({ kind: 'write-failed', namespace, set: name, action: 'store-forge-state', message })
        await clock.sleep(backoffMs(storeRetry, attempt, random), until).catch(() => {})
      }
    }
  }
}

/** The records of a set at its forge, and the access to them. */
export type Records = {
  readonly set: RunnerSet
  /** Undefined if it was never read. */
  readonly access: ForgeAccess | undefined
  /** The ids that the forge wanted stored. Empty at the first connection. */
  readonly state: ForgeState
}

/** Opens the link of a set. It resumes with the stored ids, if there are any. Rejects if the forge fails.
 *  @param announced absent for a link whose events nobody reads */
export function openLink(
  forgeFor: ControllerOptions['forgeFor'],
  { set, access, state, announced = 1 }: Records & { readonly access: ForgeAccess; readonly announced?: number },
  until: AbortSignal,
): Promise<Link> {
  const remembered = Object.keys(state).length > 0 ? state : undefined
  return forgeFor(set.source, access).open(forgeSet(set, announced), remembered, until)
}

/** One set as the forge needs to know it. A paused set announces its number to nobody. */
export function forgeSet(set: RunnerSet, announced: number): ForgeSet {
  const { name, source, template } = set
  const { labels, runnerGroup: group, jobImage } = source
  const graceSeconds = template.spec?.['terminationGracePeriodSeconds']
  const runner = versionedImage(set)
  return {
    name,
    runnerPrefix: runnerPrefix(set),
    labels,
    group,
    max: announced,
    ...(jobImage === undefined ? {} : { jobImage }),
    ...(typeof graceSeconds === 'number' ? { graceSeconds } : {}),
    ...(runner ? { runner } : {}),
  }
}
