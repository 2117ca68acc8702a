// The phases of a life: from one step to another. A phase of which the journal dated no beginning has no span.
import type { Instant } from '@dayfly/kit/clock'
import { failureOf, type Job, type Life, type Step } from '../lives/life.ts'
import { type Result, result, resultOf } from '../results.ts'

export type Phase = {
  readonly name: string
  readonly startAt: Instant
  readonly endAt: Instant
  readonly result: Result
  /** The job of this phase. */
  readonly job?: Job
}

type Bounds = { readonly from: Instant | undefined; readonly to: Instant | undefined }

/** Returns the phases in the order of their beginnings. */
export function phasesOf(life: Life): readonly Phase[] {
  const { steps, jobs } = life
  const [first] = jobs
  const queued = done('queued', { from: first?.queuedAt, to: first?.startedAt })
  return [
    ...(queued && first ? [{ ...queued, job: first }] : []),
    ...start(life),
    ...wait(life),
    ...jobs.flatMap((job) => ofJob(life, job)),
    ...only(done('end', { from: endBeganAt(life), to: steps.gone })),
  ].sort((one, other) => one.startAt - other.startAt)
}

const starts: readonly (readonly [name: string, from: Step, to: Step])[] = [
  ['register', 'requested', 'registered'],
  ['create pod', 'registered', 'created'],
  ['start', 'created', 'started'],
  ['connect', 'started', 'online'],
]

/** The last phase of a start that failed ends with the failure, or with the life. */
function start(life: Life): readonly Phase[] {
  const { steps } = life
  const reached = starts.findLastIndex(([, from]) => steps[from] !== undefined)
  return starts.flatMap(([name, from, to], index) => {
    const whole = done(name, { from: steps[from], to: steps[to] })
    // A runner that gets its job at once is never listed as online.
    if (whole || index !== reached || to === 'online' || life.jobs.length > 0) return only(whole)
    const failure = failureOf(life)
    const of = failure ? result.error : result.cancellation
    return only(done(name, { from: steps[from], to: failure?.at ?? steps.ended ?? steps.gone }, of))
  })
}

/** Until the forge has seen the runner online, the wait begins with its container. */
function wait(life: Life): readonly Phase[] {
  const { steps, jobs } = life
  const from = steps.online ?? steps.started
  const job = jobs[0]?.startedAt
  if (job !== undefined) return only(done('wait for job', { from, to: job }))
  if (jobs.length > 0) return []
  const of = failureOf(life) ? result.error : result.skip
  return only(done('wait for job', { from, to: steps.ended ?? steps.gone }, of))
}

/** A runner may end before its job is reported as over. */
function ofJob(life: Life, job: Job): readonly Phase[] {
  const { startedAt: from, finishedAt, result: word } = job
  const to = finishedAt ?? life.steps.ended ?? life.steps.gone
  const lost = failureOf(life) ? result.error : result.unknown
  const phase = done('job', { from, to }, word === undefined ? lost : resultOf(word))
  return only(phase && { ...phase, job })
}

/** The container ended, or its job did. Without both, a failed start began the end. */
export function endBeganAt(life: Life): Instant | undefined {
  const { steps, jobs } = life
  const known = [steps.ended, jobs.at(-1)?.finishedAt].filter((at) => at !== undefined)
  if (known.length > 0) return Math.min(...known)
  return steps.started === undefined ? failureOf(life)?.at : undefined
}

/** Events may arrive in another order than they happened: a phase that would end before it began is unknown. */
function done(name: string, { from, to }: Bounds, of: Result = result.success): Phase | undefined {
  if (from === undefined || to === undefined || to < from) return undefined
  return { name, startAt: from, endAt: to, result: of }
}

function only(phase: Phase | undefined): readonly Phase[] {
  return phase ? [phase] : []
}
