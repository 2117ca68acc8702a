// The runners of a set as a strategy of cycles counts them.
import type { Demand } from '../../model/demand.ts'
import type { Runner } from '../../model/runner.ts'
import type { FleetRunner } from '../../model/world.ts'
import { phaseOf } from '../phase.ts'

/**
 * Returns the runners in order of their creation. The demand says how many idle ones are online, because it is newer than the list of
 * registrations. A busy runner that Dayfly has cordoned counts as online: its cordon says nothing about the load.
 */
export function fleetOf(runners: Iterable<Runner>, demand: Demand): readonly FleetRunner[] {
  let online = demand.kind === 'utilisation' ? demand.idle : 0
  const fleet: FleetRunner[] = []
  for (const runner of [...runners].sort((left, right) => createdAt(left) - createdAt(right))) {
    const phase = phaseOf(runner)
    if (phase === 'ended') continue
    const isOnline = phase === 'idle' && online-- > 0
    const status = phase === 'busy' || isOnline ? 'ONLINE' : phase === 'spent' ? 'DISABLED' : 'UNREGISTERED'
    const step = phase === 'busy' ? 'present' : 'absent'
    fleet.push({ id: runner.name, isOwn: true, status, step, createdAt: createdAt(runner) })
  }
  return fleet
}

function createdAt({ pod }: Runner): number {
  return pod.is === 'present' ? pod.value.createdAt : pod.since
}
