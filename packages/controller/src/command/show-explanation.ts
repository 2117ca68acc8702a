// The text and the JSON of `dayfly explain`.
import { table, wrap } from '@dayfly/command-line/table'
import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import type { UnservedJob } from '@dayfly/runner-set/model/forge-event'
import { unservedNext, unservedText, unservedTexts } from '@dayfly/runner-set/model/unserved-text'
import type { PodObject } from '../observe/pod-object.ts'
import { type ContainerView, containersOf } from '../operate/containers.ts'
import type { EventView } from '../operate/events.ts'
import type { Judged } from '../operate/overview.ts'
import type { SetPlan } from '../operate/plan.ts'
import type { Known } from '../operate/read.ts'
import type { RunnerExplanation } from '../operate/runner-explanation.ts'
import type { JobView, SetView } from '../operate/set-view.ts'
import { planJson, planOfOneLines } from './show-plan.ts'
import { problemLines } from './show-problems.ts'
import { setJson as statusJson } from './show-status.ts'
import { usageJson, usageLines } from './show-usage.ts'

type About = { readonly events: Known<readonly EventView[]>; readonly now: Instant }

export type ExplainedSet = About & {
  readonly judged: Judged
  readonly plan: SetPlan | undefined
  /** The runners whose container may still run. */
  readonly living: ReadonlySet<string>
}

export type ExplainedRunner = About & {
  readonly view: SetView
  readonly name: string
  readonly explanation: RunnerExplanation
  readonly pod: PodObject | undefined
  readonly job: JobView | undefined
}

/** Older Events are left out of the text. */
const eventsShown = 10
const jobsShown = 5

export function setLines({ judged, plan, living, events, now }: ExplainedSet, width: number): readonly string[] {
  const { view, problems } = judged
  const fine = problems.length === 0 ? ['  No problem is known.'] : problemLines(problems, width)
  return [
    `Set ${view.namespace}/${view.name}${view.paused ? ' (paused)' : ''}`,
    ...fine,
    ...versionLines(view, width),
    '',
    ...(plan ? planOfOneLines(plan, judged, width) : ['Now: the controller does not work on a set that is not valid.']),
    ...unservedLines(view, width),
    ...jobLines(jobsOf(view, living), now, width),
    ...usageLines(view, width),
    ...eventLines(events, now, width),
  ]
}

export function setJson({ judged, plan, events }: ExplainedSet): object {
  const { jobs } = judged.view
  return {
    set: statusJson(judged),
    plan: planJson({ judged, plan, forge: undefined }),
    jobs,
    usage: usageJson(judged.view),
    events: eventsJson(events),
  }
}

/** Says what is known of the runner's version. The problems say it themselves if it ends. */
function versionLines({ conditions, problems }: SetView, width: number): readonly string[] {
  const found = conditions.find(({ type }) => type === 'RunnerVersionSupported')
  if (!found || problems.some(({ kind }) => kind === 'version')) return []
  return wrap(found.message, '  ', width)
}

/** The jobs of the account that wait for no set, if this set shows them. */
function unservedLines({ unserved }: SetView, width: number): readonly string[] {
  if (unserved === undefined) return []
  const texts = unservedTexts(unserved).flatMap((text) => wrap(text, '  • ', width))
  return ['', 'Jobs that no set can have:', ...texts, ...wrap(unservedNext, '  next: ', width)]
}

/** A job that waits and that no set can have. */
export type ExplainedJob = { readonly view: SetView; readonly job: UnservedJob }

export function unservedJobLines({ job }: ExplainedJob, width: number): readonly string[] {
  return [
    ...wrap(`Job ${job.name || job.id}: waiting`, '', width),
    ...wrap(unservedText(job), '  ', width),
    ...wrap(unservedNext, '  next: ', width),
  ]
}

export function unservedJobJson({ view, job }: ExplainedJob): object {
  return { namespace: view.namespace, shownBy: view.name, job, sentences: [unservedText(job)], next: unservedNext }
}

export function runnerLines(
  { view, name, explanation, pod, events, now }: ExplainedRunner,
  width: number,
): readonly string[] {
  const { namespace } = view
  const commands = [`kubectl describe pod ${name} -n ${namespace}`, `kubectl logs ${name} -n ${namespace} -c runner`]
  return [
    `Runner ${namespace}/${name} of the set ${view.name}: ${explanation.phase}`,
    ...explanation.sentences.flatMap((sentence) => wrap(sentence, '  ', width)),
    ...(explanation.problem ? problemLines([explanation.problem], width) : []),
    ...(pod ? containerLines(containersOf(pod), now, width) : []),
    ...eventLines(events, now, width),
    ...(pod ? ['', 'More:', ...commands.map((command) => `  ${command}`)] : []),
  ]
}

export function runnerJson({ view, name, explanation, pod, job, events }: ExplainedRunner): object {
  const { namespace } = view
  const { phase, sentences, problem } = explanation
  return {
    namespace,
    set: view.name,
    runner: name,
    phase,
    sentences,
    problem: problem ?? null,
    job: job ?? null,
    containers: pod ? containersOf(pod).map((one) => ({ ...one, since: time(one.since) })) : null,
    events: eventsJson(events),
  }
}

function containerLines(containers: readonly ContainerView[], now: Instant, width: number): readonly string[] {
  if (containers.length === 0) return []
  const rows = containers.map(({ name, kind, state, since, detail }) => [
    name,
    kind,
    since === undefined ? state : `${state} ${ageText(now - since)}`,
    detail,
  ])
  const titles = ['CONTAINER', 'KIND', 'STATE', 'DETAIL'].map((title) => ({ title }))
  return ['', ...table(titles, rows, width)]
}

/** A job without a result whose runner is gone does not run any more. */
function jobsOf({ jobs }: SetView, living: ReadonlySet<string>): readonly JobView[] {
  return jobs.map((job) => (job.result !== undefined || living.has(job.runner) ? job : { ...job, result: '?' }))
}

function jobLines(jobs: readonly JobView[], now: Instant, width: number): readonly string[] {
  if (jobs.length === 0) return []
  const rows = jobs.slice(0, jobsShown).map(({ name, id, runner, startedAt, result }) => {
    const at = Date.parse(startedAt)
    return [name || id, result ?? 'runs', Number.isNaN(at) ? '?' : `${ageText(now - at)} ago`, runner]
  })
  const titles = ['JOB', 'RESULT', 'BEGAN', 'RUNNER'].map((title) => ({ title }))
  const more = jobs.length > jobsShown ? [`and ${jobs.length - jobsShown} older ones (--json shows them)`] : []
  return [
    '',
    'Last jobs:',
    ...table(titles, rows, width).map((line) => `  ${line}`),
    ...more.map((line) => `  ${line}`),
  ]
}

function eventLines(events: Known<readonly EventView[]>, now: Instant, width: number): readonly string[] {
  if (!events.known) return ['', ...wrap(`not known: ${events.why}`, 'Events: ', width)]
  if (events.value.length === 0) return ['', 'Events: none in the last hour, or they have expired']
  const lines = events.value.slice(0, eventsShown).flatMap(({ at, type, reason, message, count }) => {
    const age = at === undefined ? '?' : `${ageText(now - at)} ago`
    const mark = type === 'Warning' ? '! ' : '  '
    const times = count > 1 ? ` (${count} times)` : ''
    return wrap(`${reason}${times}: ${message}`, `${mark}${age.padStart(10)}  `, width)
  })
  const more = events.value.length - eventsShown
  return [
    '',
    'Events, the newest first:',
    ...lines,
    ...(more > 0 ? [`  and ${more} older ones (--json shows them)`] : []),
  ]
}

function eventsJson(events: Known<readonly EventView[]>): object | null {
  if (!events.known) return null
  return events.value.map(({ raw: _raw, at, ...event }) => ({ at: time(at), ...event }))
}

function time(at: Instant | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}
