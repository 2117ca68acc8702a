// The PersistentVolumeClaims of a StatefulSet: one for each pod and each claim template. They outlive their pods, unless the
// retention policy says otherwise.
import { field } from '../../api/json.ts'
import type { Registry } from '../../api/registry.ts'
import type { StoredObject } from '../../store/object.ts'
import type { Reconciliation } from '../object-loop.ts'
import { ownerReference } from '../owners.ts'
import { ordinalOf, ordinalsOf, podName, type StatefulSet } from './stateful-set-object.ts'

const resource = 'persistentvolumeclaims'

type Claim = { readonly volume: string; readonly name: string }

/** Returns the claims of a pod: the volume in the pod, and the name of the claim. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly Claim[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }) => ({
    volume: name,
    name: `${name}-${podName(set, ordinal)}`,
  }))
}

/** Creates the claims of a pod that do not exist. */
export function createClaims({ registry, events }: Reconciliation, set: StatefulSet, ordinal: number): void {
  const { namespace, name: setName } = set.metadata
  for (const { volume, name } of claimsOf(set, ordinal)) {
    if (registry.get(resource, namespace, name) !== undefined) continue
    const template = set.spec.volumeClaimTemplates?.find(({ metadata }) => metadata.name === volume)
    const labels = { ...objectOf(template, 'metadata', 'labels'), ...set.spec.selector.matchLabels }
    const annotations = field(template, 'metadata', 'annotations')
    registry.create(resource, { metadata: { name, namespace, labels, annotations }, spec: template?.spec })
    const message = `Create Claim ${name} Pod ${podName(set, ordinal)} in StatefulSet ${setName} success`
    events.record('Normal', 'SuccessfulCreate', message)
  }
}

function objectOf(value: unknown, ...path: readonly string[]): object {
  return Object(field(value, ...path))
}

/** Returns whether a claim of the pod still belongs to the pod of this name that was there before. It is about to be deleted. */
export function hasStaleClaim(registry: Registry, set: StatefulSet, ordinal: number): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy.whenScaled === 'Retain') return false
  return claimsOf(set, ordinal).some(({ name }) =>
    registry
      .get(resource, set.metadata.namespace, name)
      ?.metadata.ownerReferences?.some((owner) => owner.kind === 'Pod' && owner.name === podName(set, ordinal)),
  )
}

/** Lets the claims of a pod end with the object that the retention policy names. */
export function retainClaims(registry: Registry, set: StatefulSet, pod: StoredObject): void {
  const ordinal = ordinalOf(pod)
  const owner = ownerOfClaims(set, pod)
  const { apiVersion } = set
  for (const { name } of claimsOf(set, ordinal)) {
    const claim = registry.get(resource, set.metadata.namespace, name)
    if (claim === undefined) continue
    const before = claim.metadata.ownerReferences ?? []
    const isOurs = (one: { readonly apiVersion: string; readonly kind: string; readonly name: string }): boolean =>
      (one.apiVersion === apiVersion && one.kind === 'StatefulSet' && one.name === set.metadata.name) ||
      (one.apiVersion === 'v1' && one.kind === 'Pod' && one.name === pod.metadata.name)
    const others = before.filter((reference) => !isOurs(reference))
    // Another controller decides about this claim.
    const isForeign = others.some(({ controller }) => controller === true)
    const ownerReferences = owner === undefined || isForeign ? others : [...others, ownerReference(owner)]
    registry.update(resource, { ...claim, metadata: { ...claim.metadata, ownerReferences } })
  }
}

/** Returns the object with which the claims of a pod end: the pod if it is surplus, the set, or none. */
function ownerOfClaims(set: StatefulSet, pod: StoredObject): StoredObject | undefined {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy
  const { first, end } = ordinalsOf(set)
  const ordinal = ordinalOf(pod)
  if (whenScaled === 'Delete' && (ordinal < first || ordinal >= end)) return pod
  return whenDeleted === 'Delete' ? set : undefined
}
