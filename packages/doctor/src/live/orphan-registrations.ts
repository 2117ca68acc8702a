// Proposes the removal of registrations whose runner is gone from the cluster. Such a registration may belong to another cluster.
// Therefore the doctor removes only idle registrations of the cluster's own sets, and only at a forge that refuses to remove busy ones.
import { shownName } from '../bitbucket-runners.ts'
import { describeUnread } from '../live-facts.ts'
import type { Cluster } from './cluster.ts'
import { type Found, guide, nothing, type Proposal, refuse } from './proposal.ts'

export const orphanRule = 'orphan-registration'

/** `found.object.name` is the name that the finding shows. */
export function dropOrphan(found: Found, cluster: Cluster): Proposal {
  const { forge, unreadable } = cluster.live
  const { name } = found.object
  if (!forge) return refuse({ found }, describeUnread(unreadable['Registration']) ?? 'the forge was not asked')
  const registration = forge.registrations.find((one) => shownName(one) === name)
  if (!registration) return refuse({ found }, 'the forge no longer has it')
  if (registration.busy !== false) return refuse({ found }, 'it may be busy: the forge does not report it as idle')
  if (registration.status !== 'offline' && !registration.isCordoned)
    return refuse({ found }, 'its runner may be online')
  for (const kind of ['Pod', 'Job', 'EphemeralRunner']) {
    const unread = cluster.unreadReason(kind, undefined)
    if (unread !== undefined) return refuse({ found }, unread)
  }
  if (cluster.objects.some(({ object }) => object.name === name && object.kind !== 'Event'))
    return refuse({ found }, 'the cluster has an object with its name')
  if (forge.removal !== 'refuses-busy')
    return guide({ found }, 'this forge also removes busy runners: remove it there by hand while no job runs')
  const left = { id: registration.id, name: registration.name }
  return {
    ...nothing,
    drafts: [
      {
        rule: found.rule,
        action: { do: 'deregister', registration: left },
        evidence: {
          class: 'live',
          says: `the forge reports it ${registration.isCordoned ? 'cordoned' : 'offline'} and idle, and the cluster has no such runner`,
        },
        guards: [
          { is: 'no-runner', name },
          { is: 'left-over', registration: left },
        ],
        after: [],
      },
    ],
  }
}
