// Many lives through the core alone, from the first job to the last leftover.
import { cpuUsage, memoryUsage, resourceUsage } from 'node:process'
import { type CostRow, Costs } from './costs.ts'
import { EventQueue } from './event-queue.ts'
import { type Lap, lapsOf } from './laps.ts'
import { type OneSet, openSet } from './one-set.ts'
import { type Broken, Promises } from './promises.ts'
import { longRandom } from './random.ts'
import { Weather } from './weather.ts'

export type Plan = {
  readonly seed: number
  readonly lives: number
  /** Runners at once, shared among the sets. */
  readonly runners: number
  readonly sets: number
  /** The first broken promise ends the run. */
  readonly stopsEarly?: boolean
}

export type LivesRun = {
  readonly lives: number
  /** The mean of the lives of which something was left. */
  readonly aliveMean: number
  readonly aliveMax: number
  readonly broken: readonly Broken[]
  readonly laps: readonly Lap[]
  readonly costs: readonly CostRow[]
  /** Events of the journal for one life. */
  readonly journaled: number
  /** The most entries that the core kept for one life of which something was left. */
  readonly memoryShareMax: number
  readonly cpuSeconds: number
  readonly virtualMs: number
  readonly peakRssMb: number
}

const startAt = 1_800_000_000_000
const second = 1_000
const minute = 60 * second
/** The longest time in which a life that ends leaves something. */
const settleMs = 75 * minute

export function runLives(plan: Plan, onLap: (lap: Lap) => void = () => {}): LivesRun {
  const queue = new EventQueue(startAt)
  const promises = new Promises()
  const costs = new Costs()
  const weather = new Weather(longRandom(plan.seed), startAt)
  let ended = 0
  const context = { seed: plan.seed, queue, weather, promises, costs, onOver: () => void ended++ }
  const sets = Array.from({ length: plan.sets }, (_, number) => openSet(context, number, maxOf(plan, number)))
  const usedBefore = cpuSeconds()
  const { laps, reached } = lapsOf(plan.lives, () => queue.now(), onLap)
  const alive = { sum: 0, seconds: 0, max: 0 }
  const isOver = () => plan.stopsEarly === true && promises.broken.length > 0
  while (ended < plan.lives && !isOver()) {
    queue.runUntil(queue.now() + second)
    const now = sets.reduce((sum, { lives }) => sum + lives.size, 0)
    alive.sum += now
    alive.seconds++
    alive.max = Math.max(alive.max, now)
    reached(ended)
  }
  const virtualMs = queue.now() - startAt
  const used = cpuSeconds() - usedBefore
  if (!isOver()) {
    settle(queue, weather, sets)
    for (const { audit } of sets) audit.atEnd()
  }
  const peakRssMb = Math.max(Math.round(resourceUsage().maxRSS / 1_024), Math.round(memoryUsage.rss() / 2 ** 20))
  return {
    lives: ended,
    aliveMean: Math.round(alive.sum / Math.max(1, alive.seconds)),
    aliveMax: alive.max,
    broken: promises.broken,
    laps,
    costs: costs.table(),
    journaled: sets.reduce((sum, { controller }) => sum + controller.journaled, 0) / ended,
    memoryShareMax: Math.max(...sets.map(({ audit }) => audit.memoryShareMax)),
    cpuSeconds: used,
    virtualMs,
    peakRssMb,
  }
}

/** Ends the faults and the jobs, then the spares, and waits until nothing can be left. */
function settle(queue: EventQueue, weather: Weather, sets: readonly OneSet[]): void {
  weather.end(queue.now())
  for (const { workload } of sets) workload.isOver = true
  queue.runUntil(queue.now() + settleMs)
  for (const { controller } of sets) {
    const { set } = controller
    controller.change({ ...set, generation: set.generation + 1, scale: { ...set.scale, min: 0 } })
  }
  for (let waited = 0; waited < settleMs && sets.some(({ lives }) => lives.size > 0); waited += minute) {
    queue.runUntil(queue.now() + minute)
  }
  // What the core keeps for a while after the last life is pruned by its next ticks.
  queue.runUntil(queue.now() + settleMs)
}

function maxOf({ runners, sets }: Plan, number: number): number {
  return Math.floor(runners / sets) + (number < runners % sets ? 1 : 0)
}

function cpuSeconds(): number {
  const { user, system } = cpuUsage()
  return (user + system) / 1e6
}
