// The faults of one set that last: a new process, an outage of the forge, the API server or the watch, a pause, an edit, and a list that is wrong.
import type { Random } from '@dayfly/kit/random'
import type { Calls } from './calls.ts'
import type { Cluster } from './cluster.ts'
import type { Controller } from './controller.ts'
import type { EventQueue } from './event-queue.ts'
import type { Forge } from './forge.ts'
import { between } from './random.ts'
import type { Weather } from './weather.ts'

type Context = {
  readonly queue: EventQueue
  readonly random: Random
  readonly weather: Weather
  readonly controller: Controller
  readonly cluster: Cluster
  readonly forge: Forge
  readonly calls: Calls
}

/** A watch that is down for longer makes the pods unknown (packages/controller/src/pod-cache.ts). */
const staleMs = 30_000
/** One of so many disasters is the end of a process. */
const crashEvery = 40

export class Disasters {
  readonly #context: Context
  readonly memory = { count: 0 }
  readonly #strike: number
  readonly #takeOver: number
  readonly #forgeUp: number
  readonly #apiUp: number
  readonly #stale: number
  readonly #watchUp: number
  readonly #resume: number

  constructor(context: Context) {
    this.#context = context
    const { queue } = context
    const handler = (run: () => void) => queue.handler(run)
    this.#strike = handler(() => this.#run())
    this.#takeOver = handler(() => this.begin())
    this.#forgeUp = handler(() => this.#endForgeOutage())
    this.#apiUp = handler(() => this.#endApiOutage())
    this.#stale = handler(() => this.#endTrust())
    this.#watchUp = handler(() => this.#listAgain())
    this.#resume = handler(() => this.#pause(false))
    queue.after(between(context.random, 60_000, 240_000), this.#strike, 0)
  }

  /** A process takes the set over, and opens its session. */
  begin(): void {
    const { controller, cluster, forge } = this.#context
    this.end()
    controller.start(cluster.list())
    if (controller.set.paused) controller.take({ kind: 'forge-paused' })
    else forge.connect(true)
  }

  /** The process dies between two instructions. */
  end(): void {
    const { controller, calls, forge } = this.#context
    controller.stop()
    calls.drop()
    forge.memory.isConnected = false
  }

  #run(): void {
    const { queue, random, weather, controller } = this.#context
    queue.after(between(random, 120_000, 420_000), this.#strike, 0)
    // One at a time: a watch that is down ends with its process.
    if (!weather.isFoul(queue.now()) || !controller.memory.isUp || !controller.memory.isWatching) return
    // A process leads for hours: what it keeps must not grow in that time.
    if (this.memory.count++ % crashEvery === 1) {
      this.#crash()
      return
    }
    const all = [this.#forgeOutage, this.#apiOutage, this.#watchOutage, this.#pauseSet, this.#edit, this.#falseList]
    all[Math.floor(random() * all.length)]?.()
  }

  #crash(): void {
    const { queue, random } = this.#context
    this.end()
    queue.after(between(random, 3_000, 30_000), this.#takeOver, 0)
  }

  readonly #falseList = (): void => {
    this.#context.calls.memory.nextListIsEmpty = true
  }

  readonly #forgeOutage = (): void => {
    const { queue, random, controller, forge } = this.#context
    forge.memory.isUp = false
    const failure = { reason: 'forge-unreachable', message: 'no response' } as const
    controller.take({ kind: 'forge-event', event: { kind: 'failing', failure, since: queue.now() } })
    queue.after(between(random, 5_000, 90_000), this.#forgeUp, 0)
  }

  #endForgeOutage(): void {
    const { controller, forge } = this.#context
    forge.memory.isUp = true
    if (controller.memory.isUp && !controller.set.paused) forge.connect(false)
  }

  readonly #apiOutage = (): void => {
    const { queue, random, calls } = this.#context
    calls.memory.isApiUp = false
    queue.after(between(random, 1_000, 20_000), this.#apiUp, 0)
  }

  #endApiOutage(): void {
    this.#context.calls.memory.isApiUp = true
  }

  readonly #watchOutage = (): void => {
    const { queue, random, controller } = this.#context
    controller.memory.isWatching = false
    queue.after(staleMs, this.#stale, controller.memory.term)
    queue.after(between(random, 2_000, 90_000), this.#watchUp, controller.memory.term)
  }

  #endTrust(): void {
    const { queue, controller } = this.#context
    if (controller.memory.isWatching) return
    controller.take({ kind: 'pods-stale', since: queue.now() - staleMs, why: 'the watch is down' })
  }

  #listAgain(): void {
    const { queue, controller, cluster } = this.#context
    if (!controller.memory.isUp || controller.memory.isWatching) return
    controller.memory.isWatching = true
    controller.take({ kind: 'pods-listed', pods: cluster.list(), askedAt: queue.now() })
  }

  readonly #pauseSet = (): void => {
    const { queue, random } = this.#context
    this.#pause(true)
    queue.after(between(random, 20_000, 120_000), this.#resume, 0)
  }

  /** A paused set has no session. */
  #pause(paused: boolean): void {
    const { controller, forge } = this.#context
    controller.change({ ...controller.set, paused, generation: controller.set.generation + 1 })
    forge.memory.isConnected = false
    if (paused) controller.take({ kind: 'forge-paused' })
    else if (controller.memory.isUp) forge.connect(false)
  }

  /** Every other edit changes the template. */
  readonly #edit = (): void => {
    const { controller } = this.#context
    const { set } = controller
    const generation = set.generation + 1
    const labels = generation % 2 === 0 ? { edit: String(generation) } : undefined
    const template = labels ? { metadata: { labels } } : set.template
    controller.change({ ...set, generation, template })
  }
}
