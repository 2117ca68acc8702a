// The runners of a set as a strategy of cycles counts them.
import type { Demand } from '../../model/demand.ts'
import type { Runner } from '../../model/runner.ts'
import type { FleetRunner } from '../../model/world.ts'
import { phaseOf } from '../phase.ts'

/**
 * Returns the runners in order of their creation. The demand says how many idle ones are online, because it is newer than the list of
 * registrations; the others still start. A busy runner that Dayfly has cordoned counts as busy: its cordon says nothing about the load.
 */
export function fleetOf(runners: Iterable<Runner>, demand: Demand): readonly FleetRunner[] {
  let online = demand.kind === 'utilisation' ? demand.idle : 0
  const fleet: FleetRunner[] = []
  for (const runner of [...runners].sort((left, right) => createdAt(left) - createdAt(right))) {
    const phase = phaseOf(runner)
    if (phase === 'ended') continue
    const isIdle = phase === 'idle' && online-- > 0
    const is = phase === 'busy' ? 'busy' : isIdle ? 'idle' : phase === 'spent' ? 'cordoned' : 'starting'
    fleet.push({ name: runner.name, is, createdAt: createdAt(runner) })
  }
  return fleet
}

function createdAt({ pod }: Runner): number {
  return pod.is === 'present' ? pod.value.createdAt : pod.since
}
