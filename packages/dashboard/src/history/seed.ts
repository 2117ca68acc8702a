// A life that was there before this process: from its pod, and from the jobs that the set's status remembers.
import type { Instant } from '@dayfly/kit/clock'
import type { JobRecord } from '@dayfly/runner-set/model/status'
import { type Followed, newFollowed } from './followed.ts'
import { completed, jobShown } from './job-shown.ts'
import type { SetFacts } from './set-facts.ts'
import { mergedSteps, noSteps, withStep } from './steps.ts'

export type SeedLife = {
  readonly namespace: string
  readonly set: string
  readonly runner: string
  /** Undefined if the pod is gone and only the status remembers the runner. */
  readonly pod:
    | {
        readonly createdAt: Instant
        readonly startedAt: Instant | undefined
        readonly node: string | undefined
        readonly end: { readonly at: Instant; readonly exitCode: number } | undefined
      }
    | undefined
  /** The forge has seen it. */
  readonly isOnline: boolean
  /** The last job of the runner in the set's status. */
  readonly job: JobRecord | undefined
}

/** @param before what events have shown of it: the earlier time of a step counts */
export function seeded(
  before: Followed | undefined,
  seed: SeedLife,
  { at, facts }: { readonly at: Instant; readonly facts: SetFacts | undefined },
): Followed {
  const { pod } = seed
  const found = before ?? newFollowed(seed, at)
  const withPod: Followed = pod
    ? {
        ...found,
        hasPod: true,
        isBegun: true,
        lostAt: null,
        life: {
          ...found.life,
          node: pod.node ?? found.life.node,
          exitCode: pod.end?.exitCode ?? found.life.exitCode,
          steps: mergedSteps(found.life.steps, {
            ...noSteps,
            created: pod.createdAt,
            started: pod.startedAt ?? null,
            ended: pod.end?.at ?? null,
          }),
        },
      }
    : { ...found, lostAt: found.hasPod ? found.lostAt : (found.lostAt ?? at) }
  return withPhase(withRecord(withPod, seed.job, facts), seed)
}

function withRecord(before: Followed, record: JobRecord | undefined, facts: SetFacts | undefined): Followed {
  const { job } = before.life
  if (!record) return before
  const shown = jobShown(record, facts)
  if (job && job.id !== shown.id) return before
  let { steps } = before.life
  const startedAt = Date.parse(record.startedAt)
  const finishedAt = Date.parse(record.finishedAt ?? '')
  if (!Number.isNaN(startedAt)) steps = withStep(steps, 'jobStarted', startedAt)
  if (!Number.isNaN(finishedAt)) steps = withStep(steps, 'jobFinished', finishedAt)
  const result = before.life.result ?? record.result
  return { ...before, life: { ...before.life, job: job ? completed(job, shown) : shown, result, steps } }
}

function withPhase(before: Followed, { isOnline }: SeedLife): Followed {
  const { reached, life } = before
  if (reached === 'gone') return before
  const { ended, jobFinished, jobStarted } = life.steps
  if (ended !== null || jobFinished !== null || reached === 'ending') return { ...before, reached: 'ending' }
  if (jobStarted !== null || reached === 'busy') return { ...before, reached: 'busy' }
  return { ...before, reached: isOnline ? 'idle' : reached }
}
