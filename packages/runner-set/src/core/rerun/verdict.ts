// Whether a job that the infrastructure broke is repeated: from its cause, the forge's record of its run, and the budgets. One table.
import type { Instant } from '@dayfly/kit/clock'
import { type BrokenJob, breakCauses, type ForgeJob, type NotRepeated, type RerunPolicy } from '../../model/rerun.ts'

export type RunView = {
  /** Each job of the run, in its latest attempt. */
  readonly jobs: readonly ForgeJob[]
  readonly policy: RerunPolicy
  /** How many jobs the set may still repeat today. */
  readonly left: number
  readonly now: Instant
}

/** `wait`: the run is open. `end`: it is open only because the forge waits for the dead runner. */
export type Verdict =
  | { readonly is: 'repeat'; readonly job: ForgeJob }
  | { readonly is: 'wait' }
  | { readonly is: 'end' }
  | { readonly is: 'not'; readonly why: NotRepeated; readonly job: ForgeJob | undefined }

/** A runner that is asked to end may report its job this long after its pod has ended: GitHub takes 15 to 26 s (docs/reference/scale-set-protocol.md#s16-7). */
const reportMs = 30_000
/** A dead runner is waited for this long before the run is ended for it, in milliseconds. */
export const graceMs = 5_000
/** GitHub ends the job of a dead runner within 10 minutes of its last sign of life. A run may have other jobs that go on for longer. */
const unknownMs = 20 * 60_000
/** GitHub repeats nothing after 30 days. A job that waited for a day is of no use any more. */
export const forgetMs = 24 * 3_600_000

export function verdictOf(broken: BrokenJob, view: RunView): Verdict {
  const job = view.jobs.find(({ runner }) => runner === broken.runner)
  if (!job) return unseen(broken, view)
  const isOpen = job.state === 'open'
  const own = isOpen ? undefined : ownEnd(broken, job)
  if (own) return { is: 'not', why: own, job }
  if (!breakCauses[broken.cause].repeats) return { is: 'not', why: 'cause', job }
  const others = view.jobs.filter((one) => one !== job && one.state === 'open')
  if (others.length > 0) return late(broken, view, forgetMs, job)
  if (isOpen) {
    const endable = !broken.ended && view.now >= broken.endedAt + graceMs
    return endable ? { is: 'end' } : late(broken, view, unknownMs, job)
  }
  if (view.jobs.some(({ attempt }) => attempt > view.policy.perRun)) return { is: 'not', why: 'run-budget', job }
  return view.left > 0 ? { is: 'repeat', job } : { is: 'not', why: 'day-budget', job }
}

/** Its place in the latest attempt has another runner, or none yet: another client repeated it. */
function unseen(broken: BrokenJob, view: RunView): Verdict {
  if (view.jobs.some(({ attempt }) => attempt > 1)) return { is: 'not', why: 'repeated', job: undefined }
  return late(broken, view, unknownMs, undefined)
}

function late({ endedAt }: BrokenJob, { now }: RunView, ms: number, job: ForgeJob | undefined): Verdict {
  return now < endedAt + ms ? { is: 'wait' } : { is: 'not', why: 'unknown', job }
}

/** Returns why the job, and not the infrastructure, is the cause of its end. */
function ownEnd(broken: BrokenJob, { state, failedStep, finishedAt }: ForgeJob): NotRepeated | undefined {
  if (state === 'succeeded' || state === 'skipped') return 'succeeded'
  if (failedStep !== undefined) return 'own-step'
  if (finishedAt !== undefined && finishedAt < broken.brokeAt - 1_000) return 'over-before'
  const isForeign = !broken.ended && finishedAt !== undefined && finishedAt > broken.endedAt + reportMs
  return state === 'cancelled' && isForeign ? 'cancelled' : undefined
}
