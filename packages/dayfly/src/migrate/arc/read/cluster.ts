// Reads ARC's objects and Helm's releases of a cluster.

import type { SourceFile } from '@dayfly/doctor/read/decode/document'
import { textAt } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { type HelmRelease, readHelmSecret } from './helm-secret.ts'

const scaleSets = kindOf('actions.github.com', 'v1alpha1', 'AutoscalingRunnerSet')
const old = ['RunnerDeployment', 'RunnerSet', 'HorizontalRunnerAutoscaler'].map((kind) =>
  kindOf('actions.summerwind.dev', 'v1alpha1', kind),
)
const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

function kindOf(group: string, version: string, kind: string): Resource {
  return { group, version, plural: `${kind.toLowerCase()}s`, kind, namespaced: true }
}

/** Returns each object as a file. A cluster may have one generation of ARC, or both. @param namespace undefined for all */
export async function readArcObjects(
  kubernetes: Kubernetes,
  namespace: string | undefined,
): Promise<readonly SourceFile[]> {
  const lists = await Promise.all([scaleSets, ...old].map((resource) => listIfServed(kubernetes, resource, namespace)))
  return lists.flat().map((object) => ({
    path: `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
    text: JSON.stringify(object),
  }))
}

async function listIfServed(
  kubernetes: Kubernetes,
  resource: Resource,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  try {
    const { items } = await kubernetes.list(resource, { namespace })
    const apiVersion = `${resource.group}/${resource.version}`
    return items.map((item) => ({ ...item, apiVersion, kind: resource.kind, status: undefined }))
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'not-found') return []
    throw error
  }
}

/** Returns the newest version of an installed release; a sentence if there is none or it cannot be read. */
export async function readHelmRelease(
  kubernetes: Kubernetes,
  namespace: string,
  name: string,
): Promise<HelmRelease | string> {
  const labelSelector = `owner=helm,name=${name}`
  const { items } = await kubernetes.list(secrets, { namespace, labelSelector })
  const versionOf = (secret: KubeObject) => Number(secret.metadata.labels?.['version'] ?? 0)
  const newest = [...items].sort((one, other) => versionOf(other) - versionOf(one))[0]
  const data = newest && textAt(newest, 'data', 'release')
  if (data === undefined) return `There is no Helm release ${name} in the namespace ${namespace}.`
  return readHelmSecret(data)
}
