// How many of the missing runners start now, and what holds the others back.
import type { Instant } from '@dayfly/kit/clock'
import type { Held, HeldBy } from '../model/held.ts'
import type { Counts } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import { runnersForJobs } from './desired.ts'
import type { Moment } from './moment.ts'
import { poolShare } from './pool.ts'
import { quotaRooms } from './quota-room.ts'
import { failureOfLeft, leftUntil, recentFailures } from './state/history.ts'

export type Starts = {
  readonly count: number
  readonly held?: Held | undefined
  readonly wakeAt?: Instant | undefined
}

/** At most so many starts, and why no more. */
type Bound = { readonly most: number; readonly why: HeldBy }

export function startsOf(moment: Moment, counts: Counts, missing: number): Starts {
  const gate = gateOf(moment.world)
  if (gate) return { count: 0, held: { count: missing, why: gate } }
  const bounds = boundsOf(moment, counts, missing).filter(({ most }) => most < missing)
  const [tightest] = bounds.toSorted((left, right) => left.most - right.most)
  if (!tightest) return { count: missing }
  const { most: count, why } = tightest
  return { count, held: { count: missing - count, why }, wakeAt: 'until' in why ? why.until : undefined }
}

/** Returns what keeps each missing runner from starting; undefined if none is missing, or one may start. */
export function waitsFor(moment: Moment): HeldBy | undefined {
  const { counts, need } = moment.world
  if (!counts.known || !need) return undefined
  const { count, held } = startsOf(moment, counts.value, need.missing)
  return count === 0 ? held?.why : undefined
}

/** Nothing starts without an accepted template, nor after a failure that no new runner can avoid. */
function gateOf({ template, templateHash, history }: SetWorld): HeldBy | undefined {
  if (template?.hash !== templateHash) return { is: 'template-unchecked' }
  if (template.is === 'refused') return { is: 'template-refused', failure: template.failure }
  return history.blocked && { is: 'blocked', failure: history.blocked }
}

/** The first one of several bounds that allow the same number is shown. */
function boundsOf(moment: Moment, counts: Counts, missing: number): readonly Bound[] {
  const { world, limits, now } = moment
  const { allowance, retries, set } = world
  const { register } = retries
  const refused = register && now < register.retryAt ? register.retryAt : undefined
  return [
    { most: Math.max(0, allowance.now), why: { is: 'forge-limit', until: allowance.nextAt } },
    ...(refused === undefined ? [] : [{ most: 0, why: { is: 'registration-failed', until: refused } } as const]),
    // A pod counts against the ceiling until it is gone, also after its job.
    { most: Math.max(0, set.scale.max - counts.occupied), why: { is: 'max', occupied: counts.occupied } },
    ...poolBounds(world, counts, missing),
    ...quotaBounds(world, counts),
    ...cautionBounds(world, counts),
    ...failureBounds(moment, counts, missing),
    ...spareBounds(moment, counts, missing),
    { most: limits.startsPerTick, why: { is: 'starts-per-tick' } },
  ]
}

/** The set takes no place that another member of its pool has, or may have sooner. While those are unknown, none is free. */
function poolBounds({ pool, set }: SetWorld, { occupied }: Counts, missing: number): readonly Bound[] {
  if (!pool || !set.scale.pool) return []
  const { name } = set.scale.pool
  const asked = occupied + missing
  const me = { ...pool.me, jobs: Math.min(pool.me.jobs, asked), asked: Math.max(pool.me.asked, asked) }
  const share = poolShare(me, pool.others)
  if (share.now === undefined) return [{ most: 0, why: { is: 'pool-unknown', pool: name } }]
  const why = { is: 'pool', pool: name, max: share.max, others: share.others, occupied } as const
  return [{ most: Math.max(0, share.now - occupied), why }]
}

/** A pod that a quota excludes is not tried: its registration would be removed at once. */
function quotaBounds(world: SetWorld, counts: Counts): readonly Bound[] {
  return quotaRooms(world, counts).map(({ free, pods, quota, resource }) => ({
    most: free,
    why: { is: 'quota', pods, quota, resource },
  }))
}

function cautionBounds({ template }: SetWorld, { requested }: Counts): readonly Bound[] {
  if (template?.is !== 'accepted' || !template.caution) return []
  const { atOnce, failure } = template.caution
  return [{ most: Math.max(0, atOnce - requested), why: { is: 'caution', failure } }]
}

/** After a failed start its own replacement waits. After several in a row one runner at a time tries, until one gets online. */
function failureBounds({ world, limits, now }: Moment, { unproved }: Counts, missing: number): readonly Bound[] {
  const { history } = world
  const failures = recentFailures(history, limits, now)
  const until = history.retryAt !== undefined && now < history.retryAt ? history.retryAt : undefined
  if (failures >= limits.failuresBeforeProbe) {
    return [{ most: until !== undefined || unproved > 0 ? 0 : 1, why: { is: 'probe', failures, unproved, until } }]
  }
  if (until === undefined) return []
  return [{ most: Math.max(0, missing - failures), why: { is: 'failed-starts', failures, until } }]
}

/** Only the idle spares wait: a job gets its runner. After the wait one spare at a time tries, until one stays. */
function spareBounds({ world, limits, now }: Moment, counts: Counts, missing: number): readonly Bound[] {
  const { history } = world
  if (!failureOfLeft(history, limits, now)) return []
  const { runners, retryAt = now } = history.left
  const ofJobs = missingForJobs(world, counts) ?? missing - world.minimum.min
  const until = now < retryAt ? retryAt : leftUntil(history, limits)
  return [{ most: Math.max(0, now < retryAt ? ofJobs : ofJobs + 1), why: { is: 'spares-leave', runners, until } }]
}

/** A maximum, a share of a pool and a usual demand change how many spares are among the missing ones, and not how many runners the jobs need. */
function missingForJobs({ need, demand }: SetWorld, { busy }: Counts): number | undefined {
  if (!need || !demand.known) return undefined
  return runnersForJobs(demand.value, busy) - need.living - need.covered
}
