// The runners that a set needs, compared with those that live. Everything that starts, ends or reports runners reads this one judgement.
import type { Instant } from '@dayfly/kit/clock'
import type { Demand } from '../model/demand.ts'
import type { Limits } from '../model/limits.ts'
import type { PoolMember } from '../model/pool.ts'
import type { Need, SetWorld } from '../model/world.ts'
import { desiredRunners, type Kept, runnersForJobs } from './desired.ts'
import { isPaused } from './paused.ts'
import { poolShare, restingMember } from './pool.ts'
import { renewalExtra } from './renewal.ts'
import { countingOf, isStillCounted } from './state/departures.ts'

type MemberFacts = Pick<SetWorld, 'set' | 'minimum' | 'usual' | 'demand' | 'counts' | 'outdated'>
type Facts = MemberFacts & Pick<SetWorld, 'departed'> & Partial<Pick<SetWorld, 'pool'>>

/** Returns undefined while the demand or the counts are unknown, and for a strategy of cycles, which knows no wanted number. */
export function needOf(facts: Facts, limits: Limits, now: Instant): Need | undefined {
  const { set, demand, counts, departed, pool, outdated } = facts
  const fresh = freshDemand({ demand }, limits, now)
  if (!fresh || !counts.known || set.scale.percentage) return undefined
  const { starting, idle, busy } = counts.value
  const asked = askedRunners(fresh.value, keptOf(facts), busy, outdated)
  const wanted = pool ? Math.min(asked, poolShare(pool.me, pool.others).fair) : asked
  const living = starting + idle + busy
  const covered = departed.filter((one) => isStillCounted(one, countingOf(fresh), limits, now)).length
  return { wanted, living, covered, missing: wanted - living - covered, surplus: living - wanted }
}

/** Returns what a set has and asks for as a member of its pool; undefined without one. While its demand is unknown, it asks for what it has. */
export function poolMemberOf(facts: MemberFacts, limits: Limits, now: Instant): PoolMember | undefined {
  const { set, demand, counts, outdated } = facts
  const { pool, ...scale } = set.scale
  if (!pool) return undefined
  const { uid } = set
  const { max, weight, floor } = pool
  const occupied = counts.known ? counts.value.occupied : undefined
  if (isPaused(set)) return { uid, max, weight, floor: 0, occupied, jobs: 0, asked: 0 }
  const fresh = freshDemand({ demand }, limits, now)
  const resting = restingMember(uid, pool, occupied)
  if (!fresh || !counts.known) return resting
  const { busy } = counts.value
  // It knows no wanted number, so it asks for what it has. Its idle runners have no jobs, and make room for those of other sets.
  if (scale.percentage) return { ...resting, jobs: busy }
  const jobs = Math.min(scale.max, runnersForJobs(fresh.value, busy))
  return {
    uid,
    max,
    weight,
    floor,
    occupied,
    jobs,
    asked: askedRunners(fresh.value, keptOf(facts), busy, outdated),
  }
}

function keptOf({ set, minimum, usual }: MemberFacts): Kept {
  return { min: minimum.min, max: set.scale.max, usual: usual?.runners ?? 0 }
}

/** While outdated runners are replaced, one more is asked for. */
function askedRunners(demand: Demand, kept: Kept, busy: number, outdated: SetWorld['outdated']): number {
  return Math.min(kept.max, desiredRunners(demand, kept, busy) + renewalExtra(kept, outdated))
}

/** Returns when surplus runners may end: demand lags behind, and a job may be on its way to them. */
export function surplusEndsAt({ quietSince }: Pick<SetWorld, 'quietSince'>, limits: Limits): Instant {
  return quietSince + limits.quietMs
}

/** Unknown is not zero: an old demand decides nothing. */
export function freshDemand({ demand }: Pick<SetWorld, 'demand'>, limits: Limits, now: Instant) {
  return demand.known && now - demand.at <= limits.demandAgeMs ? demand : undefined
}
