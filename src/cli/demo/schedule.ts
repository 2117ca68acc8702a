// Which workflows the demo runs, how often, and how many jobs that makes.
import { hasExpression } from '../../emulator/expression.ts'
import { expandMatrix } from '../../emulator/workflow/matrix.ts'
import type { Workflow } from '../../emulator/workflow/workflow.ts'

/** The workflows in the order in which they are run. Without `jobs` each runs once; with it they are repeated until there are so many
 *  jobs, and no more wherever a smaller workflow fills the rest. */
export function scheduleRuns<T extends { readonly workflow: Workflow }>(
  inputs: readonly T[],
  jobs: number | undefined,
): readonly T[] {
  if (jobs === undefined) return inputs
  const sizes = inputs.map((input) => ({ input, size: countJobs(input.workflow) }))
  const runs: T[] = []
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

/** As far as it is known before the run: a matrix that only an expression tells counts as one job. */
export function countJobs(workflow: Workflow): number {
  return workflow.jobs.reduce((sum, { strategy }) => {
    const known = strategy.matrix !== undefined && !hasExpression(strategy.matrix)
    return sum + (known ? expandMatrix(strategy.matrix).length : 1)
  }, 0)
}
