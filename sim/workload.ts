// Jobs and steps that arrive in bursts.
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { Request } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { keyOf } from './gitea/jobs.ts'
import { queueAtGitea, startGiteaWorkload } from './gitea/workload.ts'
import { failingCode } from './reruns.ts'
import type { SetSpec } from './sets.ts'
import { pick, streamOf } from './streams.ts'
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
  world.github.control.onJob(({ kind, id, repeats }) => {
    if (kind === 'finished') open.delete(id)
    if (kind === 'queued' && repeats !== undefined) open.add(id)
  })
  world.bitbucket.control.onStep(({ kind, id }) => kind === 'finished' && open.delete(id))
  world.gitea.control.onJob(({ kind, id }) => kind === 'finished' && open.delete(keyOf(id)))
  const add = (set: SetSpec, count: number) => {
    const jobs = Array.from({ length: count }, () => ({ name: `job-${++queued}`, durationMs: durationOf(random) }))
    const ids = queue(world, set, jobs, random)
    for (const id of ids) open.add(id)
    return ids
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
  startGiteaWorkload(world, random, add)
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
  { forge, labels, reruns }: SetSpec,
  given: readonly { readonly name: string; readonly durationMs: number }[],
  random: Random,
): readonly string[] {
  if (forge === 'bitbucket') {
    return world.bitbucket.control.queueSteps(given.map((step) => ({ ...step, repository: 'app', labels })))
  }
  if (forge === 'gitea') return queueAtGitea(world.gitea, labels, given, random)
  // Some jobs fail by themselves where jobs are repeated: drawn apart, so that other seeds stay as they were.
  const exitCodeOf = (name: string) => (reruns && streamOf(world.seed, `end of ${name}`)() < 0.15 ? failingCode : 0)
  const jobs = given.map((job) => ({
    ...job,
    labels,
    exitCode: exitCodeOf(job.name),
    message: scriptJob(job.name, []),
  }))
  return world.github.control.queueJobs(jobs).map(({ id }) => id)
}
