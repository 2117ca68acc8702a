// Jobs and steps that arrive in bursts.
import { scriptJob } from '../src/emulator/github/script-job.ts'
import { type Random, randomInteger } from '../src/lib/random.ts'
import type { SetSpec } from './sets.ts'
import { pick } from './streams.ts'
import type { World } from './world.ts'

export type Workload = {
  /** How many jobs and steps were queued. */
  queued(): number
}

const longestMs = 60_000

/** Queues bursts at random moments of the next `ms` milliseconds. */
export function startWorkload(world: World, random: Random, ms: number): Workload {
  const { openJobs: open } = world
  let queued = 0
  world.github.control.onJob(({ kind, id }) => kind === 'finished' && open.delete(id))
  world.bitbucket.control.onStep(({ kind, id }) => kind === 'finished' && open.delete(id))
  const burst = () => {
    const set = pick(world.sets, random)
    const durations = Array.from({ length: randomInteger(random, 1, 6) }, () => randomInteger(random, 0, longestMs))
    for (const id of queue(world, set, durations, queued)) open.add(id)
    queued += durations.length
  }
  const bursts = randomInteger(random, 2, 7)
  for (let index = 0; index < bursts; index++) world.clock.after(randomInteger(random, 0, ms), burst)
  return { queued: () => queued }
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
