// Listens for one scale set: claims it, holds a message session, polls, hands over events and acknowledges. It goes on
// until it is closed. listener-state.ts decides each step; this file carries the steps out.
import type { Clock, Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { abortable, type LinkedSignal, linkSignals } from '@dayfly/kit/signals'
import type { ForgeEventBatch } from '@dayfly/runner-set/forge/forge'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { Deliveries } from '../../deliveries.ts'
import type { ActionsService } from '../calls/actions-api.ts'
import { badAnswer, GitHubError, isCut } from '../calls/errors.ts'
import { oncePolicy } from '../calls/retry.ts'
import type { Claim } from '../scale-set/claim.ts'
import type { CallHow } from '../scale-set/scale-set.ts'
import { SettingsCheck } from '../scale-set/settings-check.ts'
import type { VersionWatch } from '../version/version-watch.ts'
import { DemandReading } from './demand.ts'
import { forgeEventsOf } from './forge-events.ts'
import {
  deliveriesMax,
  initialState,
  type ListenerState,
  nextStep,
  type StepResult,
  sessionIdIn,
  sessionIn,
} from './listener-state.ts'
import { transition } from './listener-transition.ts'
import { MessageIntake } from './message-intake.ts'
import type { Message } from './messages.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import { createSession, deleteSession, type MessageSession, type PollAnswer } from './session.ts'

export type ListenerOptions = {
  readonly service: ActionsService
  readonly claim: Claim
  /** Named in the session, so that an operator can see who holds it. */
  readonly owner: string
  readonly anomalies: ReportAnomaly
  readonly versions: VersionWatch
  readonly until: AbortSignal
}

/** A poll that ends sooner without a response was not held, in milliseconds. */
const heldMsMin = 5_000

type Result = StepResult<MessageSession>

export class Listener {
  readonly #options: ListenerOptions
  readonly #closing: LinkedSignal
  readonly #clock: Clock
  readonly #random: Random
  readonly #deliveries: Deliveries
  readonly #demand = new DemandReading()
  readonly #intake: MessageIntake
  readonly #settings = new SettingsCheck()
  #state: ListenerState<MessageSession>
  /** The poll in progress, to interrupt it. */
  #polling: LinkedSignal | undefined
  /** The creation of a session in progress. It is never interrupted: a session that exists must be deleted again. */
  #opening: Promise<void> | undefined
  /** An error that another call has learned of; it takes the place of the next step. */
  #learned: GitHubError | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#closing = linkSignals(options.until)
    this.#clock = options.service.net.clock
    this.#random = options.service.net.random
    this.#deliveries = new Deliveries(this.#clock, (sentence) => options.anomalies('message-unhandled', sentence))
    this.#intake = new MessageIntake({ ...options, clock: this.#clock, signal: this.#closing.signal })
    this.#state = initialState(options.claim.rememberedSession)
  }

  async *events(): AsyncGenerator<ForgeEventBatch> {
    while (!this.#closing.signal.aborted) {
      const batch = await this.#next()
      if (batch) yield batch
    }
  }

  /** Interrupts the poll to announce a new maximum at once, and to compare the settings if they have changed. */
  reconfigure(change: { readonly settings: boolean }): void {
    if (change.settings) this.#settings.request()
    this.#polling?.abort(new Error('the configuration has changed'))
  }

  /** Another call has learned that the scale set is gone. The listener claims it again. */
  reportScaleSetGone(error: GitHubError): void {
    this.#learned = error
    this.#polling?.abort(error)
  }

  /** Ends the events, then deletes the session. */
  async close(how: CallHow): Promise<void> {
    this.#closing.abort(new Error('the link is closed'))
    this.#closing.dispose()
    await abortable(Promise.allSettled([this.#opening, this.#deliveries.idle()]), how.signal)
    const sessionId = sessionIdIn(this.#state)
    const { service, claim } = this.#options
    if (sessionId === undefined || claim.knownId === undefined) return
    await deleteSession(service, claim.knownId, sessionId, how)
    this.#state = initialState(undefined)
  }

  /** Returns the next batch, or undefined after a step without an event. Rejects only for a mistake in our own code. */
  async #next(): Promise<ForgeEventBatch | undefined> {
    const { signal } = this.#closing
    try {
      const waitMs = this.#state.resumeAt - this.#clock.now()
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal)
      const learned = this.#learned
      this.#learned = undefined
      if (learned) throw learned
      return (await this.#deliveries.settle(signal)) ?? (await this.#step())
    } catch (error) {
      if (signal.aborted) return undefined
      if (!(error instanceof GitHubError)) throw error
      return this.#deliver(this.#apply({ is: 'failed', error }))
    }
  }

  async #step(): Promise<ForgeEventBatch | undefined> {
    const now = this.#clock.now()
    const { versions } = this.#options
    const learned = versions.take()
    if (learned.length > 0) return this.#deliver(learned)
    const step = nextStep(this.#state, now)
    const how: CallHow = { policy: oncePolicy, signal: this.#closing.signal }
    if (step === 'claim') return this.#claimScaleSet(how)
    if (this.#settings.isDue(now)) return this.#checkSettings(how)
    if (step === 'open') return this.#deliver(await this.#openSession(how))
    const session = sessionIn(this.#state)
    if (!session) return undefined
    versions.begin(this.#closing.signal)
    return step === 'refresh' ? this.#deliver(await this.#refresh(session, how)) : this.#poll(session)
  }

  /** Returns the events of the transition. */
  #apply(result: Result): readonly ForgeEvent[] {
    const now = this.#clock.now()
    const demandKnown = this.#demand.jobs(now) !== undefined
    const { state, failing } = transition(this.#state, result, { now, random: this.#random, demandKnown })
    this.#state = state
    const error = 'error' in result ? result.error : undefined
    if (error?.reason === 'scale-set-gone') {
      this.#options.claim.forget()
      this.#intake.forget()
    }
    if (!failing) return []
    const event: ForgeEvent = { kind: 'failing', ...failing }
    return error?.reason === 'scale-set-collides' ? [this.#stateEvent(), event] : [event]
  }

  #deliver(events: readonly ForgeEvent[], onAck?: () => Promise<void> | void): ForgeEventBatch | undefined {
    return events.length === 0 ? undefined : this.#deliveries.deliver(events, onAck)
  }

  /** Creates the set only after the declaration is stored: see claim.ts. */
  async #claimScaleSet(how: CallHow): Promise<ForgeEventBatch | undefined> {
    const { claim } = this.#options
    if ((await claim.find(how)) === 'absent') {
      if (!claim.declared) {
        return this.#deliver([{ kind: 'state', state: claim.declaration() }], () => claim.declare())
      }
      await claim.create(how)
    }
    this.#settings.request()
    return this.#deliver([...this.#apply({ is: 'claimed' }), this.#stateEvent()])
  }

  async #checkSettings(how: CallHow): Promise<ForgeEventBatch | undefined> {
    this.#settings.begin()
    const alignment = await this.#options.claim.align(how)
    return this.#deliver(this.#settings.report(alignment, this.#clock.now(), this.#random))
  }

  async #openSession(how: CallHow): Promise<readonly ForgeEvent[]> {
    const { service, claim, owner } = this.#options
    await this.#deleteOldSession(how)
    const asked = this.#clock.now()
    let events: readonly ForgeEvent[] = []
    this.#opening = createSession(service, claim.id, owner).then((session) => {
      this.#readStatistics(session)
      const opened = this.#apply({ is: 'opened', session, tookMs: this.#clock.now() - asked })
      events = [...opened, this.#stateEvent(), ...this.#demandEvents(asked)]
    })
    await abortable(this.#opening, this.#closing.signal)
    return [...events, ...this.#requireDemand()]
  }

  async #deleteOldSession(how: CallHow): Promise<void> {
    const { service, claim, anomalies } = this.#options
    const old = sessionIdIn(this.#state)
    if (old === undefined) return
    try {
      await deleteSession(service, claim.id, old, how)
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      anomalies('session-left', `The old message session could not be deleted: ${error.message}`, error.details)
    }
  }

  async #refresh(session: MessageSession, how: CallHow): Promise<readonly ForgeEvent[]> {
    const asked = this.#clock.now()
    try {
      await session.refresh(how)
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error
      this.#options.anomalies(
        'refresh-failed',
        `The message session could not be refreshed: ${error.message}`,
        error.details,
      )
      return this.#apply({ is: 'refresh-failed', error })
    }
    this.#readStatistics(session)
    return [...this.#apply({ is: 'refreshed' }), ...this.#demandEvents(asked), ...this.#requireDemand()]
  }

  async #poll(session: MessageSession): Promise<ForgeEventBatch | undefined> {
    const asked = this.#clock.now()
    const polling = linkSignals(this.#closing.signal)
    this.#polling = polling
    let answer: PollAnswer
    try {
      answer = await session.poll(this.#cursor(), this.#options.claim.set.max, polling.signal)
    } catch (error) {
      if (polling.signal.aborted && !this.#closing.signal.aborted) return undefined
      const wasHeld = this.#clock.now() - asked >= heldMsMin
      if (wasHeld && isCut(error)) return this.#deliver(this.#apply({ is: 'cut' }))
      throw error
    } finally {
      polling.dispose()
      this.#polling = undefined
    }
    if (answer.is === 'message') return this.#receive(answer.message, session)
    if (answer.is === 'unreadable') {
      const { phase } = this.#state
      const isLast = phase.is === 'polling' && phase.counts.unreadable + 1 >= deliveriesMax
      return this.#deliver(this.#apply(await this.#intake.reject(answer, session, isLast)))
    }
    if (answer.is === 'empty')
      this.#options.anomalies('answer-empty', 'GitHub answered a poll with 200 and no content.')
    const now = this.#clock.now()
    const events = [...this.#apply({ is: 'nothing', tookMs: now - asked }), ...this.#demandEvents(now)]
    if (!this.#demand.isOfMessage || sessionIn(this.#state) !== session) return this.#deliver(events)
    const how: CallHow = { policy: oncePolicy, signal: this.#closing.signal }
    return this.#deliver([...events, ...(await this.#refresh(session, how))])
  }

  async #receive(message: Message, session: MessageSession): Promise<ForgeEventBatch | undefined> {
    const result = await this.#intake.receive(message, session)
    if (result.is === 'repeated') return this.#deliver(this.#apply(result))
    const now = this.#clock.now()
    this.#demand.message(message, now)
    const events = [...this.#apply(result), ...forgeEventsOf(message, now), ...this.#demandEvents(now)]
    for (const event of events) if (event.kind === 'job-started') this.#options.versions.jobStarted(event.runner)
    const acknowledge = () => this.#acknowledge(message, session)
    if (events.length > 0) return this.#deliver(events, acknowledge)
    await acknowledge()
    return undefined
  }

  async #acknowledge(message: Message, session: MessageSession): Promise<void> {
    this.#intake.markHandled(message, session)
    await session.acknowledge(String(message.id))
    this.#apply({ is: 'acknowledged', sessionId: session.id, messageId: String(message.id) })
  }

  #cursor(): string | undefined {
    const { phase } = this.#state
    return phase.is === 'claiming' ? undefined : phase.cursor
  }

  #stateEvent(): ForgeEvent {
    return { kind: 'state', state: this.#options.claim.state(sessionIdIn(this.#state)) }
  }

  #demandEvents(at: Instant): readonly ForgeEvent[] {
    const jobs = this.#demand.jobs(at)
    if (jobs === undefined) return []
    const countedAt = this.#demand.countedAt(at)
    const { runners } = this.#demand
    const more = { ...(countedAt < at ? { countedAt } : {}), ...(runners ? { runners } : {}) }
    return [{ kind: 'demand', demand: { kind: 'assigned', jobs }, at, ...more }]
  }

  /** If the session has no statistics, the last known ones stay valid. */
  #readStatistics({ statistics }: MessageSession): void {
    this.#demand.state(statistics)
    if (!statistics) this.#options.anomalies('statistics-missing', 'A message session came without statistics.')
  }

  /** Unknown is never zero: a session without statistics is a failure until a refresh or a message brings some. */
  #requireDemand(): readonly ForgeEvent[] {
    if (this.#demand.jobs(this.#clock.now()) !== undefined) return []
    return this.#apply({ is: 'without-statistics', error: badAnswer('the message session has no statistics') })
  }
}
