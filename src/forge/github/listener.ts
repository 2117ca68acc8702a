// The loop of one scale set: claim it, hold a session, poll, tell, acknowledge; for ever, whatever the forge does.

import { backoffMs } from '../../lib/backoff.ts'
import type { Clock, Instant } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import { type LinkedSignal, linkSignals } from '../../lib/signals.ts'
import type { ForgeEvent, ForgeEventBatch } from '../forge.ts'
import type { ActionsService } from './actions-api.ts'
import type { Claim } from './claim.ts'
import { Deliveries } from './deliveries.ts'
import { DemandReading } from './demand.ts'
import { badAnswer, GitHubError, isGitHubError } from './errors.ts'
import { failureOf, waitAfter } from './failure-of-error.ts'
import { forgeEventsOf } from './forge-events.ts'
import { type Message, readMessage } from './messages.ts'
import { Offers } from './offers.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import { abortable, oncePolicy } from './retry.ts'
import type { CallHow } from './scale-set.ts'
import { createSession, deleteSession, type MessageSession } from './session.ts'

export type ListenerOptions = {
  readonly service: ActionsService
  readonly claim: Claim
  /** The ceiling that is announced with every poll; never 0. */
  readonly capacity: () => number
  /** Named in the session, for whoever wonders who holds it. */
  readonly owner: string
  readonly anomalies: ReportAnomaly
  readonly until: AbortSignal
}

const repeatsMax = 3
/** An answer of "nothing" that comes sooner than this did not wait for anything. */
const hastyMs = 100
const rememberedMessages = 100

export class Listener {
  readonly #options: ListenerOptions
  readonly #closing: LinkedSignal
  readonly #clock: Clock
  readonly #random: Random
  readonly #deliveries: Deliveries
  readonly #demand = new DemandReading()
  readonly #offers = new Offers()
  /** Messages whose effects were taken over; they may come again. */
  readonly #handled = new Set<number>()
  #session: MessageSession | undefined
  #opening: Promise<MessageSession> | undefined
  /** The session to give back before a new one is asked for. */
  #oldSession: string | undefined
  #cursor = 0
  #polling: LinkedSignal | undefined
  #pauseMs = 0
  /** In a row: failed tries, polls that returned nothing at once, messages that had been handled. */
  #failures = 0
  #failingSince: Instant | undefined
  #hasty = 0
  #repeats = 0
  #told: string | undefined
  #learned: GitHubError | undefined

  constructor(options: ListenerOptions) {
    this.#options = options
    this.#closing = linkSignals(options.until)
    this.#clock = options.service.net.clock
    this.#random = options.service.net.random
    this.#deliveries = new Deliveries(this.#clock, options.anomalies)
    this.#oldSession = options.claim.rememberedSession
  }

  async *events(): AsyncGenerator<ForgeEventBatch> {
    while (!this.#closing.signal.aborted) {
      const batch = await this.#next()
      if (batch) yield batch
    }
  }

  /** The ceiling has changed: the poll under way still announces the old one. */
  restartPoll(): void {
    this.#polling?.abort(new Error('the ceiling has changed'))
  }

  /** Another call learned from the service that the scale set is gone: the loop takes it from here. */
  loseScaleSet(error: GitHubError): void {
    this.#learned = error
    this.restartPoll()
  }

  /** Ends the news, then gives the session back. */
  async close(how: CallHow): Promise<void> {
    this.#closing.abort(new Error('the link is closed'))
    this.#closing.dispose()
    await abortable(Promise.allSettled([this.#opening, this.#deliveries.idle()]), how.signal)
    const sessionId = this.#session?.id ?? this.#oldSession
    const { service, claim } = this.#options
    if (sessionId === undefined || claim.knownId === undefined) return
    await deleteSession(service, claim.knownId, sessionId, how)
    this.#session = undefined
    this.#oldSession = undefined
  }

  /** The next batch, or undefined after a step that has nothing to tell. Rejects only for our own mistakes. */
  async #next(): Promise<ForgeEventBatch | undefined> {
    try {
      const pauseMs = this.#pauseMs
      this.#pauseMs = 0
      if (pauseMs > 0) await this.#clock.sleep(pauseMs, this.#closing.signal)
      const learned = this.#learned
      this.#learned = undefined
      if (learned) throw learned
      return (await this.#deliveries.settle(this.#closing.signal)) ?? (await this.#advance())
    } catch (error) {
      if (this.#closing.signal.aborted) return undefined
      if (!(error instanceof GitHubError)) throw error
      return this.#fail(error)
    }
  }

  async #advance(): Promise<ForgeEventBatch | undefined> {
    if (!this.#options.claim.current) return this.#claimScaleSet()
    const session = this.#session
    if (!session) return this.#openSession()
    const how: CallHow = { policy: oncePolicy, signal: this.#closing.signal }
    if (this.#told !== undefined) {
      const asked = this.#clock.now()
      await session.refresh(how)
      this.#recover(session)
      return this.#deliveries.deliver(this.#demandEvents(asked))
    }
    if (session.isRenewalDue(this.#clock.now())) await session.refresh(how)
    return this.#poll(session)
  }

  /** The set is created only after it is stored that we are about to: see claim.ts. */
  async #claimScaleSet(): Promise<ForgeEventBatch> {
    const { claim } = this.#options
    const how: CallHow = { policy: oncePolicy, signal: this.#closing.signal }
    if ((await claim.find(how)) === 'absent') {
      if (!claim.declared)
        return this.#deliveries.deliver([{ kind: 'state', state: claim.declaration() }], () => claim.declare())
      await claim.create(how)
    }
    return this.#deliveries.deliver([{ kind: 'state', state: claim.state(this.#oldSession) }])
  }

  async #openSession(): Promise<ForgeEventBatch> {
    const { service, claim, owner, anomalies } = this.#options
    const { signal } = this.#closing
    if (this.#oldSession !== undefined) {
      const left = await deleteSession(service, claim.id, this.#oldSession, { policy: oncePolicy, signal }).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (signal.aborted) throw signal.reason
      if (left instanceof GitHubError)
        anomalies('session-left', `The old message session stays: ${left.message}`, left.details)
    }
    // Not bound to the signal: a session that is being made must be known, to be given back.
    this.#opening = createSession(service, claim.id, owner)
    this.#opening.then(
      (session) => {
        this.#session = session
      },
      () => undefined,
    )
    const asked = this.#clock.now()
    const session = await abortable(this.#opening, signal)
    this.#oldSession = session.id
    this.#recover(session)
    return this.#deliveries.deliver([{ kind: 'state', state: claim.state(session.id) }, ...this.#demandEvents(asked)])
  }

  async #poll(session: MessageSession): Promise<ForgeEventBatch | undefined> {
    const asked = this.#clock.now()
    const polling = linkSignals(this.#closing.signal)
    this.#polling = polling
    try {
      const answer = await session.poll(this.#cursor, this.#options.capacity(), polling.signal)
      const message = answer.is === 'message' ? readMessage(answer.value) : undefined
      if (answer.is === 'message' && !message) throw badAnswer('a message has no id')
      this.#forgive()
      this.#failures = 0
      if (message) return await this.#receive(message, session)
      if (answer.is === 'empty')
        this.#options.anomalies('answer-empty', 'A poll was answered with 200 and nothing in it.')
      this.#hasty = this.#clock.now() - asked < hastyMs ? this.#hasty + 1 : 0
      if (this.#hasty > 0) this.#pauseMs = this.#backoff(this.#hasty)
      return this.#deliveries.deliver(this.#demandEvents(this.#clock.now()))
    } catch (error) {
      if (polling.signal.aborted && !this.#closing.signal.aborted) return undefined
      throw error
    } finally {
      polling.dispose()
      this.#polling = undefined
    }
  }

  async #receive(message: Message, session: MessageSession): Promise<ForgeEventBatch | undefined> {
    const { anomalies } = this.#options
    if (this.#handled.has(message.id)) return this.#repeat(message.id, session)
    this.#repeats = 0
    for (const sentence of message.unread) anomalies('message-unreadable', sentence)
    await this.#offers.acquire(message, session, this.#options, this.#closing.signal)
    const now = this.#clock.now()
    this.#demand.message(message, now)
    return this.#deliveries.deliver([...forgeEventsOf(message, now), ...this.#demandEvents(now)], () =>
      this.#acknowledge(message.id, session),
    )
  }

  /** A message whose effects were taken over is only acknowledged again. One that cannot be acknowledged is passed over at last: it must not block the next. */
  async #repeat(messageId: number, session: MessageSession): Promise<undefined> {
    this.#repeats++
    this.#options.anomalies('message-repeated', `Message ${messageId} came again.`)
    if (this.#repeats > 1) this.#pauseMs = this.#backoff(this.#repeats)
    try {
      await session.acknowledge(messageId)
      this.#cursor = messageId
    } catch (error) {
      if (this.#repeats < repeatsMax || !(error instanceof GitHubError)) throw error
      this.#options.anomalies(
        'acknowledge-failed',
        `Message ${messageId} cannot be deleted: ${error.message}`,
        error.details,
      )
      this.#cursor = messageId
    }
  }

  async #acknowledge(messageId: number, session: MessageSession): Promise<void> {
    this.#handled.add(messageId)
    const [oldest] = this.#handled
    if (this.#handled.size > rememberedMessages && oldest !== undefined) this.#handled.delete(oldest)
    await session.acknowledge(messageId)
    if (this.#session === session) this.#cursor = messageId
  }

  #demandEvents(at: Instant): readonly ForgeEvent[] {
    const jobs = this.#demand.jobs(at)
    return jobs === undefined ? [] : [{ kind: 'demand', demand: { kind: 'assigned', jobs }, at }]
  }

  /** Takes the session's own statistics. Where it has none, what was known before stands; where nothing was known, nothing is. */
  #recover(session: MessageSession): void {
    this.#demand.state(session.statistics)
    if (!session.statistics) {
      this.#options.anomalies('statistics-missing', 'A message session came without statistics.')
      if (this.#demand.jobs(this.#clock.now()) === undefined) throw badAnswer('the message session has no statistics')
    }
    this.#forgive()
  }

  /** Demand is known again. Only an answered poll ends the row of failures: a session that opens and is lost at once must not be opened without a pause. */
  #forgive(): void {
    this.#failingSince = undefined
    this.#told = undefined
  }

  /** Notes what is lost, sets the pause, and tells the trouble once for as long as it stays the same. */
  #fail(error: GitHubError): ForgeEventBatch | undefined {
    const now = this.#clock.now()
    const connected = this.#session !== undefined && this.#demand.jobs(now) !== undefined
    this.#failures++
    this.#failingSince ??= now
    const lost = isGitHubError(error, 'session-gone', 'token-refused')
    if (lost) this.#session = undefined
    if (error.reason === 'scale-set-gone') this.#forgetScaleSet()
    const first = this.#failures === 1
    if (first && connected && lost) return undefined
    this.#pauseMs = waitAfter(error, this.#failures, now, this.#random)
    // One reset or one 502 beside a session that works is not worth alarm; a second one, or silence, is.
    if (first && connected && isGitHubError(error, 'unreachable', 'server-failed', 'bad-answer')) return undefined
    const failure = failureOf(error)
    const words = `${failure.reason} ${error.reason} ${error.status}`
    if (words === this.#told) return undefined
    this.#told = words
    const failing: ForgeEvent = { kind: 'failing', failure, since: this.#failingSince }
    const collides = error.reason === 'scale-set-collides'
    const state: ForgeEvent = { kind: 'state', state: this.#options.claim.state(this.#oldSession) }
    return this.#deliveries.deliver(collides ? [state, failing] : [failing])
  }

  #forgetScaleSet(): void {
    this.#options.claim.lose()
    this.#session = undefined
    this.#cursor = 0
    this.#handled.clear()
  }

  #backoff(times: number): number {
    return backoffMs({ baseMs: 500, capMs: 10_000 }, times, this.#random)
  }
}
