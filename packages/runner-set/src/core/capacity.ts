// How many runners a set announces to its forge: no more than the cluster can take now.
import type { Instant } from '@dayfly/kit/clock'
import type { Capacity, CapacityReason } from '../model/capacity.ts'
import { forgeTraits } from '../model/forge-traits.ts'
import type { Counts } from '../model/runner.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { SetWorld } from '../model/world.ts'
import { earliestAfter } from './earliest.ts'
import type { Moment } from './moment.ts'
import { isPaused } from './paused.ts'
import { poolShare } from './pool.ts'
import { quotaRooms, roomText } from './quota-room.ts'
import { recentFailures } from './state/history.ts'

/** At most so many runners, and why no more. */
type Bound = { readonly most: number; readonly reason: CapacityReason; readonly detail: string }

/** Returns what a set announces before the first look at its cluster. */
export function firstCapacity({ source, scale }: RunnerSet): Capacity {
  const none = { tightAt: undefined, moreSince: undefined }
  if (!forgeTraits[source.kind].announcesCapacity)
    return { announced: Math.max(1, scale.max), limit: undefined, ...none }
  return { announced: 1, limit: { reason: 'unchecked', detail: 'Dayfly has not looked at the cluster yet' }, ...none }
}

/**
 * Returns what the set announces now. Less is announced at once, more only when it has been possible for `capacityRiseMs`: a quota counts
 * the end of a pod late. Unknown counts change nothing.
 */
export function capacityOf(moment: Moment): Capacity {
  const { world, limits, now } = moment
  const { set, counts, capacity: before } = world
  const max = Math.max(1, set.scale.max)
  if (!forgeTraits[set.source.kind].announcesCapacity) return firstCapacity(set)
  if (!counts.known || isPaused(set)) return { ...before, announced: Math.min(before.announced, max) }
  const tightAt = isTight(moment) ? now : before.tightAt
  const [tightest] = boundsOf(moment, counts.value, tightAt)
    .filter(({ most }) => most < max)
    .toSorted((left, right) => left.most - right.most)
  const possible = tightest ? Math.max(1, tightest.most) : max
  const limit = tightest && { reason: tightest.reason, detail: tightest.detail }
  if (possible <= before.announced) return { announced: possible, limit, tightAt, moreSince: undefined }
  const moreSince = before.moreSince ?? now
  const waits = before.limit?.reason !== 'unchecked' && now < moreSince + limits.capacityRiseMs
  if (waits) return { ...before, tightAt, moreSince }
  return { announced: possible, limit, tightAt, moreSince: undefined }
}

/** Returns when the capacity may change although nothing happens before. */
export function capacityDue({ tightAt, moreSince }: Capacity, { world, limits, now }: Moment): Instant | undefined {
  const { unplaced } = world
  return earliestAfter(now, [
    moreSince === undefined ? undefined : moreSince + limits.capacityRiseMs,
    unplaced && unplaced.oldest.since + limits.unplacedMs,
    // A lack of room that lasts is ended by an input, which brings a decision of its own.
    tightAt === undefined || tightAt === now ? undefined : tightAt + limits.roomAgainMs,
  ])
}

/** The scheduler has found no node for a runner for a while, or a quota that is not known refuses pods. */
function isTight({ world: { unplaced, template }, limits, now }: Moment): boolean {
  if (unplaced && now >= unplaced.oldest.since + limits.unplacedMs) return true
  return template?.is === 'refused' && template.failure.reason === 'quota-exceeded'
}

function boundsOf(moment: Moment, counts: Counts, tightAt: Instant | undefined): readonly Bound[] {
  const { world } = moment
  return [
    ...uncheckedBounds(world, counts),
    ...poolBounds(world),
    ...quotaBounds(world, counts),
    ...refusalBounds(world, counts),
    ...placeBounds(moment, counts, tightAt),
    ...failureBounds(moment, counts),
    ...forgeBounds(world, counts),
  ]
}

/** Jobs that are taken before the first look at the cluster may wait for room that another cluster has. */
function uncheckedBounds({ template, templateHash, quotas }: SetWorld, { occupied }: Counts): readonly Bound[] {
  if (template?.hash === templateHash && quotas !== 'unread') return []
  const what = quotas === 'unread' ? 'quotas of the namespace' : 'template'
  return [{ most: occupied, reason: 'unchecked', detail: `Dayfly still reads the ${what}` }]
}

/**
 * The share that the set could have if all the jobs were its own. One job more than there is a place for may wait here, so that the set gets its
 * fair share as runners of the others end: the forge does not say how many jobs wait beyond the announced number.
 */
function poolBounds({ pool, set: { scale } }: SetWorld): readonly Bound[] {
  if (!pool || !scale.pool) return []
  const { max, now = 0, fair, others } = poolShare({ ...pool.me, jobs: scale.max, asked: scale.max }, pool.others)
  const detail = `the pool ${scale.pool.name} has ${max} places, and the other sets have or keep ${others}`
  return [{ most: Math.min(fair, now + 1), reason: 'pool', detail }]
}

function quotaBounds(world: SetWorld, counts: Counts): readonly Bound[] {
  return quotaRooms(world, counts).map((room) => ({ most: room.pods, reason: 'quota', detail: roomText(room) }))
}

function refusalBounds({ template }: SetWorld, { occupied }: Counts): readonly Bound[] {
  if (template?.is !== 'refused') return []
  return [{ most: occupied, reason: 'refused', detail: template.failure.message }]
}

/** Runners that wait for a node are no capacity. After that, the set grows by a quarter at a time, until nothing has waited for a while. */
function placeBounds(
  { world, limits, now }: Moment,
  { occupied }: Counts,
  tightAt: Instant | undefined,
): readonly Bound[] {
  const { unplaced } = world
  if (unplaced && now >= unplaced.oldest.since + limits.unplacedMs) {
    const { count, oldest } = unplaced
    const runners = count === 1 ? '1 runner waits' : `${count} runners wait`
    return [{ most: occupied - count, reason: 'no-room', detail: `${runners} for a node: ${oldest.message}` }]
  }
  if (tightAt === undefined || now >= tightAt + limits.roomAgainMs) return []
  const detail = 'the cluster had no room lately, so the set grows in steps'
  return [{ most: occupied + Math.max(1, Math.ceil(occupied / 4)), reason: 'no-room', detail }]
}

/** While starts fail, one runner at a time tries. */
function failureBounds({ world, limits, now }: Moment, { occupied, unproved }: Counts): readonly Bound[] {
  const { history } = world
  if (history.blocked) return [{ most: occupied, reason: 'failing', detail: history.blocked.message }]
  const failures = recentFailures(history, limits, now)
  if (failures < limits.failuresBeforeProbe) return []
  const last = history.last ? `: ${history.last.message}` : ''
  return [{ most: occupied - unproved + 1, reason: 'failing', detail: `${failures} starts in a row failed${last}` }]
}

/** Without a link nothing is announced, and nothing is known of its limit. */
function forgeBounds({ allowance: { now: left, nextAt } }: SetWorld, { occupied }: Counts): readonly Bound[] {
  const now = Math.max(0, left)
  if (now === 0 && nextAt === undefined) return []
  return [{ most: occupied + now, reason: 'forge-limit', detail: `the forge allows ${now} registrations now` }]
}
