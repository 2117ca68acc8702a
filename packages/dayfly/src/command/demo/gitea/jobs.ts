// Plans the jobs of workflow files as Gitea does, before their run, and the labels that runners need for them.
import { CliFailure, type FailureDetails } from '@dayfly/command-line/failure'
import type { Input } from '@dayfly/forge-emulators/command/input'
import { ExpressionFailure } from '@dayfly/forge-emulators/expression'
import { plansOf } from '@dayfly/forge-emulators/gitea/plans'
import type { JobPlan } from '@dayfly/forge-emulators/gitea/state'
import { MatrixError } from '@dayfly/forge-emulators/workflow/matrix'

/** A workflow, and the jobs that it has at Gitea. */
export type PlannedInput = Input & { readonly plans: readonly JobPlan[] }

/** The most labels of one set. */
const labelsMax = 20
/** Every other text is no label of a runner. */
const label = /^[^\s:,]{1,128}$/

/** Throws one `CliFailure` with all jobs that Gitea cannot make, and all that would wait there forever. */
export function planInputs(inputs: readonly Input[]): readonly PlannedInput[] {
  const problems: Problem[] = []
  const planned = inputs.flatMap((input) => {
    const plans = plansFor(input)
    problems.push(...('code' in plans ? [plans] : plans.flatMap((plan) => problemOf(input, plan))))
    return 'code' in plans ? [] : [{ ...input, plans }]
  })
  const [first, ...others] = problems
  if (first) throw new CliFailure({ ...first, others })
  return planned
}

type Problem = Pick<FailureDetails, 'code' | 'sentence' | 'next' | 'at'>

function plansFor({ workflow, checkout }: Input): readonly JobPlan[] | Problem {
  try {
    return plansOf(workflow, checkout, 1)
  } catch (error) {
    if (!(error instanceof MatrixError) && !(error instanceof ExpressionFailure)) throw error
    const next = 'Gitea evaluates matrices, names and labels before the run, so let none depend on `needs`.'
    return { code: 'workflow-invalid', at: `${workflow.file}:1:1`, sentence: error.message, next }
  }
}

function problemOf({ workflow }: Input, { name, labels }: JobPlan): readonly Problem[] {
  const wrong = labels.find((each) => !label.test(each))
  if (wrong === undefined && labels.length <= labelsMax) return []
  const what = wrong === undefined ? `more than ${labelsMax} labels` : `the label "${wrong.slice(0, 80)}"`
  const sentence = `The job ${name} asks for ${what}, which no runner has, so Gitea would let it wait forever.`
  const next = 'Change its `runs-on`. A label has no space, colon or comma.'
  return [{ code: 'workflow-invalid', at: `${workflow.file}:1:1`, sentence, next }]
}

/** Returns the labels of each set, so that for each job one set has all of its labels. */
export function labelsOfSets(jobs: readonly Pick<JobPlan, 'labels'>[]): readonly (readonly string[])[] {
  const sets: Set<string>[] = [new Set()]
  for (const { labels } of jobs) {
    const fits = (set: ReadonlySet<string>) => new Set([...set, ...labels]).size <= labelsMax
    const found = sets.find(fits) ?? new Set<string>()
    if (!sets.includes(found)) sets.push(found)
    for (const each of labels) found.add(each)
  }
  return sets.map((set) => [...set])
}
