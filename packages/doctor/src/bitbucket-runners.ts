// The registrations at Bitbucket that a cluster made: those of Atlassian's autoscaler, and those of Dayfly's runner sets.
// Bitbucket keeps no record of their owner, so names and objects of the cluster show it (docs/reference/bitbucket.md#s4-2).
import { textAt, valueAt } from '@dayfly/kit/read-json'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import type { ObjectFact, RegistrationFact } from './facts.ts'

const autoscalerLabel = 'autoscaler.created'

export type OwnRunner = {
  readonly registration: RegistrationFact
  /** The owner, for messages. */
  readonly owner: string
  /** Whether the cluster has the Job or the pod of the runner. */
  readonly isThere: boolean
}

/** Returns the name under which a finding shows the registration: the autoscaler gives all runners of a group one name. */
export function shownName({ id, name, labels }: Pick<RegistrationFact, 'id' | 'name' | 'labels'>): string {
  return labels?.includes(autoscalerLabel) ? `runner-${uuidOf(id)}` : name
}

export function ownRunners(
  registrations: readonly RegistrationFact[],
  objects: readonly ObjectFact[],
): readonly OwnRunner[] {
  return [...autoscalerRunners(registrations, objects), ...setRunners(registrations, objects)]
}

/** A Secret proves that the cluster made the registration. The Job of another one proves that the account's autoscaler runs here. */
function autoscalerRunners(registrations: readonly RegistrationFact[], objects: readonly ObjectFact[]): OwnRunner[] {
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
    return [{ registration, owner: "Atlassian's autoscaler", isThere }]
  })
}

function setRunners(registrations: readonly RegistrationFact[], objects: readonly ObjectFact[]): OwnRunner[] {
  const pods = new Set(objects.flatMap(({ object }) => (object.kind === 'Pod' ? [object.name] : [])))
  return objects.flatMap(({ object, raw }) => {
    if (object.kind !== 'RunnerSet' || valueAt(raw, 'spec', 'bitbucket') === undefined) return []
    const prefix = runnerPrefix({ name: object.name, uid: object.uid ?? '' })
    return registrations
      .filter(({ name }) => name.startsWith(prefix))
      .map((registration) => ({
        registration,
        owner: `RunnerSet ${object.namespace}/${object.name}`,
        isThere: pods.has(registration.name),
      }))
  })
}

function uuidOf(id: string): string {
  return id.replace(/^\{|\}$/g, '')
}
