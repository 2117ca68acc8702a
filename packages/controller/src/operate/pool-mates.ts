// The other sets of a pool, from their pods and their statuses.
import { restingMember } from '@dayfly/runner-set/core/pool'
import { fold } from '@dayfly/runner-set/core/state/fold'
import { memberIn, newSetState } from '@dayfly/runner-set/core/state/set-state'
import type { Limits } from '@dayfly/runner-set/model/limits'
import type { PoolMember } from '@dayfly/runner-set/model/pool'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { RunnerPod } from './pods.ts'
import type { Cluster } from './read.ts'
import { readSets, type SetView } from './set-view.ts'
import { shownHistory, shownVerdict } from './shown-memory.ts'
import { storedDemand } from './stored-demand.ts'

/** Returns what the other members of the set's pool have and ask for. @param pods the runners' pods of the namespace */
export async function readPoolMates(
  cluster: Cluster,
  { uid, namespace, scale: { pool } }: RunnerSet,
  pods: readonly RunnerPod[],
  limits: Limits,
): Promise<readonly PoolMember[]> {
  if (!pool) return []
  const now = cluster.clock.now()
  const views = await readSets(cluster, namespace)
  return views.flatMap((view) => {
    if (view.uid === uid) return []
    if (view.unreadPool?.name === pool.name) return restingMember(view.uid, view.unreadPool, occupiedBy(view.uid, pods))
    return (view.set?.scale.pool?.name === pool.name && memberOf(view, view.set, { pods, limits, now })) || []
  })
}

function occupiedBy(uid: string, pods: readonly RunnerPod[]): number {
  return pods.filter(({ observed: { setUid, facts } }) => setUid === uid && !facts.finished).length
}

type Around = { readonly pods: readonly RunnerPod[]; readonly limits: Limits; readonly now: number }

function memberOf(view: SetView, set: RunnerSet, { pods, limits, now }: Around): PoolMember | undefined {
  const state = newSetState(set)
  const own = pods.filter(({ observed }) => observed.setUid === view.uid)
  const facts = new Map(own.map(({ observed }) => [observed.name, observed.facts]))
  fold(state, { kind: 'pods-listed', pods: facts, askedAt: now }, limits, now)
  if (view.demand !== undefined) {
    const demand = storedDemand(set, view.demand, view)
    fold(state, { kind: 'forge-event', event: { kind: 'demand', demand, at: now } }, limits, now)
  }
  state.template = shownVerdict(state, view, now)
  state.history = shownHistory(state, view, now)
  return memberIn(state, limits, now)
}
