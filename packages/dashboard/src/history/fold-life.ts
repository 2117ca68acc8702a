// Folds one event of the journal into the life of its runner. An event may be missing, come twice, or come in another order.
import type { Instant } from '@dayfly/kit/clock'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { JobShown, LifePhase } from '../model/life.ts'
import { type EarlierJob, type Followed, lifePhases, type ProblemKind, problemKinds, wordsOf } from './followed.ts'
import { completed, jobShown, unnamedJob } from './job-shown.ts'
import type { SetFacts } from './set-facts.ts'
import { type StepName, withStep } from './steps.ts'

export type RunnerEvent = Extract<JournalEvent, { readonly runner: string }>
type EventOf<Kind extends RunnerEvent['kind']> = Extract<RunnerEvent, { readonly kind: Kind }>

export type LifeMoment = {
  readonly at: Instant
  readonly facts: SetFacts | undefined
  /** Returns what an earlier message said of a job. */
  readonly knownJob: (id: string) => JobShown | undefined
}

/** A first list reports the start and the end of an old pod within this time: neither happened then. */
const oneListMs = 1_000
/** Only a forge that gives a runner several jobs by mistake adds to these. */
const earlierJobsMax = 10

export function foldLife(before: Followed, event: RunnerEvent, moment: LifeMoment): Followed {
  switch (event.kind) {
    case 'runner-registered':
      return begun(before, 'registered', moment.at)
    case 'pod-created':
      return begun(before, 'created', moment.at)
    case 'runner-started':
      return started(before, event, moment)
    case 'runner-online':
      return online(before, moment.at)
    case 'job-started':
      return jobStarted(before, event, moment)
    case 'job-finished':
      return jobFinished(before, event, moment)
    case 'runner-ended':
      return ended(before, event, moment.at)
    case 'runner-gone':
      return reaching(stepped(progressed(before), 'gone', moment.at), 'gone')
    case 'runner-delayed':
      return withProblem(before, 'delayed', event.failure)
    case 'cordon-failed':
      return withProblem(before, 'cordon', event.failure)
    case 'job-pod-failed':
    case 'job-doubtful':
      return withProblem(before, 'job', event.failure)
    case 'runner-failed':
      return withProblem(before, 'failed', event.failure)
    case 'start-refused':
      return withProblem(reaching(stepped(before, 'gone', moment.at), 'gone'), 'failed', event.failure)
    case 'job-late':
    case 'job-repeated':
    case 'job-not-repeated':
    case 'runner-cordoned':
      return before
  }
}

function begun(before: Followed, step: StepName, at: Instant): Followed {
  return stepped({ ...seen(before), isBegun: true }, step, at)
}

/** Its pod exists, so an earlier loss of its events is over. */
function seen(before: Followed): Followed {
  return before.hasPod && before.lostAt === null ? before : { ...before, hasPod: true, lostAt: null }
}

/** A process that did not see the pod before it started cannot know when it did. */
function started(before: Followed, { node, startMs }: EventOf<'runner-started'>, { at }: LifeMoment): Followed {
  const isBegun = before.isBegun || startMs !== undefined
  const after = progressed({ ...seen(before), isBegun, life: { ...before.life, node: node ?? before.life.node } })
  return isBegun ? stepped(after, 'started', at) : after
}

function online(before: Followed, at: Instant): Followed {
  const after = reaching(progressed(before), 'idle')
  return before.isBegun ? stepped(after, 'online', at) : after
}

function jobStarted(before: Followed, event: EventOf<'job-started'>, { at, facts, knownJob }: LifeMoment): Followed {
  const known = knownJob(event.job.id)
  const shown = jobShown(event.job, facts)
  const job = known ? completed(shown, known) : shown
  const isNext = before.life.job !== null && before.life.job.id !== job.id
  const current = progressed(isNext ? withoutJob(before, at) : before)
  const noted = stepped(current.isBegun ? stepped(current, 'online', at) : current, 'jobStarted', at)
  const whole = noted.life.job ? completed(job, noted.life.job) : job
  const after = reaching({ ...noted, life: { ...noted.life, job: whole } }, 'busy')
  return event.queuedMs === undefined ? after : stepped(after, 'queued', at - Math.max(0, event.queuedMs))
}

/** The runner takes another job. Its life shows the last one; the time of the earlier ones still counts. */
function withoutJob(before: Followed, at: Instant): Followed {
  const { life, earlierJobs } = before
  const { job, steps } = life
  if (!job) return before
  const from = steps.jobStarted ?? at
  const earlier: EarlierJob = { job, from, to: Math.max(from, steps.jobFinished ?? at) }
  return {
    ...before,
    // A job that began before the container ended does not bring the runner back.
    reached: before.reached === 'ending' && steps.ended === null ? 'busy' : before.reached,
    earlierJobs: [...earlierJobs, earlier].slice(-earlierJobsMax),
    life: { ...life, job: null, result: null, steps: { ...steps, queued: null, jobStarted: null, jobFinished: null } },
  }
}

/** The end of an earlier job says nothing about the present one. */
function jobFinished(before: Followed, event: EventOf<'job-finished'>, { at, knownJob }: LifeMoment): Followed {
  const { job, result } = before.life
  if (job && job.id !== unnamedJob(event.job).id) return before
  const life = {
    ...before.life,
    job: job ?? knownJob(event.job) ?? unnamedJob(event.job),
    result: result === null || result === 'unknown' ? event.result.slice(0, 100) : result,
  }
  return reaching(stepped(progressed({ ...before, life }), 'jobFinished', at), 'ending')
}

function ended(before: Followed, { exitCode }: EventOf<'runner-ended'>, at: Instant): Followed {
  const life = { ...before.life, exitCode: before.life.exitCode ?? exitCode }
  const after = reaching(progressed({ ...seen(before), life }), 'ending')
  const isNow = before.isBegun || at > before.foundAt + oneListMs
  return isNow ? stepped(after, 'ended', at) : after
}

function stepped(before: Followed, name: StepName, at: Instant): Followed {
  return { ...before, life: { ...before.life, steps: withStep(before.life.steps, name, at) } }
}

function reaching(before: Followed, phase: LifePhase): Followed {
  return lifePhases.indexOf(phase) > lifePhases.indexOf(before.reached) ? { ...before, reached: phase } : before
}

/** The runner goes on, so nothing delays it any more. */
function progressed(before: Followed): Followed {
  if (before.problemIs !== 'delayed') return before
  return { ...before, problemIs: null, life: { ...before.life, problem: null } }
}

function withProblem(before: Followed, is: ProblemKind, failure: Failure): Followed {
  const { problemIs } = before
  if (problemIs !== null && problemKinds.indexOf(is) < problemKinds.indexOf(problemIs)) return before
  return { ...before, problemIs: is, life: { ...before.life, problem: wordsOf(failure) } }
}
