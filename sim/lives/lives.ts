// The lives of one set as they really are, in columns: what the cluster and the forge have of each. The core never sees this table.
import type { PodFacts, Registration } from '@dayfly/runner-set/model/runner'
import type { EventQueue } from './event-queue.ts'

/** The pod of a life. `ended`: no container of it runs any more. */
export const podIs = { absent: 0, waiting: 1, running: 2, ended: 3 } as const
/** The job of a life. `lost`: its runner is gone, and the forge still counts it. */
export const jobIs = { absent: 0, running: 1, finished: 2, lost: 3 } as const

export class Lives {
  readonly queue: EventQueue
  readonly capacity: number
  readonly name: string[] = []
  readonly facts: (PodFacts | undefined)[] = []
  readonly registration: (Registration | undefined)[] = []
  readonly pod: Uint8Array
  readonly job: Uint8Array
  readonly secret: Uint8Array
  readonly fate: Uint8Array
  /** Whether the pod counts against the maximum. */
  readonly isLiving: Uint8Array
  /** When the life last changed. */
  readonly since: Float64Array
  /** The number of the job. */
  readonly jobNumber: Float64Array
  /** Events and calls on their way that name this life. */
  readonly #open: Uint16Array
  readonly #byName = new Map<string, number>()
  readonly #free: number[] = []
  readonly #onOver: () => void
  readonly counters = { used: 0, begun: 0, ended: 0 }

  /** @param onOver called when nothing is left of a life */
  constructor(queue: EventQueue, capacity: number, onOver: () => void) {
    this.queue = queue
    this.capacity = capacity
    this.#onOver = onOver
    const bytes = () => new Uint8Array(capacity)
    this.pod = bytes()
    this.job = bytes()
    this.secret = bytes()
    this.fate = bytes()
    this.isLiving = bytes()
    this.since = new Float64Array(capacity)
    this.jobNumber = new Float64Array(capacity)
    this.#open = new Uint16Array(capacity)
  }

  /** The lives of which something is left. */
  get size(): number {
    return this.#byName.size
  }

  /** The places of the table that were ever used. A place without a name is free. */
  get used(): number {
    return this.counters.used
  }

  /** A checkpoint stores these. */
  get memories(): readonly object[] {
    const { name, facts, registration, pod, job, secret, fate, isLiving, since, jobNumber, counters } = this
    const columns = { name, facts, registration, pod, job, secret, fate, isLiving, since, jobNumber }
    return [columns, { open: this.#open, byName: this.#byName, free: this.#free }, counters]
  }

  /** Begins a life with one call on its way. Returns undefined if the table is full. */
  begin(name: string): number | undefined {
    const life = this.#free.pop() ?? (this.counters.used < this.capacity ? this.counters.used++ : undefined)
    if (life === undefined) return undefined
    this.counters.begun++
    this.#byName.set(name, life)
    this.name[life] = name
    for (const column of [this.pod, this.job, this.secret, this.fate, this.isLiving]) column[life] = 0
    this.#open[life] = 1
    this.touch(life)
    return life
  }

  /** Returns undefined if nothing is left of the runner. */
  find(name: string): number | undefined {
    return this.#byName.get(name)
  }

  touch(life: number): void {
    this.since[life] = this.queue.now()
  }

  change(life: number, facts: Partial<PodFacts>, version: string): void {
    const before = this.facts[life]
    if (before) this.facts[life] = { ...before, ...facts, resourceVersion: version }
    this.touch(life)
  }

  /** Returns the number of a step of lives, for `after`. */
  step(run: (life: number) => void): number {
    return this.queue.handler((life) => {
      run(life)
      this.release(life)
    })
  }

  after(ms: number, step: number, life: number): void {
    this.hold(life)
    this.queue.after(ms, step, life)
  }

  hold(life: number): void {
    this.#open[life] = (this.#open[life] ?? 0) + 1
  }

  /** An event or a call is over. A life of which nothing is left gives its place free. */
  release(life: number): void {
    const open = (this.#open[life] ?? 0) - 1
    this.#open[life] = open
    if (open > 0 || this.pod[life] !== podIs.absent || this.secret[life] || this.registration[life]) return
    if (this.job[life] === jobIs.lost) return
    this.#byName.delete(this.name[life] ?? '')
    this.name[life] = ''
    this.facts[life] = undefined
    this.#free.push(life)
    this.counters.ended++
    this.#onOver()
  }
}
