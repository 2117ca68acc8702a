// Counts the objects of a world, before a long run and after it. Anything that a job leaves behind would let the cost of later jobs grow.
import type { World } from '../world.ts'

export type Leftovers = Readonly<Record<string, number>>

/** Events expire when further Events are written, and a Lease belongs to a node or to the controller. */
const expiring = ['events', 'leases.coordination.k8s.io']

/** Counts the objects of each kind, and what the forge and the machines have. */
export function countObjects({ registry, github, openJobs, alive }: World): Leftovers {
  const kinds = registry.kinds.all().filter(({ resource }) => !expiring.includes(resource))
  return {
    ...Object.fromEntries(kinds.map(({ resource }) => [resource, registry.list(resource).length])),
    registrations: github.control.registrations().length,
    'open jobs': openJobs.size,
    containers: alive.size,
  }
}

/** Returns one sentence for each count that is larger than before. */
export function grown(before: Leftovers, after: Leftovers): readonly string[] {
  return Object.entries(after).flatMap(([what, count]) => {
    const first = before[what] ?? 0
    return count > first ? [`left over: ${count} ${what}, and ${first} at the beginning`] : []
  })
}
