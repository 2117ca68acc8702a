// One set as the page shows it, from its object at the API server: for the page without the controller, and for an invalid set.
import type { SetNow } from '@dayfly/dashboard/model/set-now'
import type { Instant } from '@dayfly/kit/clock'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { Work } from '../operate/leader.ts'
import { lastingProblemsOf } from '../operate/problems.ts'
import type { SetView } from '../operate/set-view.ts'
import { unservedNow } from './unserved-now.ts'

/** The facts that the view does not hold. */
export type Beside = {
  readonly work: Work
  readonly why: string | null
  readonly waitingSince: Instant | null
  readonly oldSince: Instant | null
}

/** Returns the set with `null` for each number that only the controller knows, or that nobody counts. */
export function setOfView(view: SetView, { work, why, waitingSince, oldSince }: Beside): SetNow {
  const { namespace, name, set, max } = view
  // Nobody writes the counts of an invalid set, so its status may be old.
  const counted: Partial<SetView> = set ? view : {}
  const { idle, busy, pending, demand } = counted
  const isKnown = idle !== undefined && busy !== undefined && pending !== undefined
  return {
    ...{ id: `${namespace}/${name}`, namespace, name, forge: set?.source.kind ?? '', url: set?.source.url ?? '' },
    labels: set?.source.labels ?? [],
    ...{ paused: view.paused, deleting: view.deleting, min: view.min ?? set?.scale.min ?? 0, max: max ?? 0 },
    demand: demand ?? null,
    wanted: null,
    isValid: set !== undefined,
    hasQueue: set ? forgeTraits[set.source.kind].demand !== 'utilisation' : true,
    waiting: waitingIn(view),
    counts: isKnown ? { starting: pending, idle, busy, ending: 0 } : null,
    failuresInARow: view.failed ?? null,
    ...{ waitingSince, oldestQueuedAt: null, why, nextStartAt: null, forgeNumbers: null, difference: null },
    unserved: unservedNow(view.unserved),
    problems: lastingProblemsOf(view, work),
    conditions: view.conditions.map(({ observedGeneration: _, lastTransitionTime, ...rest }) => ({
      ...rest,
      since: Date.parse(lastTransitionTime ?? '') || null,
    })),
    objectiveMs: set?.queueTimeMs ?? null,
    oldSince,
  }
}

/** Returns how many jobs have no runner yet. The status of a forge without a queue shows no demand that waits. */
export function waitingIn({ set, demand, busy }: SetView): number | null {
  if (!set || demand === undefined || busy === undefined) return null
  return forgeTraits[set.source.kind].demand === 'utilisation' ? null : Math.max(0, demand - busy)
}
