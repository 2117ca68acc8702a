// One set: its lives, its cluster and its forge as they really are, and the controller that sees them through inputs.

import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import { Audit } from './audit.ts'
import { Calls } from './calls.ts'
import type { Memories } from './checkpoint.ts'
import { Cluster } from './cluster.ts'
import { Controller } from './controller.ts'
import type { Costs } from './costs.ts'
import { Disasters } from './disasters.ts'
import type { EventQueue } from './event-queue.ts'
import { Forge } from './forge.ts'
import { Lives } from './lives.ts'
import { Pacing } from './pacing.ts'
import type { Promises } from './promises.ts'
import { longRandom } from './random.ts'
import { Runners } from './runners.ts'
import type { Weather } from './weather.ts'
import { Workload } from './workload.ts'

export type OneSet = {
  readonly lives: Lives
  readonly controller: Controller
  readonly workload: Workload
  readonly audit: Audit
  readonly memories: Memories
  /** A process takes the set over. */
  readonly begin: () => void
  /** The process ends as by a crash. */
  readonly end: () => void
}

type Context = {
  readonly seed: number
  readonly queue: EventQueue
  readonly weather: Weather
  readonly promises: Promises
  readonly costs: Costs
  readonly onOver: () => void
}

/** A runner may live so long: the due time of its end lies far ahead, and its life is over long before. */
const lifeMaxMs = 6 * 60 * 60_000
/** Lives of which only a registration is left need a place, too. */
const spareLives = 2_000

/** @param number of the set, from 0 on @param max its runners at once */
export function openSet(
  { seed, queue, weather, promises, costs, onOver }: Context,
  number: number,
  max: number,
): OneSet {
  const random = longRandom(seed * 1_000 + number)
  const lives = new Lives(queue, max * 3 + spareLives, onOver)
  const scale = { min: Math.ceil(max / 100), max }
  const set = runnerSet({ name: `linux-${number}`, uid: `set-${number}`, scale, lifeMaxMs })
  const pacing = new Pacing(queue, max)
  const controller: Controller = new Controller(set, {
    queue,
    costs,
    allowance: () => pacing.allowance(lives.counters.begun),
    begin: (actions, term) => calls.begin(actions, term),
  })
  const runners: Runners = new Runners({ queue, random, lives, promises, cluster: () => cluster, forge: () => forge })
  const forge: Forge = new Forge({
    ...{ queue, random, weather, lives },
    take: (input) => controller.take(input),
    onJob: (life) => runners.gotJob(life),
  })
  const cluster = new Cluster({
    ...{ queue, random, lives },
    seen: (life) => {
      const pod = lives.facts[life]
      if (controller.memory.isWatching && pod) controller.take({ kind: 'pod-seen', name: lives.name[life] ?? '', pod })
    },
    gone: (name, last) => {
      if (controller.memory.isWatching) controller.take({ kind: 'pod-gone', name, last })
    },
    onStarted: (life) => runners.started(life),
    onKilled: (life) => runners.killed(life),
  })
  const calls: Calls = new Calls({ queue, random, weather, promises, lives, cluster, forge, controller })
  const disasters = new Disasters({ queue, random, weather, controller, cluster, forge, calls })
  const workload = new Workload({ queue, random, forge, max })
  const audit = new Audit({ queue, lives, controller, cluster, forge, weather, promises })
  const memories: Memories = [
    ...[random.memory, pacing.memory, cluster.memory, disasters.memory, workload.memory, audit.memory],
    ...[...lives.memories, ...controller.memories, ...forge.memories, ...calls.memories],
  ]
  return { lives, controller, workload, audit, memories, begin: () => disasters.begin(), end: () => disasters.end() }
}
