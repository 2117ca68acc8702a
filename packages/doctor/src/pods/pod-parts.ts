// Parts of a pod view that several rules need: its ordinary containers, its Job, its metadata, and the start of a hit.
import type { JsonObject, Path } from '@dayfly/kit/read-json'
import { fieldsAt, listAt, textAt } from '@dayfly/kit/read-json'
import type { Facts, VersionFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { ContainerView, PodView } from '../pod-view.ts'
import { namesForge } from '../runner-sets.ts'

/** Returns the pods that a person wrote. In a cluster, this drops the pods whose owner is in the same input, because they would repeat its findings. */
export function writtenPods(facts: Facts): readonly PodView[] {
  if (!facts.live) return facts.pods
  const uids = new Set(facts.pods.flatMap(({ raw }) => textAt(raw, 'metadata', 'uid') ?? []))
  const deployments = new Set(
    facts.pods.flatMap(({ object }) => (object.kind === 'Deployment' ? `${object.namespace}/${object.name}` : [])),
  )
  const isMade = (pod: PodView, owner: unknown) =>
    uids.has(textAt(owner, 'uid') ?? '') || deployments.has(`${pod.object.namespace}/${deploymentOf(pod, owner)}`)
  return facts.pods.filter((pod) => !listAt(pod.raw, 'metadata', 'ownerReferences').some((owner) => isMade(pod, owner)))
}

/**
 * Returns the Deployment of a ReplicaSet. ReplicaSets are not read, because each Deployment has ten.
 * The name of one consists of the Deployment's name and its pods' hash label.
 */
function deploymentOf({ raw }: PodView, owner: unknown): string | undefined {
  const hash = textAt(raw, 'metadata', 'labels', 'pod-template-hash')
  const name = textAt(owner, 'name')
  if (textAt(owner, 'kind') !== 'ReplicaSet' || !hash || !name?.endsWith(`-${hash}`)) return undefined
  return name.slice(0, -hash.length - 1)
}

/** Returns the versions that the pod may run on. */
export function versionOf(pod: PodView, facts: Facts): VersionFact {
  return pod.version ?? facts.version
}

export function ordinaryContainers(pod: PodView): readonly ContainerView[] {
  return pod.containers.filter((container) => container.role === 'container')
}

/** Whether the pod is complete. A patch of kustomize names only its changes, so a missing field means nothing there. */
export function isWhole(pod: PodView): boolean {
  const ordinary = ordinaryContainers(pod)
  // Dayfly adds the runner and its image.
  if (pod.owner === 'RunnerSet' && namesForge(pod.raw))
    return ordinary.every(({ name, image }) => image !== undefined || name === 'runner')
  return ordinary.length > 0 && ordinary.every((container) => container.image !== undefined)
}

/** Returns the spec of the Job, or of the Job template, around the pod. */
export function jobSpecOf(pod: PodView): { readonly fields: JsonObject; readonly path: Path } | undefined {
  if (pod.owner !== 'Job' && pod.owner !== 'CronJob' && pod.owner !== 'ScaledJob') return undefined
  const path = pod.path.slice(0, -2)
  const fields = fieldsAt(pod.raw, ...path)
  return fields && { fields, path }
}

/** Returns the path of the metadata of the pod or its template, also if it is missing. */
export function podMetadataPath(pod: PodView): Path {
  return [...pod.path.slice(0, -1), 'metadata']
}

/** Makes a hit in a pod. Fixes are for documents, so a live object has none. */
export function hitIn(pod: PodView, hit: Omit<Hit, 'object' | 'document'>): Hit {
  const { fix, ...rest } = hit
  return { object: pod.object, document: pod.document, ...rest, ...(fix && pod.document !== undefined ? { fix } : {}) }
}
