// Jobs and steps that arrive in bursts.
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { Request } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { SetSpec } from './sets.ts'
import { pick } from './streams.ts'
import type { World } from './world.ts'

export type Workload = {
  /** How many jobs and steps were queued. */
  queued(): number
}

const shortMs = 3_000
const longestMs = 60_000
/** The most jobs that arrive after the faults. */
const lateMax = 2

/** Queues bursts at random moments of the next `ms` milliseconds. */
export function startWorkload(world: World, random: Random, ms: number): Workload {
  const { openJobs: open } = world
  let queued = 0
  world.github.control.onJob(({ kind, id }) => kind === 'finished' && open.delete(id))
  world.bitbucket.control.onStep(({ kind, id }) => kind === 'finished' && open.delete(id))
  const add = (set: SetSpec, count: number) => {
    const durations = Array.from({ length: count }, () => durationOf(random))
    for (const id of queue(world, set, durations, queued)) open.add(id)
    queued += count
  }
  const burst = () => {
    const set = pick(world.sets, random)
    add(set, random() < 0.3 ? randomInteger(random, set.max, 2 * set.max) : randomInteger(random, 1, 6))
  }
  // Most surplus runners go after the faults. A job for each of them would never let the world rest.
  let late = randomInteger(random, 0, lateMax)
  world.observers.tried.add((_identity, server, request) => {
    if (!isRemoval(server, request) || random() < 0.5) return
    if (world.climate.isFair && late-- <= 0) return
    // Only Bitbucket has a PUT.
    const sets = world.sets.filter(({ forge }) => request.method !== 'PUT' || forge === 'bitbucket')
    if (sets.length > 0) add(pick(sets, random), 1)
  })
  const bursts = randomInteger(random, 1, 4)
  for (let index = 0; index < bursts; index++) world.clock.after(randomInteger(random, 0, ms), burst)
  return { queued: () => queued }
}

/** Short jobs end before the controller hears of their start. */
function durationOf(random: Random): number {
  return randomInteger(random, 0, random() < 0.3 ? shortMs : longestMs)
}

/** Whether a runner is about to lose its registration or its pod: a job that arrives in this moment may still reach it. */
function isRemoval(server: 'api' | 'forge', { method, path }: Request): boolean {
  if (method === 'PUT') return server === 'forge'
  return method === 'DELETE' && (server === 'api' ? /\/secrets\/[^/]+$/ : /\/(agents|runners)\/[^/]+$/).test(path)
}

function queue(
  world: World,
  { forge, label }: SetSpec,
  durations: readonly number[],
  first: number,
): readonly string[] {
  const names = durations.map((durationMs, index) => ({ name: `job-${first + index + 1}`, durationMs }))
  if (forge === 'bitbucket') {
    return world.bitbucket.control.queueSteps(names.map((step) => ({ ...step, repository: 'app', labels: [label] })))
  }
  const jobs = names.map((job) => ({ ...job, labels: [label], message: scriptJob(job.name, []) }))
  return world.github.control.queueJobs(jobs).map(({ id }) => id)
}
