// Whether a forge leaves jobs waiting although runners of the set are online. The set keeps its runners and starts no others; people see the reason.
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Failure } from '../model/failure.ts'
import type { Limits } from '../model/limits.ts'
import type { Unassigned } from '../model/unassigned.ts'
import type { SetWorld } from '../model/world.ts'
import { freshDemand } from './need.ts'
import { isOutdated, judgeVersion, versionFailure } from './runner-version.ts'

type Facts = Pick<SetWorld, 'demand' | 'counts' | 'need'>

/**
 * Returns the jobs that wait and the runners that the forge sees online without a job; undefined if there are none of either.
 * While the demand or the counts are unknown, it returns `before`: unknown changes nothing. A forge that shows no waiting jobs has no result.
 * @param before the result of the last look; undefined if a runner has got a job since then
 */
export function unassignedOf(
  facts: Facts,
  before: Unassigned | undefined,
  limits: Limits,
  now: Instant,
): Unassigned | undefined {
  const { counts, need } = facts
  const demand = freshDemand(facts, limits, now)
  if (!demand || !counts.known) return before
  if (!need || demand.value.kind === 'utilisation') return undefined
  const { starting, idle, busy, unproved } = counts.value
  const running = demand.value.kind === 'assigned' ? busy : 0
  const jobs = demand.value.jobs - running - need.covered
  // A runner that the forge has not seen online is unproved, also if its container runs.
  const runners = starting + idle - unproved
  return jobs > 0 && runners > 0 ? { jobs, runners, since: before?.since ?? now } : undefined
}

/** Returns when the set shows that its forge assigns nothing: `limits.unassignedMs` after the last job that a runner got. */
export function unassignedShownAt({ since }: Unassigned, limits: Limits): Instant {
  return since + limits.unassignedMs
}

/**
 * Returns what the set shows after ten minutes in which jobs waited, runners were online, and no runner got a job; undefined before that.
 * A runner of a version that the forge has ended may listen and get no job. Without such a version the forge itself is the cause.
 */
export function failureOfUnassigned(world: SetWorld, limits: Limits, now: Instant): Failure | undefined {
  const { unassigned, demand, runnerVersion } = world
  if (!unassigned || !demand.known || now < unassignedShownAt(unassigned, limits)) return undefined
  const { jobs, runners, since } = unassigned
  const waiting = jobs === 1 ? '1 job waits' : `${jobs} jobs wait`
  const online = runners === 1 ? '1 runner is online without a job' : `${runners} runners are online without a job`
  const message = `${waiting}, and ${online}. No runner has got a job since ${timestamp(since)}.`
  const verdict = judgeVersion(runnerVersion, limits, now)
  const outdated = isOutdated(verdict) ? versionFailure(runnerVersion, verdict) : undefined
  if (outdated) return { reason: outdated.reason, message: `${outdated.message} ${message}` }
  return { reason: 'forge-assigns-nothing', message }
}
