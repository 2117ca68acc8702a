// Replaces idle runners that are outdated: older than `idleMax`, or of an earlier template. A busy one is left alone.
import type { Action } from '../model/action.ts'
import type { Held } from '../model/held.ts'
import type { Counts, PodFacts, Runner } from '../model/runner.ts'
import type { SetWorld } from '../model/world.ts'
import type { Kept } from './desired.ts'
import { endStep } from './ending.ts'
import type { LifeDecision, Moment } from './moment.ts'

/** Marks an idle runner as outdated, or says when it will be. */
export function judgeAge({ world, now }: Moment, runner: Runner, pod: PodFacts): LifeDecision {
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

/**
 * Ends one outdated runner. It waits until a runner of the present template has come online, and every other one too: a broken template
 * costs one idle runner at most, if the set has no room to try it beside them. @param held why the replacement does not start
 */
export function decideRenewal({ world, ...rest }: Moment, counts: Counts, held: Held | undefined): readonly Action[] {
  const { next } = world.outdated
  if (next?.pod.is !== 'present' || counts.unproved > 0) return []
  if (!isProvedOrUntestable(world, held) || !hasReplacement(world, counts, held)) return []
  const { action } = endStep({ world, ...rest }, next, next.pod.value, { kind: 'outdated' })
  return action ? [action] : []
}

/** Without a start in sight, nothing would ever prove a new template: the end of one runner makes room to try it. */
function isProvedOrUntestable({ need, history: { proof } }: SetWorld, held: Held | undefined): boolean {
  return proof === 'proved' || (proof === 'untried' && (lacksRoom(held) || (need?.missing ?? 0) <= 0))
}

function lacksRoom(held: Held | undefined): boolean {
  return held?.why.is === 'quota' || held?.why.is === 'pool'
}

/** If a quota or a pool has no room for one more, a set of several idle runners does without one for a moment. */
function hasReplacement({ need, set }: SetWorld, counts: Counts, held: Held | undefined): boolean {
  if (lacksRoom(held)) return counts.idle > 1
  if (need && need.wanted >= set.scale.max) return need.missing <= 0
  return counts.idle > 1 && (!need || need.missing <= 0)
}
