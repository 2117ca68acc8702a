// Decides which workflows the demo runs and how often, and counts their jobs.
import { knownCells } from '@dayfly/forge-emulators/workflow/matrix'
import type { Workflow } from '@dayfly/forge-emulators/workflow/workflow'

/**
 * Returns the workflows or pipelines in the order of their runs. Without `jobs`, each runs once. With it, they repeat until there are at least that many
 * jobs, and exactly that many if a smaller workflow fills the rest.
 */
export function scheduleRuns<Input>(
  inputs: readonly Input[],
  jobs: number | undefined,
  count: (input: Input) => number,
): readonly Input[] {
  if (jobs === undefined) return inputs
  const sizes = inputs.map((input) => ({ input, size: count(input) }))
  const runs: Input[] = []
  let left = jobs
  while (left > 0) {
    let fits = false
    for (const { input, size } of sizes) {
      if (size > left) continue
      fits = true
      left -= size
      runs.push(input)
    }
    if (!fits) {
      runs.push(sizes.reduce((one, other) => (other.size < one.size ? other : one)).input)
      break
    }
  }
  return runs
}

/** Counts the jobs that are known before the run. A matrix from an expression counts as one job. */
export function countJobs(workflow: Workflow): number {
  return workflow.jobs.reduce((sum, { strategy }) => sum + knownCells(strategy), 0)
}
