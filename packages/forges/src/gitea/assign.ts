// Gives each waiting job of an account to one of its sets, so that two sets with common labels do not both start a runner for it.
// A job that no set can have is left over.
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { ListedJob } from './wire.ts'

export type Assignment = {
  /** The jobs that wait for each set, by the set's runner prefix. */
  readonly waiting: ReadonlyMap<string, readonly ListedJob[]>
  /** The jobs whose labels no set has. */
  readonly unserved: readonly ListedJob[]
}

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
  const unserved: ListedJob[] = []
  for (const job of jobs) {
    if (job.state !== 'ready') continue
    const fitting = ordered.filter((set) => canServe(set, job))
    const chosen = fitting.find(({ runnerPrefix, max }) => (taken.get(runnerPrefix) ?? 0) < max) ?? fitting[0]
    if (!chosen) {
      unserved.push(job)
      continue
    }
    taken.set(chosen.runnerPrefix, (taken.get(chosen.runnerPrefix) ?? 0) + 1)
    waiting.get(chosen.runnerPrefix)?.push(job)
  }
  return { waiting, unserved }
}

/** Whether a set or a runner with these labels may have the job (docs/reference/gitea.md#s4-3). */
export function canServe(one: { readonly labels: readonly string[] }, job: Pick<ListedJob, 'labels'>): boolean {
  return job.labels.every((label) => one.labels.includes(label))
}

function runningOf(jobs: readonly ListedJob[], { runnerPrefix }: ForgeSet): number {
  return jobs.filter(({ state, runnerName }) => state === 'running' && runnerName.startsWith(runnerPrefix)).length
}
