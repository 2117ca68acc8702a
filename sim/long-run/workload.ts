// Jobs for every set: each has a few more than its runners, until the jobs of the plan are finished. So every lap is the same work,
// and the jobs that are under way at the end run to theirs.
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { type Random, randomInteger } from '@dayfly/kit/random'
import type { OrganizationSet, Plan } from './plan.ts'
import type { LongWorld } from './world.ts'

export type Results = { readonly queued: number; readonly finished: number; readonly succeeded: number }

export type LongWorkload = {
  results(): Results
}

/** The share of jobs that wait while every runner has one. */
const backlog = 0.05
const [shortestMs, longestMs] = [60_000, 240_000]

/** @param onFinished called after each job, with the number of finished ones */
export function startLongWorkload(
  world: LongWorld,
  plan: Plan,
  random: Random,
  onFinished: (finished: number) => void,
): LongWorkload {
  const setOf = new Map<string, OrganizationSet>()
  const results = { queued: 0, finished: 0, succeeded: 0 }
  const queue = (set: OrganizationSet, count: number) => {
    const jobs = Array.from({ length: count }, () => {
      const name = `job-${++results.queued}`
      const durationMs = randomInteger(random, shortestMs, longestMs)
      return { name, durationMs, scope: `org:${set.organization}`, labels: [set.label], message: scriptJob(name, []) }
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
    if (results.finished < plan.jobs) queueMicrotask(() => queue(set, 1))
  })
  for (const set of plan.sets) queue(set, Math.ceil(set.max * (1 + backlog)))
  return { results: () => results }
}
