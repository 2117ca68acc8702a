// Gives each waiting job of an account to one of its sets, so that two sets with common labels do not both start a runner for it.
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { ListedJob } from './wire.ts'

/** The jobs that wait for each set, by the set's runner prefix. */
export type Assignment = ReadonlyMap<string, readonly ListedJob[]>

/**
 * A job goes to the set with the fewest labels that has all of the job's: a machine with a GPU is not spent on a job that needs none.
 * The first such set with room gets it. A job without labels fits every set (docs/reference/gitea.md#s4-3).
 */
export function assignJobs(jobs: readonly ListedJob[], sets: readonly ForgeSet[]): Assignment {
  const ordered = [...sets].sort(
    (a, b) => a.labels.length - b.labels.length || (a.runnerPrefix < b.runnerPrefix ? -1 : 1),
  )
  const taken = new Map(ordered.map((set) => [set.runnerPrefix, runningOf(jobs, set)] as const))
  const waiting = new Map(ordered.map((set) => [set.runnerPrefix, [] as ListedJob[]] as const))
  for (const job of jobs) {
    if (job.state !== 'ready') continue
    const fitting = ordered.filter(({ labels }) => job.labels.every((label) => labels.includes(label)))
    const chosen = fitting.find(({ runnerPrefix, max }) => (taken.get(runnerPrefix) ?? 0) < max) ?? fitting[0]
    if (!chosen) continue
    taken.set(chosen.runnerPrefix, (taken.get(chosen.runnerPrefix) ?? 0) + 1)
    waiting.get(chosen.runnerPrefix)?.push(job)
  }
  return waiting
}

function runningOf(jobs: readonly ListedJob[], { runnerPrefix }: ForgeSet): number {
  return jobs.filter(({ state, runnerName }) => state === 'running' && runnerName.startsWith(runnerPrefix)).length
}
