// Replaces idle runners that are outdated: older than an idle runner may be, or of an earlier template. A busy one is left alone.
import type { Instant } from '@dayfly/kit/clock'
import type { Action } from '../model/action.ts'
import type { Held } from '../model/held.ts'
import type { Counts, PodFacts, Runner } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import type { Kept } from './desired.ts'
import { endStep } from './ending.ts'
import type { LifeDecision, Moment } from './moment.ts'
import { poolShare } from './pool.ts'

/** Marks an idle runner as outdated, or says when it will be. */
export function judgeAge(
  { world, now }: { readonly world: Pick<SetWorld, 'set' | 'templateHash'>; readonly now: Instant },
  runner: Runner,
  pod: PodFacts,
): LifeDecision {
  if (runner.outdated) return {}
  const mark = { runner: runner.name, is: 'outdated' } as const
  if (pod.templateHash !== undefined && pod.templateHash !== world.templateHash) return { mark }
  const { idleMaxMs } = world.set
  if (idleMaxMs === undefined) return {}
  const at = pod.createdAt + idleMaxMs
  return now < at ? { due: at } : { mark }
}

/** Returns how many runners live in addition while outdated ones are replaced: the replacement comes first. */
export function renewalExtra({ min, usual }: Kept, outdated: SetWorld['outdated']): number {
  return Math.min(1, outdated.count, Math.max(min, usual))
}

/** @param missing so many runners are missing  @param held why they do not start */
export type Shortage = { readonly missing: number; readonly held?: Held | undefined }

/**
 * Ends one outdated runner. It waits until a runner of the present template has come online, and every other one too: a broken template
 * costs one idle runner at most, if the set has no room to try it beside them.
 */
export function decideRenewal({ world, ...rest }: Moment, counts: Counts, shortage: Shortage): readonly Action[] {
  const { next } = world.outdated
  if (next?.pod.is !== 'present' || counts.unproved > 0) return []
  if (!isProvedOrUntestable(world, shortage) || !hasReplacement(world, counts, shortage)) return []
  const { action } = endStep({ world, ...rest }, next, next.pod.value, { kind: 'outdated' })
  return action ? [action] : []
}

/** Without a start in sight, nothing would ever prove a new template: the end of one runner makes room to try it. */
function isProvedOrUntestable({ history: { proof } }: SetWorld, { missing, held }: Shortage): boolean {
  return proof === 'proved' || (proof === 'untried' && (lacksRoom(held) || missing <= 0))
}

function lacksRoom(held: Held | undefined): boolean {
  return held?.why.is === 'quota' || held?.why.is === 'pool'
}

/**
 * At its maximum, or its share of a pool, a set does without one for a moment. If a quota or the runners of other sets leave no room for one more,
 * only a set of several idle runners does: another set may take the place.
 */
function hasReplacement({ need, set, pool }: SetWorld, counts: Counts, { missing, held }: Shortage): boolean {
  const { starting, idle, busy } = counts
  const living = starting + idle + busy
  const fair = pool ? poolShare(pool.me, pool.others).fair : Number.POSITIVE_INFINITY
  // No other set takes the place of a runner within the share.
  if (lacksRoom(held)) return idle > 1 || (held?.why.is === 'pool' && living >= fair)
  const wanted = need?.wanted ?? living
  const isLimited = wanted >= set.scale.max || fair < (pool?.me.asked ?? 0)
  return missing <= 0 && (isLimited || idle > 1)
}
