// Plans the spans of one life as plain values: one root, and one child for each phase. No code of OpenTelemetry runs here.
import type { Instant } from '@dayfly/kit/clock'
import { failureInfo } from '@dayfly/runner-set/model/failure'
import { type Attributes, attribute, known } from '../attributes.ts'
import { failureOf, type Job, type Life, pipelineOf } from '../lives/life.ts'
import { isBad, type Result, result, resultOf } from '../results.ts'
import { type Phase, phasesOf } from './phases.ts'

export type SpanEvent = { readonly name: string; readonly at: Instant; readonly attributes: Attributes }

export type SpanPlan = {
  readonly name: string
  readonly startAt: Instant
  readonly endAt: Instant
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  /** The message of the status; undefined: nothing went wrong. */
  readonly error: string | undefined
}

export type TracePlan = { readonly root: SpanPlan; readonly children: readonly SpanPlan[] }

/** The word of the conventions for a run of a pipeline. */
const action = 'RUN'

/** Returns undefined if the journal dated nothing but the end of the life, and nothing failed. @param forge the address of the set's forge */
export function planOf(life: Life, forge: string | undefined): TracePlan | undefined {
  const phases = phasesOf(life)
  if (phases.length === 0 && !failureOf(life)) return undefined
  const [job] = life.jobs
  const name = `${action} ${pipelineOf(life, job)}`
  const common = commonOf(life)
  const outcome = resultOfLife(life)
  const attributes = {
    ...common,
    ...known({ ...ofRoot(life, job, forge), [attribute.result]: outcome, [attribute.error]: errorOf(life, outcome) }),
  }
  // A failure shows in the status, also if the forge calls the job a success.
  const failed = failureOf(life) !== undefined || isBad(outcome)
  const error = failed ? messageOf(life, outcome) : undefined
  const root = { name, ...extentOf(life, phases), attributes, events: eventsOf(life), error }
  return { root, children: phases.map((phase) => childOf(life, phase, common)) }
}

/** A runner that nobody needed is no failure. */
export function resultOfLife(life: Life): Result {
  const word = life.jobs.findLast((job) => job.result !== undefined)?.result
  if (word !== undefined) return resultOf(word)
  if (failureOf(life)) return result.error
  return life.jobs.length > 0 ? result.unknown : result.skip
}

function extentOf(life: Life, phases: readonly Phase[]): Pick<SpanPlan, 'startAt' | 'endAt'> {
  const { requested, registered, created, started, gone } = life.steps
  const dated = [requested, registered, created, started, gone, failureOf(life)?.at].filter((at) => at !== undefined)
  const times = [...dated, ...phases.flatMap(({ startAt, endAt }) => [startAt, endAt])]
  return { startAt: Math.min(...times), endAt: Math.max(...times) }
}

function commonOf({ namespace, set, runner, registration }: Life): Attributes {
  return known({
    [attribute.namespace]: namespace,
    [attribute.set]: set,
    [attribute.worker]: runner,
    [attribute.workerId]: registration,
  })
}

function ofRoot(life: Life, job: Job | undefined, forge: string | undefined) {
  const { origin, repository } = job?.named ?? {}
  const { steps } = life
  const hasPod = steps.created !== undefined || steps.started !== undefined
  return {
    [attribute.action]: action,
    [attribute.pipeline]: pipelineOf(life, job),
    [attribute.run]: origin?.run,
    [attribute.repository]: repository,
    [attribute.repositoryUrl]: repositoryUrl(repository, forge),
    [attribute.ref]: origin?.ref,
    [attribute.pod]: hasPod ? life.runner : undefined,
    [attribute.podUid]: life.podUid,
    [attribute.node]: life.node,
  }
}

/** The set names its forge by an address below which its repositories are. */
function repositoryUrl(repository: string | undefined, forge: string | undefined): string | undefined {
  if (!repository?.includes('/') || forge === undefined || !URL.canParse(forge)) return undefined
  return `${new URL(forge).origin}/${repository}`
}

function childOf(life: Life, { name, startAt, endAt, result: of, job }: Phase, common: Attributes): SpanPlan {
  const isJob = job !== undefined && name !== 'queued'
  const attributes = known({
    [attribute.task]: isJob ? job.named?.name || name : name,
    [attribute.taskRun]: isJob ? job.id : `${life.runner}/${name.replaceAll(' ', '-')}`,
    [attribute.taskResult]: of,
    [attribute.error]: isBad(of) ? errorOf(life, of) : undefined,
  })
  const error = isBad(of) ? messageOf(life, of) : undefined
  return { name, startAt, endAt, attributes: { ...common, ...attributes }, events: [], error }
}

/** The reason of Dayfly, or else the result of the job. Both are from closed lists. */
function errorOf(life: Life, of: Result): string | undefined {
  return failureOf(life)?.reason ?? (isBad(of) ? of : undefined)
}

function messageOf(life: Life, of: Result): string {
  const failure = failureOf(life)
  return failure ? failureInfo(failure.reason).sentence : `The result of the job is ${of}.`
}

/** The sentence of the table, and not the text that was observed: that may come from anywhere. */
function eventsOf({ problems }: Life): readonly SpanEvent[] {
  return problems.map(({ at, reason, isDelay }) => ({
    name: isDelay ? 'dayfly.delay' : 'dayfly.failure',
    at,
    attributes: known({ [attribute.reason]: reason, [attribute.sentence]: failureInfo(reason).sentence }),
  }))
}
