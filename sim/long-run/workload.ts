// Jobs for every set: each has a few more than its runners, until enough jobs are queued. So every lap is the same work,
// and the jobs that are under way at the end run to theirs.
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { SetSpec } from '../sets.ts'
import type { World } from '../world.ts'

export type Results = { readonly queued: number; readonly finished: number; readonly succeeded: number }

export type LongWorkload = {
  results(): Results
}

/** The share of jobs that wait while every runner has one. */
const backlog = 0.05
const [shortestMs, longestMs] = [60_000, 240_000]

/**
 * @param before the results of earlier worlds
 * @param until the number of jobs to queue, with those of earlier worlds
 * @param onFinished called after each job, with the number of finished ones
 */
export function startLongWorkload(
  world: World,
  { random, before, until }: { readonly random: Random; readonly before: Results; readonly until: number },
  onFinished: (finished: number) => void,
): LongWorkload {
  const setOf = new Map<string, SetSpec>()
  const results = { ...before }
  const queue = (set: SetSpec, most: number) => {
    const count = Math.min(most, until - results.queued)
    const jobs = Array.from({ length: count }, () => {
      const name = `job-${++results.queued}`
      const durationMs = randomInteger(random, shortestMs, longestMs)
      return { name, durationMs, scope: `org:${set.account}`, labels: set.labels, message: scriptJob(name, []) }
    })
    for (const { id } of world.github.control.queueJobs(jobs)) {
      setOf.set(id, set)
      world.openJobs.add(id)
    }
  }
  world.github.control.onJob(({ kind, id, result }) => {
    const set = kind === 'finished' ? setOf.get(id) : undefined
    if (!set) return
    setOf.delete(id)
    world.openJobs.delete(id)
    results.finished++
    if (result === 'succeeded') results.succeeded++
    onFinished(results.finished)
    // The emulator is in the middle of this job's end.
    queueMicrotask(() => queue(set, 1))
  })
  for (const set of world.sets) queue(set, Math.ceil(set.max * (1 + backlog)))
  return { results: () => ({ ...results }) }
}
