// The registrations at Bitbucket that Atlassian's autoscaler of this cluster made.
// Bitbucket keeps no record of their owner, so names and objects of the cluster show it (docs/reference/bitbucket.md#s4-2).
import { textAt } from '@dayfly/kit/read-json'
import type { ObjectFact, RegistrationFact } from './facts.ts'
import type { OwnRunner } from './set-runners.ts'

const autoscalerLabel = 'autoscaler.created'

/** Returns the name under which a finding shows the registration: the autoscaler gives all runners of a group one name. */
export function shownName({ id, name, labels }: Pick<RegistrationFact, 'id' | 'name' | 'labels'>): string {
  return labels?.includes(autoscalerLabel) ? `runner-${uuidOf(id)}` : name
}

/** A Secret proves that the cluster made the registration. The Job of another one proves that the account's autoscaler runs here. */
export function autoscalerRunners(
  registrations: readonly RegistrationFact[],
  objects: readonly ObjectFact[],
): readonly OwnRunner[] {
  const made = registrations.filter(({ labels }) => labels?.includes(autoscalerLabel))
  const named = (kind: string) => new Set(objects.flatMap(({ object }) => (object.kind === kind ? [object.name] : [])))
  const [jobs, secrets] = [named('Job'), named('Secret')]
  const withPod = new Set(
    objects.flatMap(({ object, raw }) =>
      object.kind === 'Pod' ? [textAt(raw, 'metadata', 'labels', 'runner_uuid')] : [],
    ),
  )
  const runsHere = made.some(({ id }) => jobs.has(`runner-${uuidOf(id)}`))
  return made.flatMap((registration) => {
    const uuid = uuidOf(registration.id)
    if (!runsHere && !secrets.has(`runner-oauth-credentials-${uuid}`)) return []
    const isThere = jobs.has(`runner-${uuid}`) || withPod.has(uuid)
    return [{ registration, forge: 'bitbucket', owner: "Atlassian's autoscaler", isThere }]
  })
}

function uuidOf(id: string): string {
  return id.replace(/^\{|\}$/g, '')
}
