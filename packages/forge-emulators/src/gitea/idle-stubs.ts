// The stub runners that wait for a job. Most of them share a place and their labels, so that a search passes few groups.
import type { Job, Runner } from './state.ts'
import { serves } from './waiting.ts'

/** The stub runners that wait for a job, the longest idle one first. */
export interface IdleStubs {
  add(runner: Runner): void
  remove(runner: Runner): void
  /** Returns a runner that may take the job. */
  find(job: Job): Runner | undefined
  clear(): void
}

export function createIdleStubs(): IdleStubs {
  const groups = new Map<string, Set<Runner>>()
  const keyOf = ({ place, labels }: Runner) => JSON.stringify([place.id, labels])
  return {
    add: (runner) => {
      const key = keyOf(runner)
      groups.set(key, (groups.get(key) ?? new Set()).add(runner))
    },
    remove: (runner) => {
      const key = keyOf(runner)
      const group = groups.get(key)
      group?.delete(runner)
      if (group?.size === 0) groups.delete(key)
    },
    find: ({ plan, run }) => {
      for (const group of groups.values()) {
        const [first] = group
        if (!first || !serves(first, run.repository) || !plan.labels.every((label) => first.labelSet.has(label)))
          continue
        for (const runner of group) if (!runner.disabled) return runner
      }
      return undefined
    },
    clear: () => groups.clear(),
  }
}
