// Leader election on one Lease. A candidate measures with its own clock how long the record has not changed. It ignores the times in the record.
// A leader stops before others may take over: it counts from its last renewal request, and they count from when they saw that renewal.
import type { Clock, Timer } from '@dayfly/kit/clock'
import { withDeadline } from '@dayfly/kit/deadline'
import type { Random } from '@dayfly/kit/random'
import { type LinkedSignal, linkSignals } from '@dayfly/kit/signals'
import type { Stopwatch } from '@dayfly/kit/stopwatch'
import {
  type Candidacy,
  type ElectionEffect,
  type ElectionEvent,
  type ElectionState,
  elect,
  newCandidacy,
} from './election.ts'
import { KubernetesError } from './errors.ts'
import type { Kubernetes } from './kubernetes.ts'
import { heldLease, type LeaseRecord, leases, newLease, readLease, releasedLease } from './lease-record.ts'

type ElectionDurations = {
  /** How long candidates wait after the last renewal that they saw. */
  readonly leaseMs: number
  /** How long after its last renewal the leader stops. Much shorter than `leaseMs`, so that its requests in flight can end. */
  readonly renewMsMax: number
  /** The pause between two renewals. */
  readonly retryMs: number
  /** The pause between two reads of a candidate. It bounds how late a released lease is taken over. */
  readonly lookMs: number
}

export type ElectorOptions = {
  readonly kubernetes: Kubernetes
  readonly namespace: string
  readonly name: string
  /** Labels that this candidate gives the lease when it takes it. */
  readonly labels?: Readonly<Record<string, string>>
  /** The name of this candidate. It must be unique for each process, not only for each host. */
  readonly identity: string
  readonly clock: Clock
  /** Measures a term. It may measure too much, and never too little. */
  readonly stopwatch: Stopwatch
  readonly random: Random
  /** The defaults are 15 s, 10 s, 2 s and 1 s. */
  readonly durations?: Partial<ElectionDurations>
  readonly onState?: (state: ElectionState) => void
  /** Called after each read or write of the lease, with the error of one that failed. */
  readonly onTurn?: (error: unknown) => void
}

export interface Leadership {
  /** Aborted when leadership ends for any reason, before another process can lead. */
  readonly signal: AbortSignal
  /** Returns whether no other process can lead. Check it right before a write: after a pause of the process, code may run before timers. */
  isCertain(): boolean
}

export interface Elector {
  /**
   * Runs `lead` each time this candidate is elected, and waits for its end before the next election. Resolves after it was stopped or `lead`
   * has ended by itself, and the lease is released. Rejects only with the error of `lead`.
   */
  run(lead: (leadership: Leadership) => Promise<void>, until: AbortSignal): Promise<void>
}

const durationsDefault: ElectionDurations = { leaseMs: 15_000, renewMsMax: 10_000, retryMs: 2_000, lookMs: 1_000 }
const releaseMsMax = 5_000

export function createElector(options: ElectorOptions): Elector {
  const report = options.onState ?? (() => {})
  return {
    run: async (lead, until) => {
      const candidate = new Candidate(options, lead, until)
      try {
        await candidate.over()
      } finally {
        // Releases the lease even without a term, because a request to take it may have succeeded unseen.
        await candidate.release()
        report({ is: 'stopped' })
      }
    },
  }
}

/** One term of leadership. A successful write of the lease grants it for `renewMsMax`, counted from the request. */
type Term = { isCertain(): boolean; close(): void }

/** Carries out what the election decides. It sends one request at a time. */
class Candidate {
  readonly #options: ElectorOptions
  readonly #durations: ElectionDurations
  /** Limits each request, which leaves time for a second one if one hangs. */
  readonly #halfTermMs: number
  readonly #lead: (leadership: Leadership) => Promise<void>
  readonly #until: AbortSignal
  #state: Candidacy = newCandidacy
  #request: Promise<void> = Promise.resolve()
  #recordTimer: Timer | undefined
  #term: Term | undefined
  /** Ends the work of a leader, which may last for many terms. */
  #work: LinkedSignal | undefined
  #settle = (_failure: { readonly error: unknown } | undefined): void => {}

  constructor(options: ElectorOptions, lead: (leadership: Leadership) => Promise<void>, until: AbortSignal) {
    this.#options = options
    this.#durations = { ...durationsDefault, ...options.durations }
    this.#halfTermMs = this.#durations.renewMsMax / 2
    this.#lead = lead
    this.#until = until
  }

  /** Stands for election until it is stopped or the leader's work has ended by itself. Rejects only with the error of that work. */
  async over(): Promise<void> {
    const stop = () => this.#apply({ is: 'stopped' })
    const failure = await new Promise<{ readonly error: unknown } | undefined>((resolve) => {
      this.#settle = resolve
      this.#until.addEventListener('abort', stop, { once: true })
      if (this.#until.aborted) stop()
      else this.#perform({ do: 'read', paused: false })
    })
    this.#until.removeEventListener('abort', stop)
    this.#recordTimer?.cancel()
    await this.#request
    if (failure) throw failure.error
  }

  /** Removes this candidate from the lease if it is the holder. Never rejects: an unreleased lease expires by itself. */
  async release(): Promise<void> {
    const { kubernetes, clock, identity } = this.#options
    await this.#bounded(releaseMsMax, undefined, async (signal) => {
      const current = await this.#get(signal)
      if (current.holder !== identity) return
      await kubernetes.replace(leases, releasedLease(current, clock.now()), { signal })
    }).catch(() => undefined)
  }

  #apply(event: ElectionEvent, failure?: { readonly error: unknown }): void {
    const before = this.#state
    const [next, ...effects] = elect(before, event, this.#options.identity)
    this.#state = next
    for (const effect of effects) this.#perform(effect)
    if (next.is === 'over' && before.is !== 'over') this.#settle(failure)
  }

  #perform(effect: ElectionEffect): void {
    const { clock, onState, onTurn } = this.#options
    const { lookMs, retryMs } = this.#durations
    if (effect.do === 'read') this.#send(effect.paused ? lookMs : 0, (signal) => this.#read(signal))
    if (effect.do === 'write') this.#send(effect.paused ? retryMs : 0, (signal) => this.#write(effect.record, signal))
    if (effect.do === 'watch-record') {
      this.#recordTimer?.cancel()
      this.#recordTimer = clock.after(effect.record.durationMs, () => this.#apply({ is: 'record-expired' }))
    }
    if (effect.do === 'begin-work') this.#beginWork()
    if (effect.do === 'end-work') this.#work?.abort(new Error(effect.why))
    if (effect.do === 'report') onState?.(effect.state)
    if (effect.do === 'report-turn') onTurn?.(effect.error)
  }

  #beginWork(): void {
    this.#recordTimer?.cancel()
    const work = linkSignals(this.#until)
    this.#work = work
    const ended = (failure?: { readonly error: unknown }) => {
      this.#term?.close()
      work.dispose()
      this.#work = undefined
      this.#apply({ is: 'work-ended', failed: failure !== undefined }, failure)
    }
    const isCertain = () => this.#work === work && this.#term?.isCertain() === true
    this.#lead({ signal: work.signal, isCertain }).then(
      () => ended(),
      (error: unknown) => ended(work.signal.aborted && error === work.signal.reason ? undefined : { error }),
    )
  }

  /** Sends the request after the one before it, and after a pause of about `pauseMs`. Drops it if the candidacy or the work ends first. */
  #send(pauseMs: number, request: (signal: AbortSignal) => Promise<void>): void {
    const { clock, random } = this.#options
    const signal = this.#work?.signal ?? this.#until
    this.#request = this.#request.then(async () => {
      if (pauseMs > 0) await clock.sleep(pauseMs * (0.9 + random() * 0.2), signal).catch(() => undefined)
      if (!signal.aborted) await request(signal)
    })
  }

  async #read(signal: AbortSignal): Promise<void> {
    let event: ElectionEvent
    try {
      event = { is: 'read', record: await this.#bounded(this.#halfTermMs, signal, (within) => this.#get(within)) }
    } catch (error) {
      const isMissing = error instanceof KubernetesError && error.kind === 'not-found'
      event = isMissing ? { is: 'read', record: undefined } : { is: 'read-failed', error }
    }
    if (!signal.aborted) this.#apply(event)
  }

  async #write(record: LeaseRecord | undefined, signal: AbortSignal): Promise<void> {
    const { kubernetes, namespace, name, labels, identity, clock } = this.#options
    const hold = { holder: identity, durationMs: this.#durations.leaseMs, at: clock.now(), labels }
    const term = this.#startTerm()
    let event: ElectionEvent
    try {
      const { object } = await this.#bounded(this.#halfTermMs, signal, (within) =>
        record
          ? kubernetes.replace(leases, heldLease(record, hold), { signal: within })
          : kubernetes.create(leases, newLease({ namespace, name }, hold), { signal: within }),
      )
      event = { is: 'written', record: readLease(object) }
    } catch (error) {
      event = { is: 'write-failed', error }
    }
    // Work that must end gets no further term.
    const isGranted = event.is === 'written' && !signal.aborted
    if (isGranted) this.#term?.close()
    else term.close()
    if (isGranted) this.#term = term
    if (!signal.aborted) this.#apply(event)
  }

  #startTerm(): Term {
    const { clock, stopwatch } = this.#options
    const { renewMsMax } = this.#durations
    const elapsedMs = stopwatch()
    const timer = clock.after(renewMsMax, () => this.#apply({ is: 'term-expired' }))
    return { isCertain: () => elapsedMs() < renewMsMax, close: timer.cancel }
  }

  async #get(signal: AbortSignal): Promise<LeaseRecord> {
    const { kubernetes, namespace, name } = this.#options
    return readLease(await kubernetes.get(leases, { namespace, name }, { signal }))
  }

  #bounded<T>(ms: number, until: AbortSignal | undefined, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = () => new Error(`no answer within ${ms / 1000} s`)
    return withDeadline({ clock: this.#options.clock, ms, until, late }, request)
  }
}
