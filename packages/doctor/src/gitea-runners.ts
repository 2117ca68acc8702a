// The registrations at Gitea of runners that registered themselves: those of a StatefulSet or a Deployment, as in Gitea's chart.
// Gitea keeps no record of their owner. Unless it is told another name, a runner has that of its pod (docs/reference/gitea.md#s5-3).
import { numberAt, textAt } from '@dayfly/kit/read-json'
import type { Facts, RegistrationFact } from './facts.ts'
import type { ObjectRef } from './finding.ts'
import type { PodView } from './pod-view.ts'
import { isOfGitea } from './pods/drain.ts'

export type LeftRunner = {
  readonly registration: RegistrationFact
  readonly workload: ObjectRef
  /** Why no pod will use it again, as the rest of a sentence about the cluster. */
  readonly because: string
  /** The claim that keeps the registration for a pod of the same name. */
  readonly claim: string | undefined
}

/** Returns the registrations whose pod is gone, or has registered again. They may be those of another cluster with the same names. */
export function leftRunners(
  registrations: readonly RegistrationFact[],
  { objects, pods: views }: Pick<Facts, 'objects' | 'pods'>,
): readonly LeftRunner[] {
  const pods = new Set(objects.flatMap(({ object }) => (object.kind === 'Pod' ? [object.name] : [])))
  return views.flatMap((view) => {
    const find = finders[view.object.kind]
    const runner = view.containers.find(({ name }) => name === view.runner)
    if (!find || !isOfGitea(runner)) return []
    return find({ view, registrations, pods, keeps: keptIn(view) })
  })
}

type Search = {
  readonly view: PodView
  readonly registrations: readonly RegistrationFact[]
  /** The names of all pods. */
  readonly pods: ReadonlySet<string>
  /** The volume in which a registration may outlive its pod. */
  readonly keeps: string | undefined
}

const finders: Readonly<Record<string, (search: Search) => readonly LeftRunner[]>> = {
  StatefulSet: ofStatefulSet,
  Deployment: ofDeployment,
}

function ofStatefulSet({ view, registrations, pods, keeps }: Search): readonly LeftRunner[] {
  const { object, raw } = view
  const first = numberAt(raw, 'spec', 'ordinals', 'start') ?? 0
  const replicas = numberAt(raw, 'spec', 'replicas') ?? 1
  const claims =
    textAt(raw, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenScaled') === 'Delete' ? undefined : keeps
  return registrations.flatMap((registration) => {
    const ordinal = ordinalOf(registration.name, object.name)
    if (ordinal === undefined) return []
    const found = { registration, workload: object }
    if (pods.has(registration.name)) {
      const isOld = keeps === undefined && registrations.some((other) => replaces(other, registration))
      return isOld ? [{ ...found, because: 'its pod has registered again since', claim: undefined }] : []
    }
    // A pod that the StatefulSet wants is about to come back.
    if (ordinal >= first && ordinal < first + replicas) return []
    const because = `the StatefulSet has ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`
    return [{ ...found, because, claim: claims && `${claims}-${registration.name}` }]
  })
}

/** A pod of a Deployment never comes back. One with a lasting volume hands its registration on to the next pod. */
function ofDeployment({ view: { object }, registrations, pods, keeps }: Search): readonly LeftRunner[] {
  if (keeps !== undefined) return []
  const isOf = ({ name }: RegistrationFact) =>
    name.startsWith(`${object.name}-`) && /^[0-9a-z]{6,10}-[0-9a-z]{5}$/.test(name.slice(object.name.length + 1))
  return registrations
    .filter((one) => isOf(one) && !pods.has(one.name))
    .map((registration) => ({
      registration,
      workload: object,
      because: 'no pod of its name exists any more',
      claim: undefined,
    }))
}

/** A pod registers again at its start if it kept nothing. Ids rise, so the newest one is in use. */
function replaces(other: RegistrationFact, { id, name }: RegistrationFact): boolean {
  return other.name === name && Number(other.id) > Number(id)
}

function ordinalOf(name: string, set: string): number | undefined {
  const rest = name.startsWith(`${set}-`) ? name.slice(set.length + 1) : ''
  return /^(0|[1-9]\d{0,5})$/.test(rest) ? Number(rest) : undefined
}

/** Returns the first volume of the runner that outlives its pod. A volume that the pod does not define is a claim of its StatefulSet. */
function keptIn({ containers, runner, volumes }: PodView): string | undefined {
  const mounts = containers.flatMap((container) => (container.name === runner ? Object.values(container.mounts) : []))
  const passing = ['emptyDir', 'configMap', 'secret', 'projected', 'downwardAPI', 'ephemeral']
  return mounts.find((name) => {
    const volume = volumes.find((one) => one.name === name)
    return !volume || !passing.some((kind) => kind in volume.raw)
  })
}
