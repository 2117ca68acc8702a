// Registrations at the forge whose runner is gone from the cluster. A registration of an account may belong to another cluster, so only idle ones of our names are touched, and only where the forge refuses busy ones.
import type { Cluster } from './cluster.ts'
import { type Found, guide, refuse } from './mend.ts'
import type { PlanOptions } from './plan-options.ts'
import { nothing, type Proposal } from './step.ts'

export const orphanRule = 'orphan-registration'

/** `found.object.name` is the registration's. */
export function dropOrphan(found: Found, cluster: Cluster, options: PlanOptions): Proposal {
  const { registrations } = cluster.live
  const { name } = found.object
  if (!registrations) return refuse({ found }, 'unreadable', 'the forge was not asked')
  const registration = registrations.find((one) => one.name === name)
  if (!registration) return refuse({ found }, 'live', 'the forge no longer has it')
  if (registration.busy !== false)
    return refuse({ found }, 'live', 'it may be busy: the forge does not say that it is idle')
  if (registration.status !== 'offline') return refuse({ found }, 'live', 'its runner may be online')
  for (const kind of ['Pod', 'Job', 'EphemeralRunner']) {
    const blind = cluster.blindFor(kind, undefined)
    if (blind !== undefined) return refuse({ found }, 'unreadable', blind)
  }
  if (cluster.objects.some(({ object }) => object.name === name && object.kind !== 'Event'))
    return refuse({ found }, 'live', 'the cluster has an object of its name')
  if (options.forge !== 'refuses-busy' || registration.id === undefined)
    return guide({ found }, 'this forge removes also busy runners: remove it there by hand, when no job runs')
  return {
    ...nothing,
    drafts: [
      {
        rule: found.rule,
        action: { do: 'deregister', registration: { id: registration.id, name } },
        evidence: { class: 'live', says: 'the forge calls it offline and idle, and the cluster has no such runner' },
        guards: [{ is: 'no-runner', name }],
        after: [],
      },
    ],
  }
}
