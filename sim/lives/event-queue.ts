// The virtual time of the simulation of lives. A wheel of milliseconds over typed arrays: an event costs the same with a hundred or a million of them.
import type { Instant } from '@dayfly/kit/clock'

/** @param subject the number of a life or of a parcel, by the meaning of the handler */
type Handler = (subject: number) => void

/** No event lies further ahead: about 17 minutes. */
const spanMs = 2 ** 20
const mask = spanMs - 1
const none = -1

export class EventQueue {
  readonly #handlers: Handler[] = []
  readonly memory = {
    now: 0 as Instant,
    first: new Int32Array(spanMs).fill(none),
    last: new Int32Array(spanMs).fill(none),
    next: new Int32Array(1_024),
    handler: new Uint16Array(1_024),
    subject: new Int32Array(1_024),
    used: 0,
    free: none,
  }

  constructor(startAt: Instant) {
    this.memory.now = startAt
  }

  now(): Instant {
    return this.memory.now
  }

  /** Returns the number by which events name this handler. */
  handler(run: Handler): number {
    return this.#handlers.push(run) - 1
  }

  /** Events of the same millisecond run in the order of these calls. */
  after(ms: number, handler: number, subject: number): void {
    if (ms >= spanMs) throw new Error(`an event in ${ms} ms lies too far ahead`)
    const event = this.#take()
    this.memory.handler[event] = handler
    this.memory.subject[event] = subject
    const place = (this.memory.now + Math.max(0, Math.round(ms))) & mask
    const last = this.memory.last[place] ?? none
    if (last === none) this.memory.first[place] = event
    else this.memory.next[last] = event
    this.memory.last[place] = event
  }

  /** Runs every event before `until`. */
  runUntil(until: Instant): void {
    while (this.memory.now < until) {
      const place = this.memory.now & mask
      for (let event = this.memory.first[place] ?? none; event !== none; event = this.memory.first[place] ?? none) {
        const following = this.memory.next[event] ?? none
        this.memory.first[place] = following
        if (following === none) this.memory.last[place] = none
        const run = this.#handlers[this.memory.handler[event] ?? 0]
        const subject = this.memory.subject[event] ?? 0
        this.memory.next[event] = this.memory.free
        this.memory.free = event
        run?.(subject)
      }
      this.memory.now++
    }
  }

  /** Returns the place of a new event, which nothing follows. */
  #take(): number {
    const event = this.memory.free === none ? this.memory.used++ : this.memory.free
    if (event === this.memory.next.length) this.#grow()
    else if (event === this.memory.free) this.memory.free = this.memory.next[event] ?? none
    this.memory.next[event] = none
    return event
  }

  #grow(): void {
    const size = this.memory.next.length * 2
    const [next, handler, subject] = [new Int32Array(size), new Uint16Array(size), new Int32Array(size)]
    next.set(this.memory.next)
    handler.set(this.memory.handler)
    subject.set(this.memory.subject)
    this.memory.next = next
    this.memory.handler = handler
    this.memory.subject = subject
  }
}

/** One timer. An earlier time replaces a later one. */
export class Alarm {
  readonly #queue: EventQueue
  readonly #handler: number
  readonly memory = { at: Number.POSITIVE_INFINITY as Instant }

  constructor(queue: EventQueue, run: () => void) {
    this.#queue = queue
    this.#handler = queue.handler(() => {
      if (queue.now() < this.memory.at) return
      this.memory.at = Number.POSITIVE_INFINITY
      run()
    })
  }

  /** A time further ahead than the queue reaches comes sooner: the run then sets the alarm again. */
  at(instant: Instant): void {
    if (this.memory.at <= instant) return
    const ms = Math.min(Math.max(0, instant - this.#queue.now()), spanMs - 1)
    this.memory.at = this.#queue.now() + Math.round(ms)
    this.#queue.after(ms, this.#handler, 0)
  }
}

/** Values on their way, by the number that an event carries. */
export class Parcels<Value> {
  readonly memory: { readonly values: (Value | undefined)[]; readonly free: number[] } = { values: [], free: [] }

  put(value: Value): number {
    const place = this.memory.free.pop() ?? this.memory.values.length
    this.memory.values[place] = value
    return place
  }

  take(place: number): Value {
    const value = this.memory.values[place]
    if (value === undefined) throw new Error(`there is no parcel ${place}`)
    this.memory.values[place] = undefined
    this.memory.free.push(place)
    return value
  }
}
