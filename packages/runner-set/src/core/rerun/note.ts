// The message to the author of a commit about a broken job: what happened, and whether it is repeated.
import { listAt, textAt } from '@dayfly/kit/read-json'
import { type BrokenJob, breakCauses, type ForgeJob, type Note, type Settled } from '../../model/rerun.ts'
import { runnerContainer } from '../../model/runner-names.ts'
import type { RunnerSet } from '../../model/runner-set.ts'

/** The other verdicts need no word: the job has an end of its own, or an author who knows it. */
const consequences: Readonly<Partial<Record<Settled, string>>> = {
  'by-dayfly': 'Dayfly has repeated the job, and you need to do nothing.',
  cause: 'The job is not repeated, because it would fail again.',
  'run-budget': 'The job is not repeated, because its run was repeated as often as the operator allows.',
  'day-budget': 'The job is not repeated, because the operator allows no further one today.',
}

/** Returns undefined if the author needs no word, or the forge showed no such job. */
export function noteOf(
  broken: BrokenJob,
  verdict: Settled,
  job: ForgeJob | undefined,
  set: RunnerSet,
): Note | undefined {
  const { runner, repository, name, cause, detail } = broken
  const consequence = consequences[verdict]
  if (!consequence || !job) return undefined
  const what = `${breakCauses[cause].sentence}${cause === 'runner-out-of-memory' ? memoryText(set) : ''}${stepText(job)}.`
  const advice = cause === 'runner-out-of-memory' ? ` ${memoryAdvice(set)}` : ''
  const text = `${what} ${consequence}${advice}\n\nObserved at runner ${runner}: ${detail}`
  return { runner, repository, sha: job.sha, title: `${name}: ${breakCauses[cause].sentence}`.slice(0, 200), text }
}

function stepText({ openStep, failedStep }: ForgeJob): string {
  const step = openStep ?? failedStep
  return step === undefined ? '' : ` during the step "${step.slice(0, 100)}"`
}

function memoryText(set: RunnerSet): string {
  const limit = memoryLimit(set)
  return limit === undefined ? '' : ` (${limit})`
}

function memoryAdvice({ name }: RunnerSet): string {
  return `In the workflow, name a set with more memory instead of \`runs-on: ${name}\`, or let the step run less at once.`
}

/** Returns the memory limit of the runner container, if the template of the set states one. */
function memoryLimit({ template }: RunnerSet): string | undefined {
  const runner = listAt(template.spec, 'containers').find((one) => textAt(one, 'name') === runnerContainer)
  return textAt(runner, 'resources', 'limits', 'memory')
}
