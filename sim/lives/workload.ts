// The jobs of one set: steady hours, bursts with more jobs than runners, and quiet times.
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { EventQueue } from './event-queue.ts'
import type { Forge } from './forge.ts'
import { between } from './random.ts'

type Context = { readonly queue: EventQueue; readonly random: Random; readonly forge: Forge; readonly max: number }

/** Jobs that run or wait, as parts of the maximum of runners. */
const levels = { steady: 0.8, burst: 1.3, quiet: 0.3 } as const
const stepMs = 200
const meanJobMs = 150_000
const cancelEvery = 400

export class Workload {
  readonly #context: Context
  readonly #step: number
  readonly memory = {
    level: 'burst' as keyof typeof levels,
    until: 0 as Instant,
    /** The part of a job that is due and was not queued yet. */
    due: 0,
    isOver: false,
  }

  constructor(context: Context) {
    this.#context = context
    this.#step = context.queue.handler(() => this.#run())
    context.queue.after(0, this.#step, 0)
  }

  #run(): void {
    const { queue, random, forge, max } = this.#context
    if (this.memory.isOver) return
    if (queue.now() >= this.memory.until) this.#turn()
    const wanted = Math.max(1, Math.round(levels[this.memory.level] * max))
    // Jobs come at the pace at which that many end. A burst queues all that are missing.
    this.memory.due += ((wanted * stepMs) / meanJobMs) * between(random, 0.2, 1.8)
    const missing = wanted - forge.assigned
    const count =
      this.memory.level === 'burst' ? Math.max(0, missing) : Math.min(Math.floor(this.memory.due), Math.max(0, missing))
    this.memory.due = this.memory.level === 'burst' ? 0 : Math.min(this.memory.due - count, wanted)
    if (count > 0) forge.queueJobs(count)
    if (forge.waiting > 0 && random() < 1 / cancelEvery) forge.cancelJobs(Math.ceil(forge.waiting / 20))
    queue.after(stepMs, this.#step, 0)
  }

  #turn(): void {
    const { queue, random } = this.#context
    const drawn = random()
    this.memory.level = drawn < 0.5 ? 'steady' : drawn < 0.8 ? 'burst' : 'quiet'
    this.memory.until = queue.now() + between(random, 90_000, 300_000)
  }
}
