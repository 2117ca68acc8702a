// The forge of one set: jobs, registrations and messages, in the order in which GitHub makes them.
import type { Random } from '@dayfly/kit/random'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { Input } from '@dayfly/runner-set/model/input'
import type { Registration } from '@dayfly/runner-set/model/runner'
import { Alarm, type EventQueue } from './event-queue.ts'
import { jobIs, type Lives } from './lives.ts'
import { between } from './random.ts'
import type { Weather } from './weather.ts'

type Context = {
  readonly queue: EventQueue
  readonly random: Random
  readonly weather: Weather
  readonly lives: Lives
  /** Gives a message's events to the controller. */
  readonly take: (input: Input) => void
  /** A runner has got its job. */
  readonly onJob: (life: number) => void
}

/** An empty long poll ends after this time, and still reports the demand. */
const pollMs = 45_000
const leaseMs = [600_000, 900_000] as const

export class Forge {
  readonly #context: Context
  readonly #poll: Alarm
  readonly #leaseEnds: number
  readonly memory = {
    /** The times at which the waiting jobs were queued, the oldest first from `head` on. */
    queued: [] as number[],
    head: 0,
    /** Lives that are online and have no job. Entries that are so no longer are dropped when they come up. */
    idle: [] as number[],
    running: 0,
    jobs: 0,
    registrations: 0,
    outbox: [] as ForgeEvent[],
    delivered: [] as readonly ForgeEvent[],
    /** Whether the forge answers. */
    isUp: true,
    /** Whether a session of the controller is open. */
    isConnected: false,
  }

  constructor(context: Context) {
    this.#context = context
    this.#poll = new Alarm(context.queue, () => this.#deliver())
    this.#leaseEnds = context.lives.step((life) => this.#failJob(life))
  }

  /** A checkpoint stores these. */
  get memories(): readonly object[] {
    return [this.memory, this.#poll.memory]
  }

  get waiting(): number {
    return this.memory.queued.length - this.memory.head
  }

  /** Jobs that wait or run: the demand. */
  get assigned(): number {
    return this.waiting + this.memory.running
  }

  /** When the job was queued that waits longest; undefined if no job waits. */
  get oldestQueuedAt(): number | undefined {
    return this.memory.queued[this.memory.head]
  }

  queueJobs(count: number): void {
    for (let job = 0; job < count; job++) this.memory.queued.push(this.#context.queue.now())
    this.#assignIdle()
    this.#arm()
  }

  /** Cancels jobs that wait, the newest first. */
  cancelJobs(count: number): void {
    for (let job = 0; job < count && this.waiting > 0; job++) this.memory.queued.pop()
    this.#arm()
  }

  /** The session opens again: a batch that was not acknowledged comes again. */
  connect(repeats: boolean): void {
    this.memory.isConnected = true
    if (repeats) this.memory.outbox.unshift(...this.memory.delivered)
    this.#arm()
  }

  register(life: number): Registration {
    const { lives } = this.#context
    const registration: Registration = {
      id: String(++this.memory.registrations),
      name: lives.name[life] ?? '',
      status: 'offline',
      busy: false,
    }
    lives.registration[life] = registration
    lives.touch(life)
    return registration
  }

  /** The forge refuses to remove a busy runner. */
  deregister(life: number | undefined, id: string): 'removed' | 'absent' | 'busy' {
    const { lives } = this.#context
    const registration = life === undefined ? undefined : lives.registration[life]
    if (life === undefined || registration?.id !== id) return 'absent'
    if (registration.busy === true) return 'busy'
    lives.registration[life] = undefined
    lives.touch(life)
    return 'removed'
  }

  list(): readonly Registration[] {
    const { lives } = this.#context
    const listed: Registration[] = []
    for (let life = 0; life < lives.used; life++) {
      const registration = lives.registration[life]
      if (registration) listed.push(registration)
    }
    return listed
  }

  /** The runner opens its session and may get a job. */
  online(life: number): void {
    if (!this.#context.lives.registration[life]) return
    this.#note(life, { status: 'online' })
    this.memory.idle.push(life)
    this.#assignIdle()
  }

  /** Returns whether the life is online and has no job. */
  isIdle(life: number): boolean {
    const registration = this.#context.lives.registration[life]
    return registration?.status === 'online' && registration.busy === false
  }

  /** The runner ended before its job. Its registration stays, and its job until the lease is over. */
  lose(life: number): void {
    const { lives, random } = this.#context
    if (lives.registration[life]) this.#note(life, { status: 'offline' })
    if (lives.job[life] !== jobIs.running) return
    lives.job[life] = jobIs.lost
    lives.after(between(random, ...leaseMs), this.#leaseEnds, life)
  }

  /** The job is over, and GitHub drops the registration. */
  finish(life: number, result: string): void {
    const { lives } = this.#context
    lives.job[life] = jobIs.finished
    lives.registration[life] = undefined
    lives.touch(life)
    this.#jobOver(life, result)
  }

  #failJob(life: number): void {
    const { lives } = this.#context
    lives.job[life] = jobIs.finished
    if (lives.registration[life]) this.#note(life, { busy: false })
    this.#jobOver(life, 'abandoned')
  }

  #jobOver(life: number, result: string): void {
    const { lives, queue } = this.#context
    this.memory.running--
    const jobId = `job-${lives.jobNumber[life]}`
    this.#post({ kind: 'job-finished', runner: lives.name[life] ?? '', jobId, result, at: queue.now() })
  }

  #note(life: number, change: Partial<Registration>): void {
    const { lives } = this.#context
    const before = lives.registration[life]
    if (before) lives.registration[life] = { ...before, ...change }
    lives.touch(life)
  }

  #assignIdle(): void {
    while (this.waiting > 0) {
      const life = this.memory.idle.pop()
      if (life === undefined) return
      if (this.isIdle(life)) this.#assign(life)
    }
  }

  #assign(life: number): void {
    const { lives, queue, onJob } = this.#context
    const queuedAt = this.memory.queued[this.memory.head++] ?? queue.now()
    if (this.memory.head > 4_096 && this.memory.head * 2 > this.memory.queued.length) {
      this.memory.queued = this.memory.queued.slice(this.memory.head)
      this.memory.head = 0
    }
    const number = ++this.memory.jobs
    this.memory.running++
    lives.job[life] = jobIs.running
    lives.jobNumber[life] = number
    this.#note(life, { busy: true })
    const job = { id: `job-${number}`, name: 'test', repository: 'acme/app' }
    this.#post({ kind: 'job-started', runner: lives.name[life] ?? '', job, at: queue.now(), queuedAt })
    onJob(life)
  }

  /** A few messages never come. */
  #post(event: ForgeEvent): void {
    const { weather, queue } = this.#context
    if (!weather.strikes(queue.now(), 0.000_1)) this.memory.outbox.push(event)
    this.#arm()
  }

  /** A few messages come late. */
  #arm(): void {
    const { queue, random, weather } = this.#context
    const isLate = weather.strikes(queue.now(), 0.000_02)
    this.#poll.at(queue.now() + (isLate ? between(random, 5_000, 60_000) : between(random, 40, 250)))
  }

  /** One batch: the events of jobs, then the demand. */
  #deliver(): void {
    const { queue, take, weather } = this.#context
    if (!this.memory.isConnected || !this.memory.isUp) return
    if (weather.strikes(queue.now(), 0.001)) this.memory.outbox.unshift(...this.memory.delivered)
    const batch = this.memory.outbox
    this.memory.outbox = []
    for (const event of batch) take({ kind: 'forge-event', event })
    this.memory.delivered = batch
    take({
      kind: 'forge-event',
      event: { kind: 'demand', demand: { kind: 'assigned', jobs: this.assigned }, at: queue.now() },
    })
    this.#poll.at(queue.now() + pollMs)
  }
}
