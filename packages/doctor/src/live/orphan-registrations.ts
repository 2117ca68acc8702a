// Proposes the removal of registrations whose runner is gone from the cluster. Such a registration may belong to another cluster.
// Therefore the doctor removes only idle registrations of the cluster's own sets, and only at a forge that refuses to remove busy ones.
import { type LeftRunner, leftRunners } from '../gitea-runners.ts'
import { describeUnread } from '../live-facts.ts'
import type { Cluster } from './cluster.ts'
import { type Found, guide, nothing, type Proposal, refuse } from './proposal.ts'

export const orphanRule = 'orphan-registration'

/** `found.object` has the id of the registration as its UID. */
export function dropOrphan(found: Found, cluster: Cluster): Proposal {
  const { forge, unreadable } = cluster.live
  const { name, uid } = found.object
  if (!forge) return refuse({ found }, describeUnread(unreadable['Registration']) ?? 'the forge was not asked')
  const registration = forge.registrations.find(({ id }) => id === uid)
  if (!registration) return refuse({ found }, 'the forge no longer has it')
  if (registration.busy !== false) return refuse({ found }, 'it may be busy: the forge does not report it as idle')
  if (registration.status !== 'offline' && !registration.isCordoned)
    return refuse({ found }, 'its runner may be online')
  for (const kind of ['Pod', 'Job', 'EphemeralRunner']) {
    const unread = cluster.unreadReason(kind, undefined)
    if (unread !== undefined) return refuse({ found }, unread)
  }
  const left = leftRunners(forge.registrations, cluster).find((one) => one.registration.id === uid)
  if (left) return guide({ found }, byHand(left, forge.url))
  if (cluster.objects.some(({ object }) => object.name === name && object.kind !== 'Event'))
    return refuse({ found }, 'the cluster has an object with its name')
  if (forge.removal !== 'refuses-busy')
    return guide({ found }, 'this forge also removes busy runners: remove it there by hand while no job runs')
  const registered = { id: registration.id, name: registration.name }
  return {
    ...nothing,
    drafts: [
      {
        rule: found.rule,
        action: { do: 'deregister', registration: registered },
        evidence: {
          class: 'live',
          says: `the forge reports it ${registration.isCordoned ? 'cordoned' : 'offline'} and idle, and the cluster has no such runner`,
        },
        guards: [
          { is: 'no-runner', name },
          { is: 'left-over', registration: registered },
        ],
        after: [],
      },
    ],
  }
}

/** The name of a pod does not show its cluster. */
function byHand({ registration: { id }, workload: { namespace }, claim }: LeftRunner, url: string): string {
  const first = 'make sure that no other cluster has a runner of this name'
  const volume = claim === undefined ? '' : `, delete its claim (kubectl -n ${namespace} delete pvc ${claim})`
  return `${first}${volume}, and remove it at ${url} in the settings of the runners (id ${id})`
}
