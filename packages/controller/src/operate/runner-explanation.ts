// The explanation of one runner: its present step and the reason, from its pod, its Events and the jobs that the set remembers.

import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { failureOfEnd } from '@dayfly/runner-set/core/end'
import { startCause, startDeadline } from '@dayfly/runner-set/core/life'
import { needsCordon } from '@dayfly/runner-set/core/needs-cordon'
import { phaseOf } from '@dayfly/runner-set/core/phase'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { Phase, PodFacts, Runner } from '@dayfly/runner-set/model/runner'
import type { Problem } from './problems.ts'
import type { JobView, SetView } from './set-view.ts'
import { giveUpText } from './waiting-steps.ts'

export type RunnerExplanation = {
  /** `gone`: there is no such pod any more. */
  readonly phase: Phase | 'gone'
  /** Sentences: what the runner does, and what the controller does about it. */
  readonly sentences: readonly string[]
  readonly problem: Problem | undefined
}

export type ExplanationMoment = { readonly view: SetView; readonly limits: Limits; readonly now: Instant }

/** @param jobs the jobs that the set remembers of the runner, the newest first */
export function explanationOf(runner: Runner, jobs: readonly JobView[], moment: ExplanationMoment): RunnerExplanation {
  if (runner.pod.is !== 'present')
    return { phase: 'starting', sentences: ['Its pod is requested.'], problem: undefined }
  const pod = runner.pod.value
  const phase = phaseOf(runner)
  const part =
    pod.deletionDeadline !== undefined
      ? deleting(pod, pod.deletionDeadline, moment)
      : byPhase[phase](runner, pod, moment)
  const ofJobs = jobsSentences(jobs, moment.now, phase === 'ended')
  return { phase, ...part, sentences: [...part.sentences, ...ofJobs, ...rerunSentences(moment.view, runner.name)] }
}

/** A runner whose pod does not exist any more. */
export function explanationOfGone(jobs: readonly JobView[], now: Instant): RunnerExplanation {
  const sentences = ['It is gone: its pod does not exist any more.', ...jobsSentences(jobs, now, true)]
  return { phase: 'gone', sentences, problem: undefined }
}

type Part = Pick<RunnerExplanation, 'sentences' | 'problem'>

const byPhase: Readonly<Record<Phase, (runner: Runner, pod: PodFacts, moment: ExplanationMoment) => Part>> = {
  starting,
  idle: ({ registration }, { startedAt }, { now }) => {
    const since = startedAt === undefined ? '' : `, for ${ageText(now - startedAt)}`
    const online = registration.is === 'present' ? registration.value.status : 'unknown'
    const seen =
      online === 'unknown' ? 'Whether it is online at the forge is not known here.' : `It is ${online} at the forge.`
    return { sentences: [`Its container runs${since}, and no job of it is known. ${seen}`], problem: undefined }
  },
  busy: ({ registration }, _pod, { view }) => ({
    sentences: [
      'It has a job. The controller does not end it, unless lifeMax is over.',
      ...cordonSentences(view, registration.is === 'present' ? registration.value.isCordoned : undefined),
    ],
    problem: undefined,
  }),
  spent: (_runner, _pod, { view }) => ({
    sentences:
      view.set && needsCordon(view.set)
        ? [
            'Its job is over, and it gets no other one. The controller removes its registration once it is certain that no job began, and then its pod.',
          ]
        : ['Its job is over, and its container still runs.'],
    problem: undefined,
  }),
  ended,
}

/** @param isCordoned undefined if it is not known */
function cordonSentences(view: SetView, isCordoned: boolean | undefined): readonly string[] {
  if (!view.set || !needsCordon(view.set)) return []
  if (isCordoned) return ['It is cordoned: the forge gives it no other job.']
  return ['The controller cordons it, so that the forge gives it no other job, and removes it after the job.']
}

function starting(runner: Runner, pod: PodFacts, { limits, now, view }: ExplanationMoment): Part {
  const cause = startCause(runner, pod)
  if (cause.reason === 'start-unexplained' && now - pod.progressedAt < limits.explainMs) {
    const since = ageText(now - pod.createdAt)
    return { sentences: [`It starts, since ${since}. Nothing holds it up yet.`], problem: undefined }
  }
  const deadline = startDeadline(cause, pod, view.set?.startMaxMs ?? Number.POSITIVE_INFINITY)
  if (cause.step) {
    const step = `It starts: ${cause.message} since ${ageText(now - cause.since)}.`
    return { sentences: [step, giveUpText(deadline, now)], problem: undefined }
  }
  const sentences = [
    `It does not start, for ${ageText(now - cause.since)}.`,
    `${giveUpText(deadline, now)} Then it removes this runner, and starts another one if a job still waits.`,
  ]
  return { sentences, problem: problemOf(cause) }
}

function ended(runner: Runner, { end }: PodFacts, { now, view }: ExplanationMoment): Part {
  if (!end) return { sentences: [], problem: undefined }
  const failure = failureOfEnd(runner, end, view.set)
  const kept = failure ? view.set?.keepFailedMs : view.set?.keepFinishedMs
  const until = end.at + (kept ?? 0) - now
  const keep =
    until > 0 ? `Its pod is kept for debugging, for ${ageText(until)} more.` : 'The controller deletes its pod.'
  const result = `Its container ended ${ageText(now - end.at)} ago with exit code ${end.exitCode} (${end.reason}).`
  return { sentences: [result, keep], problem: failure && problemOf(failure) }
}

function deleting({ uid: _uid, ...pod }: PodFacts, deadline: Instant, { limits, now }: ExplanationMoment): Part {
  const left = deadline - now
  if (left > 0)
    return {
      sentences: [`Its pod is being deleted: the containers have ${ageText(left)} left to end.`],
      problem: undefined,
    }
  const late = `The deadline of its deletion passed ${ageText(-left)} ago.`
  if (-left < limits.terminationMs) return { sentences: [late], problem: undefined }
  const message = pod.node === undefined ? 'no node has it' : `it is on the node ${pod.node}`
  return {
    sentences: [late, 'It does not count against max any more.'],
    problem: problemOf({ reason: 'termination-stuck', message }),
  }
}

function problemOf({ reason, message }: Failure): Problem {
  const { sentence, next } = failureInfo(reason)
  return { reason, sentence, detail: message, next }
}

/** The oldest job first. A second one began before the runner was cordoned. */
/** The set has not decided yet whether the job runs again, or its author is not notified yet. */
function rerunSentences({ rerun }: SetView, runner: string): readonly string[] {
  const broken = rerun?.pending.find((one) => one.runner === runner)
  return broken ? [`Its job "${broken.job}" was broken (${broken.detail}), and the set follows it at the forge.`] : []
}

function jobsSentences(jobs: readonly JobView[], now: Instant, gone: boolean): readonly string[] {
  const late = jobs.length > 1 ? [`It had ${jobs.length} jobs: its cordon came too late for the later ones.`] : []
  return [...late, ...jobs.toReversed().flatMap((job) => jobSentences(job, now, gone))]
}

/** Says when a job began, and its result. The report of a job's end is lost if nobody listens to the forge, for example while the set is paused. */
function jobSentences(job: JobView, now: Instant, gone: boolean): readonly string[] {
  const named = `The job "${job.name || job.id}"${job.name ? ` (${job.id})` : ''}${job.repository ? ` of ${job.repository}` : ''}`
  const began = `${named} began ${agoText(job.startedAt, now)}`
  if (job.result !== undefined) return [`${began} and ended ${agoText(job.finishedAt, now)}: ${job.result}.`]
  return [gone ? `${began}. Its result is not recorded here: the forge knows it.` : `${began} and runs.`]
}

function agoText(text: string | undefined, now: Instant): string {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? 'at an unknown time' : `${ageText(now - at)} ago`
}
