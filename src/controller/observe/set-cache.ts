// What watches, the forge and our own writes have told of one set: facts in, a world out. It never asks anybody.
import { desiredRunners } from '../../core/desired.ts'
import { runnerPrefix, templateHash } from '../../core/pod.ts'
import type { Instant } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import type { Decision } from '../../model/action.ts'
import type { Demand } from '../../model/demand.ts'
import type { JournalEvent } from '../../model/event.ts'
import type { Failure } from '../../model/failure.ts'
import type { Limits } from '../../model/limits.ts'
import type { JobRef, PodFacts, Reading, Registration, Runner, StartFailure } from '../../model/runner.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { SetWorld, TemplateVerdict } from '../../model/world.ts'
import { ConditionTimes, type StoredStatus } from './condition-times.ts'
import { Debts } from './debts.ts'
import { Departures } from './departures.ts'
import { failedStart, noHistory, remember, succeeded } from './failure-history.ts'
import { ForgeReadings } from './forge-readings.ts'
import { blankRunner, droppedByForge, withListedRegistration, withPod } from './runner-facts.ts'
import { RunnerTable } from './runner-table.ts'
import { transitionEvents } from './transitions.ts'

export type SetCacheOptions = {
  readonly set: RunnerSet
  readonly limits: Limits
  readonly random: Random
  readonly journal: (event: JournalEvent) => void
}

/** ForgeEvent of a runner's job may follow its end: so long a registration of a runner without a known job is left alone. */
const lateEventMs = 5_000

export class SetCache {
  readonly table = new RunnerTable()
  readonly debts = new Debts()
  readonly forge = new ForgeReadings()
  readonly conditions = new ConditionTimes()
  readonly underway = { checkTemplate: false, askRegistrations: false, report: false }
  /** What was written to the set's status last. */
  reported: SetWorld['reported']
  readonly #limits: Limits
  readonly #random: Random
  readonly #journal: (event: JournalEvent) => void
  readonly #departures = new Departures()
  /** Names whose pod we know to be gone while the watch may still tell of it. */
  readonly #gone = new Set<string>()
  #set: RunnerSet
  #hash: string
  #template: Reading<TemplateVerdict> = { known: false, since: 0, why: 'not checked yet' }
  #pods: Reading<true> = { known: false, since: 0, why: 'the pods have not been listed yet' }
  #history = noHistory

  constructor(options: SetCacheOptions) {
    this.#set = options.set
    this.#hash = templateHash(options.set)
    this.#limits = options.limits
    this.#random = options.random
    this.#journal = options.journal
  }

  get set(): RunnerSet {
    return this.#set
  }

  /** The set was changed by its owner. A new template starts with a clean history. */
  setChanged(set: RunnerSet): void {
    const hash = templateHash(set)
    if (hash !== this.#hash) this.#history = noHistory
    this.#set = set
    this.#hash = hash
  }

  /** What an earlier leader wrote into the set's status: nothing that safety needs lives only in memory. */
  restore(status: unknown): void {
    const { conditions = [], forge = {} } = (status ?? {}) as StoredStatus
    this.conditions.seed(conditions)
    this.forge.state = forge
  }

  // What the cluster tells.

  podSeen(name: string, facts: PodFacts, at: Instant): void {
    if (this.#gone.has(name)) return
    this.#put(name, withPod(this.table.get(name) ?? blankRunner(name, at), facts, at), at)
  }

  podGone(name: string, at: Instant): void {
    this.#gone.delete(name)
    const before = this.table.get(name)
    if (!before) return
    const expected = before.ending || (before.pod.is === 'present' && before.pod.value.end !== undefined)
    if (expected && !this.table.isUnderway(name)) this.forget(name, at)
    else this.#put(name, { ...before, pod: { is: 'absent', at } }, at)
  }

  /** A complete list: what was known before it was asked for and is not in it is gone. */
  podsListed(pods: ReadonlyMap<string, PodFacts>, askedAt: Instant, now: Instant): void {
    for (const name of this.#gone) if (!pods.has(name)) this.#gone.delete(name)
    for (const [name, facts] of pods) this.podSeen(name, facts, askedAt)
    for (const name of [...this.table.names()]) {
      const pod = this.table.get(name)?.pod
      if (!pod || pods.has(name)) continue
      const before = pod.is === 'unknown' ? pod.since : pod.at
      if (before <= askedAt && !(pod.is === 'unknown' && this.table.isUnderway(name))) this.podGone(name, now)
    }
    this.podsRead({ known: true, value: true, at: askedAt })
  }

  /** Whether the watch may be believed: after it was broken for long what it told may be wrong. */
  podsRead(reading: Reading<true>): void {
    this.#pods = reading
  }

  // What we do ourselves.
  /** A name is taken for a runner that is about to be registered and created. */
  asked(name: string, at: Instant): void {
    this.#put(name, blankRunner(name, at), at)
    this.table.begin(name)
  }

  registered(name: string, registration: Registration, at: Instant): void {
    const before = this.table.get(name)
    if (before) this.#put(name, { ...before, registration: { is: 'present', value: registration, at } }, at)
  }

  /** The runner is over for us: its pod is gone, or never came to be. What is owed to the forge is remembered. */
  forget(name: string, at: Instant): void {
    const before = this.table.get(name)
    if (!before) return
    this.table.put(name, undefined)
    if (before.pod.is === 'present') this.#gone.add(name)
    this.#owe(before, at)
    const ended = before.pod.is === 'present' && before.pod.value.end !== undefined
    const { namespace, name: set } = this.#set
    this.#journal({ kind: 'runner-gone', namespace, set, runner: name, because: ended ? 'ended' : 'removed' })
  }

  /** Its pod is about to be deleted by us. */
  ending(name: string, at: Instant): void {
    const before = this.table.get(name)
    if (before) this.#put(name, { ...before, ending: true }, at)
  }

  /** The forge removed its registration: nothing is owed, and no job can reach it. */
  deregistered(name: string, at: Instant): void {
    const before = this.table.get(name)
    if (before) this.#put(name, { ...before, registration: { is: 'absent', at } }, at)
    this.debts.clear(name)
  }

  /** The forge says that it has a job, whatever we know of it. */
  refusedAsBusy(name: string, at: Instant): void {
    const before = this.table.get(name)
    if (before?.registration.is !== 'present') return
    const value = { ...before.registration.value, busy: true }
    this.#put(name, { ...before, registration: { is: 'present', value, at } }, at)
  }

  explained(name: string, startFailure: StartFailure | undefined, at: Instant): void {
    const before = this.table.get(name)
    if (!before) return
    this.#put(name, { ...before, explained: startFailure, explainedAt: at }, at)
    if (startFailure) this.#history = remember(this.#history, startFailure, name, at)
  }

  templateChecked(verdict: TemplateVerdict): void {
    this.#template = { known: true, value: verdict, at: verdict.at }
  }

  /** A runner failed before it had a job. */
  failedToStart(failure: Failure, runner: string | undefined, at: Instant): void {
    this.#history = failedStart(this.#history, { failure, runner, at }, this.#limits.startBackoffMs, this.#random)
    if (runner !== undefined) this.#departures.settle(runner)
  }

  // What the forge tells.

  demandTold(demand: Demand, at: Instant, now: Instant): void {
    if (!this.forge.demandTold(demand, at, now)) return
    this.#journal({ kind: 'demand-changed', namespace: this.#set.namespace, set: this.#set.name, demand })
  }

  jobStarted(name: string, job: JobRef, now: Instant): void {
    this.forge.quietSince = now
    this.#history = succeeded(this.#history)
    this.#departures.jobStarted(name)
    const before = this.table.get(name)
    if (before && !before.job) this.#put(name, { ...before, job }, now)
  }

  jobFinished(name: string, jobId: string, result: string, now: Instant): void {
    this.forge.quietSince = now
    this.#departures.settle(name)
    this.debts.clear(name)
    const before = this.table.get(name)
    if (!before || before.job?.finished) return
    const job = before.job ?? { id: jobId, name: '', repository: '', startedAt: now, finished: undefined }
    this.#put(name, { ...before, job: { ...job, finished: { result, at: now } } }, now)
  }

  /** A complete answer of the forge. */
  registrationsListed(registrations: readonly Registration[], askedAt: Instant): void {
    if (!this.forge.registrationsTold(registrations.length, askedAt)) return
    const prefix = runnerPrefix(this.#set)
    const byName = new Map(registrations.map((registration) => [registration.name, registration]))
    for (const name of [...this.table.names()]) {
      const before = this.table.get(name)
      if (before) this.#put(name, withListedRegistration(before, byName.get(name), askedAt), askedAt)
    }
    for (const registration of registrations) {
      const ours = registration.name.startsWith(prefix)
      if (ours && !this.table.get(registration.name)) this.debts.add(registration, askedAt)
    }
    for (const { registration } of this.debts.all()) {
      if (!byName.has(registration.name)) this.debts.clear(registration.name)
    }
  }

  // The world, and what was decided on it.

  world(now: Instant, allowance: SetWorld['allowance']): SetWorld {
    const { demand } = this.forge
    const demandAt = demand.known ? demand.at : undefined
    this.#departures.prune(demandAt, (name) => this.debts.has(name), this.#limits.jobLeaseMs, now)
    return {
      set: this.#set,
      templateHash: this.#hash,
      template: this.#template,
      demand,
      quietSince: this.forge.quietSince,
      counts: this.#pods.known ? { known: true, value: this.table.counts(), at: this.#pods.at } : this.#pods,
      attention: this.table.takeAttention(now),
      surplus: this.#surplus(now),
      departed: this.#departures.all(),
      debts: this.debts.all(),
      history: this.#history,
      allowance,
      forgeFailure: this.forge.failure,
      registrationsAt: this.forge.registrationsAt,
      registrationsDoubtful: this.forge.registrationsDoubtful,
      underway: { ...this.underway },
      reported: this.reported,
      forgeState: this.forge.state,
    }
  }

  /** Looked for only when there can be one: it costs a look at every runner. */
  #surplus(now: Instant): readonly Runner[] {
    const { demand, quietSince } = this.forge
    if (!demand.known || now < quietSince + this.#limits.quietMs) return []
    const { starting, idle, busy } = this.table.counts()
    const extra = starting + idle + busy - desiredRunners(demand.value, this.#set.scale, busy)
    return extra > 0 ? this.table.oldestWaiting(Math.min(extra, this.#limits.surplusPerTick)) : []
  }

  /** Keeps what the decision tells, and when it wants to look again. */
  decided(decision: Decision, now: Instant): void {
    for (const event of decision.events) {
      if (event.kind === 'runner-delayed') this.explained(event.runner, { ...event.failure, since: event.since }, now)
    }
    for (const { runner, at } of decision.due) this.table.lookAgain(runner, at)
  }

  #put(name: string, after: Runner, now: Instant): void {
    const change = this.table.put(name, after)
    // What we end ourselves is no failure when it is gone.
    const told = this.table.isUnderway(name) && after.pod.is === 'absent' ? [] : transitionEvents(this.#set, change)
    for (const event of told) {
      this.#journal(event)
      if (event.kind === 'runner-ended') {
        this.#owe(after, now)
        this.#depart(after, now)
      }
      if (event.kind === 'runner-failed') this.#failed(event.failure, after, now)
    }
  }

  /** With a job its failure is told and its job stays counted at the forge; without one its replacement waits. */
  #failed(failure: Failure, runner: Runner, now: Instant): void {
    if (runner.job) {
      this.#history = remember(this.#history, failure, runner.name, now)
      this.#depart(runner, now)
    } else {
      this.failedToStart(failure, runner.name, now)
    }
  }

  /** What the forge has not dropped by itself is to be removed, whether or not the pod is kept: nothing waits for that. */
  #owe(runner: Runner, now: Instant): void {
    const { registration, job, pod } = runner
    if (registration.is !== 'present' || droppedByForge(runner)) return
    const early = pod.is === 'present' && pod.value.end?.exitCode === 0 && !job
    this.debts.add(registration.value, now + (job ? 0 : lateEventMs), early)
  }

  #depart({ name, job }: Runner, now: Instant): void {
    if (!job?.finished) this.#departures.add({ name, at: now, jobOpen: job !== undefined })
  }
}
