// The virtual time of the simulation of lives. A wheel of milliseconds over typed arrays: an event costs the same with a hundred or a million of them.
import type { Instant } from '@dayfly/kit/clock'

/** @param subject the number of a life or of a parcel, by the meaning of the handler */
type Handler = (subject: number) => void

/** No event lies further ahead: about 17 minutes. */
const spanMs = 2 ** 20
const mask = spanMs - 1
const none = -1

export class EventQueue {
  #now: Instant
  readonly #handlers: Handler[] = []
  readonly #first = new Int32Array(spanMs).fill(none)
  readonly #last = new Int32Array(spanMs).fill(none)
  #next = new Int32Array(1_024)
  #handler = new Uint16Array(1_024)
  #subject = new Int32Array(1_024)
  #used = 0
  #free = none

  constructor(startAt: Instant) {
    this.#now = startAt
  }

  now(): Instant {
    return this.#now
  }

  /** Returns the number by which events name this handler. */
  handler(run: Handler): number {
    return this.#handlers.push(run) - 1
  }

  /** Events of the same millisecond run in the order of these calls. */
  after(ms: number, handler: number, subject: number): void {
    if (ms >= spanMs) throw new Error(`an event in ${ms} ms lies too far ahead`)
    const event = this.#take()
    this.#handler[event] = handler
    this.#subject[event] = subject
    const place = (this.#now + Math.max(0, Math.round(ms))) & mask
    const last = this.#last[place] ?? none
    if (last === none) this.#first[place] = event
    else this.#next[last] = event
    this.#last[place] = event
  }

  /** Runs every event before `until`. */
  runUntil(until: Instant): void {
    while (this.#now < until) {
      const place = this.#now & mask
      for (let event = this.#first[place] ?? none; event !== none; event = this.#first[place] ?? none) {
        const following = this.#next[event] ?? none
        this.#first[place] = following
        if (following === none) this.#last[place] = none
        const run = this.#handlers[this.#handler[event] ?? 0]
        const subject = this.#subject[event] ?? 0
        this.#next[event] = this.#free
        this.#free = event
        run?.(subject)
      }
      this.#now++
    }
  }

  /** Returns the place of a new event, which nothing follows. */
  #take(): number {
    const event = this.#free === none ? this.#used++ : this.#free
    if (event === this.#next.length) this.#grow()
    else if (event === this.#free) this.#free = this.#next[event] ?? none
    this.#next[event] = none
    return event
  }

  #grow(): void {
    const size = this.#next.length * 2
    const [next, handler, subject] = [new Int32Array(size), new Uint16Array(size), new Int32Array(size)]
    next.set(this.#next)
    handler.set(this.#handler)
    subject.set(this.#subject)
    this.#next = next
    this.#handler = handler
    this.#subject = subject
  }
}

/** One timer. An earlier time replaces a later one. */
export class Alarm {
  readonly #queue: EventQueue
  readonly #handler: number
  #at: Instant = Number.POSITIVE_INFINITY

  constructor(queue: EventQueue, run: () => void) {
    this.#queue = queue
    this.#handler = queue.handler(() => {
      if (queue.now() < this.#at) return
      this.#at = Number.POSITIVE_INFINITY
      run()
    })
  }

  /** A time further ahead than the queue reaches comes sooner: the run then sets the alarm again. */
  at(instant: Instant): void {
    if (this.#at <= instant) return
    const ms = Math.min(Math.max(0, instant - this.#queue.now()), spanMs - 1)
    this.#at = this.#queue.now() + Math.round(ms)
    this.#queue.after(ms, this.#handler, 0)
  }
}

/** Values on their way, by the number that an event carries. */
export class Parcels<Value> {
  readonly #values: (Value | undefined)[] = []
  readonly #free: number[] = []

  put(value: Value): number {
    const place = this.#free.pop() ?? this.#values.length
    this.#values[place] = value
    return place
  }

  take(place: number): Value {
    const value = this.#values[place]
    if (value === undefined) throw new Error(`there is no parcel ${place}`)
    this.#values[place] = undefined
    this.#free.push(place)
    return value
  }
}
