// Registrations at the forge whose runner is gone from the cluster. A registration of an account may belong to another cluster, so only idle ones of our sets are touched, and only where the forge refuses busy ones.
import type { Cluster } from './cluster.ts'
import { type Found, guide, refuse } from './mend.ts'
import { nothing, type Proposal } from './step.ts'

export const orphanRule = 'orphan-registration'

/** `found.object.name` is the registration's. */
export function dropOrphan(found: Found, cluster: Cluster): Proposal {
  const { forge, unreadable } = cluster.live
  const { name } = found.object
  if (!forge) return refuse({ found }, 'unreadable', unreadable['Registration'] ?? 'the forge was not asked')
  const registration = forge.registrations.find((one) => one.name === name)
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
  if (forge.removal !== 'refuses-busy')
    return guide({ found }, 'this forge removes also busy runners: remove it there by hand, when no job runs')
  const left = { id: registration.id, name }
  return {
    ...nothing,
    drafts: [
      {
        rule: found.rule,
        action: { do: 'deregister', registration: left },
        evidence: { class: 'live', says: 'the forge calls it offline and idle, and the cluster has no such runner' },
        guards: [
          { is: 'no-runner', name },
          { is: 'left-over', registration: left },
        ],
        after: [],
      },
    ],
  }
}
