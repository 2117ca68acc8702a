// One set as the page shows it, from what the controller has in memory.
import type { RunnerCounts, SetNow } from '@dayfly/dashboard/model/set-now'
import type { Instant } from '@dayfly/kit/clock'
import { shownDemand } from '@dayfly/runner-set/core/desired'
import { isPaused } from '@dayfly/runner-set/core/paused'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { Limits } from '@dayfly/runner-set/model/limits'
import { lastingProblemsOf } from '../operate/problems.ts'
import { viewOfStatus } from '../operate/set-view.ts'
import { waitingSteps } from '../operate/waiting-steps.ts'
import { announcedOf, isFull, whyOf } from '../operate/why.ts'
import type { SetInsight } from '../set-reading.ts'
import { unservedNow } from './unserved-now.ts'

/** The times that the page remembers of a set between two looks. */
export type Remembered = {
  readonly waitingSince: Instant | null
  readonly oldestQueuedAt: Instant | null
  readonly differsSince: Instant | null
}

/** A difference between our numbers and the forge's is shown after this time, in milliseconds: messages and watches are late at times. */
const differsMs = 2 * 60_000

export function setNowOf(insight: SetInsight, remembered: Remembered, limits: Limits, now: Instant): SetNow {
  const { set, counts, demand, decided, forgeRunners, conditions } = insight
  const { namespace, name, source, scale } = set
  const jobs = demand && shownDemand(demand, counts?.busy)
  const waiting = waitingOf(insight)
  const problems = problemsNow(insight)
  return {
    ...{ id: `${namespace}/${name}`, namespace, name, forge: source.kind, url: source.url, labels: source.labels },
    ...{ paused: isPaused(set), deleting: false, min: insight.status?.min ?? scale.min, max: scale.max },
    isValid: true,
    hasQueue: forgeTraits[source.kind].demand !== 'utilisation',
    demand: jobs ?? null,
    wanted: decided?.need?.wanted ?? null,
    waiting,
    counts: counts ? countsOf(counts) : null,
    failuresInARow: insight.status?.failed ?? null,
    waitingSince: remembered.waitingSince,
    oldestQueuedAt: remembered.oldestQueuedAt,
    why:
      isShort(insight, waiting) || isFull(jobs, scale.max, insight.status ?? {})
        ? (whyNow(insight, problems, limits, now) ?? null)
        : null,
    nextStartAt: nextStartOf(insight),
    problems,
    conditions: conditions.map(({ lastTransitionTime, observedGeneration: _, ...rest }) => ({
      ...rest,
      since: Date.parse(lastTransitionTime) || null,
    })),
    forgeNumbers: forgeRunners ?? null,
    difference: differenceOf(insight, remembered, now),
    unserved: unservedNow(insight.unserved),
    objectiveMs: set.queueTimeMs ?? null,
    oldSince: oldSince(insight, limits, now),
  }
}

/** Returns how many jobs have no runner yet. A job whose runner is gone may still be counted. */
export function waitingOf({ demand, counts, decided }: SetInsight): number | null {
  if (!demand || demand.kind === 'utilisation') return null
  if (demand.kind === 'queued') return demand.jobs
  return counts ? Math.max(0, demand.jobs - counts.busy - (decided?.need?.covered ?? 0)) : null
}

/** Whether our numbers differ from the forge's. Only busy runners compare: the forge counts registrations that no pod has yet. */
export function differs({ counts, forgeRunners }: SetInsight): boolean {
  return counts !== undefined && forgeRunners !== undefined && counts.busy !== forgeRunners.busy
}

function differenceOf(insight: SetInsight, { differsSince }: Remembered, now: Instant): SetNow['difference'] {
  const { counts, forgeRunners } = insight
  if (differsSince === null || now - differsSince < differsMs || !counts || !forgeRunners) return null
  const sentence = `The forge counts ${forgeRunners.busy} runners with a job, and the cluster shows ${counts.busy}. A message of the forge may be lost, or a runner may live outside this cluster.`
  return { since: differsSince, sentence }
}

/** A demand that nobody confirms decides nothing any more. */
function oldSince({ demandAt }: SetInsight, { demandAgeMs }: Limits, now: Instant): Instant | null {
  return demandAt !== undefined && now - demandAt > demandAgeMs ? demandAt : null
}

function isShort({ decided }: SetInsight, waiting: number | null): boolean {
  return waiting !== 0 || (decided?.need?.missing ?? 0) > 0
}

function problemsNow({ set, status, conditions }: SetInsight): SetNow['problems'] {
  return lastingProblemsOf(viewOfStatus(set, status ?? { conditions }, undefined), { is: 'working' })
}

function whyNow(
  { set, state, demand, counts, decided, forgeFailure, status }: SetInsight,
  problems: SetNow['problems'],
  limits: Limits,
  now: Instant,
): string | undefined {
  const context = { set, limits, demandWhy: forgeFailure?.message, starts: 0 }
  return whyOf({
    problems,
    held: decided?.held,
    context,
    waiting: waitingSteps(state, limits, now),
    demand: demand && shownDemand(demand, counts?.busy),
    announced: announcedOf(status ?? {}),
  })
}

function nextStartOf({ decided }: SetInsight): Instant | null {
  const why = decided?.held?.why
  return why && 'until' in why ? (why.until ?? null) : null
}

function countsOf({ starting, idle, busy, spent, ended }: NonNullable<SetInsight['counts']>): RunnerCounts {
  return { starting, idle, busy, ending: spent + ended }
}
