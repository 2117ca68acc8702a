// Looks at the lives of one set now and then: what was left, which job waits too long, and what the core still remembers.
import type { Instant } from '@dayfly/kit/clock'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { Cluster } from './cluster.ts'
import type { Controller } from './controller.ts'
import type { EventQueue } from './event-queue.ts'
import type { Forge } from './forge.ts'
import { jobIs, type Lives, podIs } from './lives.ts'
import type { Promises } from './promises.ts'
import type { Weather } from './weather.ts'

type Context = {
  readonly queue: EventQueue
  readonly lives: Lives
  readonly controller: Controller
  readonly cluster: Cluster
  readonly forge: Forge
  readonly weather: Weather
  readonly promises: Promises
}

const minute = 60_000
const lookMs = minute
/** The last possible step of an end: the forge counts a dead runner as busy for a quarter of an hour, and a refused call is repeated after a minute. */
const leftMs = 45 * minute
/** A pod without an end, without a job and without a registration: its start may take five minutes to fail, and its proof two lists. */
const idleMs = 30 * minute
/** From the first free place to the start of the job, beside the time that the calls of many starts need. */
const servedMs = 2 * minute
const callsMs = 4
/** Departed runners and pending removals of lives that ended within this time may be remembered. */
const memoryMs = defaultLimits.jobLeaseMs + 5 * minute

export class Audit {
  readonly #context: Context
  readonly memory = {
    /** The number of ended lives at each look of the last while. */
    ended: [] as number[],
    roomSince: undefined as Instant | undefined,
    /** The most that the core remembered for one life of which something was left. */
    shareMax: 0,
  }

  constructor(context: Context) {
    this.#context = context
    const { queue } = context
    const look = queue.handler(() => {
      this.#look()
      queue.after(lookMs, look, 0)
    })
    const watch = queue.handler(() => {
      this.#watchRoom()
      queue.after(1_000, watch, 0)
    })
    queue.after(lookMs, look, 0)
    queue.after(0, watch, 0)
  }

  #look(): void {
    this.#lookAtLives()
    this.#lookAtMemory()
  }

  #lookAtLives(): void {
    const { lives, queue, promises } = this.#context
    for (let life = 0; life < lives.used; life++) {
      if (lives.name[life] === '') continue
      const ms = queue.now() - (lives.since[life] ?? 0)
      const left = ms < idleMs ? undefined : this.#leftOf(life, ms)
      if (left === undefined) continue
      promises.broke('leftovers', `${left} of ${lives.name[life]} is left for ${Math.round(ms / minute)} minutes`)
      lives.touch(life)
    }
  }

  #leftOf(life: number, ms: number): string | undefined {
    const { lives } = this.#context
    const pod = lives.pod[life]
    if (pod === podIs.absent && lives.secret[life]) return 'the Secret'
    if (pod === podIs.absent) return ms > leftMs && lives.registration[life] ? 'the registration' : undefined
    if (pod !== podIs.running) return 'the pod'
    return lives.job[life] === jobIs.absent && !lives.registration[life] ? 'the idle pod' : undefined
  }

  /** A job waits although the set has room for its runner. */
  #watchRoom(): void {
    const { cluster, controller, forge, queue, weather, promises } = this.#context
    const { max } = controller.set.scale
    const now = queue.now()
    const hasRoom = forge.waiting > 0 && cluster.memory.living < max
    if (!hasRoom || !weather.isSettled(now)) {
      this.memory.roomSince = undefined
      return
    }
    this.memory.roomSince ??= now
    const waitedMs = now - Math.max(this.memory.roomSince, forge.oldestQueuedAt ?? now)
    if (waitedMs < servedMs + callsMs * max) return
    const seconds = Math.round(waitedMs / 1_000)
    promises.broke('served', `a job waits ${seconds} s while ${cluster.memory.living} of ${max} runners live`)
    this.memory.roomSince = now
  }

  #lookAtMemory(): void {
    const { lives, controller, promises } = this.#context
    this.memory.ended.push(lives.counters.ended)
    if (this.memory.ended.length > memoryMs / lookMs + 1) this.memory.ended.shift()
    if (!controller.memory.isUp || !controller.memory.isWatching) return
    const { table, pendingRemovals, departures, removed, jobs } = controller.state
    const { starting, idle, busy, spent, ended } = table.counts()
    const recent = lives.counters.ended - (this.memory.ended[0] ?? 0)
    const allowed = { runners: lives.size, removals: lives.size + recent, departed: lives.size + recent }
    const kept = {
      runners: starting + idle + busy + spent + ended,
      removals: pendingRemovals.all().length,
      departed: departures.all().length,
    }
    for (const kind of ['runners', 'removals', 'departed'] as const) {
      if (kept[kind] > allowed[kind])
        promises.broke('bounded', `the core keeps ${kept[kind]} ${kind}, and ${allowed[kind]} lives can have one`)
    }
    if (removed.size > lives.size) promises.broke('bounded', `the core keeps ${removed.size} removed names`)
    if (jobs.length > defaultLimits.jobsShown) promises.broke('bounded', `the core keeps ${jobs.length} jobs`)
    this.memory.shareMax = Math.max(
      this.memory.shareMax,
      (kept.runners + kept.removals + kept.departed) / Math.max(1, lives.size),
    )
  }

  /** At the end nothing is left: not in the cluster, not at the forge, and not in the core. */
  atEnd(): void {
    const { lives, controller, cluster, promises } = this.#context
    const broke = (sentence: string) => promises.broke('leftovers', sentence)
    if (lives.size > 0) broke(`${lives.size} lives are left at the end, the first one is ${this.#firstLeft()}`)
    if (cluster.memory.living > 0) broke(`${cluster.memory.living} pods live at the end`)
    const { table, pendingRemovals, departures, removed } = controller.state
    const runners = [...table.all()].length
    const kept = runners + pendingRemovals.all().length + departures.all().length + removed.size
    if (kept > 0) promises.broke('bounded', `the core keeps ${kept} entries at the end, ${runners} of them runners`)
  }

  #firstLeft(): string {
    const { lives } = this.#context
    const life = lives.name.findIndex((name) => name !== '')
    const { pod, job, fate } = lives
    return `${lives.name[life]} (pod ${pod[life]}, job ${job[life]}, fate ${fate[life]}, registered ${lives.registration[life] !== undefined})`
  }
}
