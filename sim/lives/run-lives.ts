// Many lives through the core alone, from the first job to the last leftover.
import { resourceUsage } from 'node:process'
import { loadCheckpoint, type Memories, saveCheckpoint } from './checkpoint.ts'
import { type CostRow, Costs } from './costs.ts'
import { EventQueue } from './event-queue.ts'
import { type Lap, Laps } from './laps.ts'
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
}

export type Options = {
  readonly onLap?: (lap: Lap) => void
  /** A file that stores the run after each lap. If it exists, the run goes on from there. */
  readonly checkpoint?: string
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
  readonly virtualMs: number
  readonly peakRssMb: number
}

const startAt = 1_800_000_000_000
const second = 1_000
const minute = 60 * second
/** The longest time in which a life that ends leaves something. */
const settleMs = 75 * minute

export function runLives(plan: Plan, options: Options = {}): LivesRun {
  const world = openWorld(plan)
  const { queue, promises, progress, sets } = world
  const file = options.checkpoint
  // The first one shows that the file can be written, before hours of work depend on it.
  if (file !== undefined && !loadCheckpoint(file, plan, world.memories)) saveCheckpoint(file, plan, world.memories)
  for (const { begin } of sets) begin()
  const laps = new Laps(plan.lives, progress.laps, queue.now())
  const isOver = () => options.stopsEarly === true && promises.broken.length > 0
  while (progress.ended < plan.lives && !isOver()) {
    queue.runUntil(queue.now() + second)
    countAlive(world)
    if (laps.isReached(progress.ended)) {
      const lap = laps.end(progress.ended, queue.now())
      if (file !== undefined) takeCheckpoint(file, plan, world)
      options.onLap?.(lap)
    }
  }
  const virtualMs = queue.now() - startAt
  if (!isOver()) settle(world)
  return { ...resultOf(world), virtualMs }
}

type World = ReturnType<typeof openWorld>

function openWorld(plan: Plan) {
  const queue = new EventQueue(startAt)
  const [promises, costs, random] = [new Promises(), new Costs(), longRandom(plan.seed)]
  const weather = new Weather(random, startAt)
  const progress = { ended: 0, laps: [] as Lap[], aliveSum: 0, aliveSeconds: 0, aliveMax: 0 }
  const context = { seed: plan.seed, queue, weather, promises, costs, onOver: () => void progress.ended++ }
  const sets = Array.from({ length: plan.sets }, (_, number) => openSet(context, number, maxOf(plan, number)))
  const shared = [queue.memory, promises.memory, costs.memory, random.memory, weather.memory, progress]
  const memories: Memories = [...shared, ...sets.flatMap((set) => set.memories)]
  return { queue, promises, costs, weather, progress, sets, memories }
}

function countAlive({ sets, progress }: World): void {
  const now = sets.reduce((sum, { lives }) => sum + lives.size, 0)
  progress.aliveSum += now
  progress.aliveSeconds++
  progress.aliveMax = Math.max(progress.aliveMax, now)
}

/** Ends every process as a crash does, and starts the next ones: a run that goes on from the file does the same. */
function takeCheckpoint(file: string, plan: Plan, { sets, memories }: World): void {
  for (const { end } of sets) end()
  saveCheckpoint(file, plan, memories)
  for (const { begin } of sets) begin()
}

/** Ends the faults and the jobs, then the spares, and waits until nothing can be left. */
function settle({ queue, weather, sets }: World): void {
  weather.end(queue.now())
  for (const { workload } of sets) workload.memory.isOver = true
  queue.runUntil(queue.now() + settleMs)
  for (const { controller } of sets) {
    const { set } = controller
    controller.change({ ...set, generation: set.generation + 1, scale: { ...set.scale, min: 0 } })
  }
  const isLeft = (set: OneSet) => set.lives.size > 0
  for (let waited = 0; waited < settleMs && sets.some(isLeft); waited += minute) queue.runUntil(queue.now() + minute)
  // The core's next ticks prune the entries that it keeps for a while after the last life.
  queue.runUntil(queue.now() + settleMs)
  for (const { audit } of sets) audit.atEnd()
}

function resultOf({ progress, promises, costs, sets }: World): Omit<LivesRun, 'virtualMs'> {
  return {
    lives: progress.ended,
    aliveMean: Math.round(progress.aliveSum / Math.max(1, progress.aliveSeconds)),
    aliveMax: progress.aliveMax,
    broken: promises.broken,
    laps: progress.laps,
    costs: costs.table(),
    journaled: sets.reduce((sum, { controller }) => sum + controller.memory.journaled, 0) / progress.ended,
    memoryShareMax: Math.max(...sets.map(({ audit }) => audit.memory.shareMax)),
    peakRssMb: Math.round(resourceUsage().maxRSS / 1_024),
  }
}

function maxOf({ runners, sets }: Plan, number: number): number {
  return Math.floor(runners / sets) + (number < runners % sets ? 1 : 0)
}
