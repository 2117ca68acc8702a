// Answers "where is my job?": what the text names, and for each job one sentence.

import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Found, FoundJob } from '../model/details.ts'
import type { JobShown, Life, WaitingJob } from '../model/life.ts'
import type { UnservedNow } from '../model/set-now.ts'
import { type Query, readQuery } from './read-query.ts'

export type FindIn = {
  readonly lives: Iterable<Life>
  readonly jobs: Iterable<WaitingJob>
  readonly now: Instant
  /** From when on the history is complete; null if this process never led. */
  readonly since: Instant | null
  /** Says in one sentence why a job waits; null if nothing holds it up. */
  readonly why: (job: WaitingJob) => string | null
  /** The waiting jobs that no set can have, as far as they are known. */
  readonly unserved: UnservedNow['jobs']
}

const shownMax = 50

export function find(text: string, { lives, jobs, now, since, why, unserved }: FindIn): Found {
  const query = readQuery(text)
  const kept = [...lives]
  const waiting = [...jobs]
  for (const { as, matches } of query.readings) {
    const found = [
      ...waiting.filter((job) => matches(job, null)).map((job) => waitingJob(job, why(job), now)),
      ...unserved.flatMap((one) => unservedJob(one, matches, now)),
      ...kept.flatMap((life) => (life.job && matches(life.job, life) ? [jobOfLife(life, life.job, now)] : [])),
    ]
    if (found.length === 0) continue
    const shown = found.sort((one, next) => next.at - one.at).slice(0, shownMax)
    const more = found.length > shownMax ? ` The newest ${shownMax} of ${found.length} jobs are shown.` : ''
    return { query: query.text, read: `It was read as ${as}.${more}`, jobs: shown, next: null }
  }
  return { query: query.text, ...nothing(query, kept, since) }
}

function nothing(query: Query, lives: readonly Life[], since: Instant | null): Omit<Found, 'query'> {
  if (query.text === '') {
    return {
      read: 'The text is empty.',
      jobs: [],
      next: 'Enter the address of a run, the name or id of a job, a runner, a repository or a branch.',
    }
  }
  const read = `No job was found for ${query.readings[0]?.as ?? 'this address'}${query.readings.length > 1 ? ', or for any other way to read it' : ''}.`
  const idle = lives.find(({ runner, id }) => runner === query.text || id === query.text)
  if (idle) return { read: `It was read as the runner ${idle.runner}.`, jobs: [], next: runnerText(idle) }
  const begin =
    since === null ? 'This process has not led yet, so it knows no job.' : `The history begins at ${timestamp(since)}.`
  const hidden =
    'A job whose labels no set has may not reach Dayfly: compare its runs-on with the sets, and look at its run at the forge.'
  return { read, jobs: [], next: query.limit ?? `${begin} ${hidden}` }
}

function runnerText({ runner, set, phase, problem }: Life): string {
  const is = {
    starting: 'it starts',
    idle: 'it waits for one',
    busy: 'it is busy',
    ending: 'it ends',
    gone: 'it is gone',
  }
  const why = problem ? ` ${problem.sentence} ${problem.next}` : ''
  return `No job of the runner ${runner} of the set ${set} is known: ${is[phase]}.${why}`
}

function waitingJob(job: WaitingJob, why: string | null, now: Instant): FoundJob {
  const { set, queuedAt, ...shown } = job
  const sentence = `It waits for ${ageText(now - queuedAt)} in the set ${set}${why === null ? '' : `: ${withoutStop(why)}`}.`
  return { address: addressOf(job), job: shown, is: 'waiting', sentence, at: queuedAt, life: null, waiting: job }
}

function unservedJob(
  { sentence, id, name, repository }: UnservedNow['jobs'][number],
  matches: Query['readings'][number]['matches'],
  now: Instant,
): readonly FoundJob[] {
  const job: JobShown = { id, name, repository, workflow: null, ref: null, run: null, url: null }
  if (!matches(job, null)) return []
  return [{ address: addressOf(job), job, is: 'waiting', sentence, at: now, life: null, waiting: null }]
}

function jobOfLife(life: Life, job: JobShown, now: Instant): FoundJob {
  const { steps, phase, runner, set } = life
  const isRunning = phase === 'busy'
  const endedAt = steps.jobFinished ?? steps.ended ?? steps.gone
  const at = (isRunning ? null : endedAt) ?? steps.jobStarted ?? steps.online ?? steps.created ?? now
  const where = `the runner ${runner} of the set ${set}`
  const since = steps.jobStarted === null ? '' : ` for ${ageText(now - steps.jobStarted)}`
  const problem = life.problem ? ` ${life.problem.sentence}` : ''
  const sentence = isRunning
    ? `It runs${since} on ${where}.${problem}`
    : `${endText(life, endedAt, now)} ${runnerEnd(life, where)}${problem}`
  return { address: addressOf(job), job, is: isRunning ? 'running' : 'ended', sentence, at, life, waiting: null }
}

/** The end of a job is never reported if nobody listened to the forge then, or if its runner vanished. */
function endText({ result }: Life, endedAt: Instant | null, now: Instant): string {
  const when = endedAt === null ? '' : ` ${ageText(now - endedAt)} ago`
  if (result === null || result === 'unknown') return `It ended${when}; only the forge knows its result.`
  return `It ended${when}: ${result}.`
}

function runnerEnd({ exitCode, phase }: Life, where: string): string {
  const subject = where.replace(/^the/, 'The')
  if (exitCode !== null) return `${subject} ended with exit code ${exitCode}.`
  return phase === 'gone' ? `${subject} is gone.` : `${subject} still ends.`
}

function addressOf({ repository, id }: JobShown): string {
  return `#/job/${encodeURIComponent(repository || '-')}/${encodeURIComponent(id)}`
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '')
}
