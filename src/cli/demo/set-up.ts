// Creates the objects that the demo's controller needs: the definition of RunnerSet, a Secret with the forge's credential, and one set.

import { runnerSetCrd } from '../../config/crd.ts'
import { runnerSets, secrets } from '../../controller/resources.ts'
import type { Kubernetes } from '../../kubernetes/kubernetes.ts'
import type { KubeObject, Resource } from '../../kubernetes/types.ts'
import { runnerSetApiVersion } from '../../model/api.ts'

export const demoNamespace = 'default'
export const demoSet = 'demo'
/** The Secret with the forge's credential. Sets that the operator adds can use it, too. */
export const credentialSecret = 'github'

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

export type SetUp = { readonly url: string; readonly token: string; readonly max: number }

export async function setUp(kubernetes: Kubernetes, { url, token, max }: SetUp): Promise<void> {
  await kubernetes.create(definitions, runnerSetCrd() as KubeObject)
  await kubernetes.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: credentialSecret, namespace: demoNamespace },
    type: 'Opaque',
    stringData: { github_token: token },
  })
  await kubernetes.create(runnerSets, {
    apiVersion: runnerSetApiVersion,
    kind: 'RunnerSet',
    metadata: { name: demoSet, namespace: demoNamespace },
    spec: { github: { url, credentials: { secret: credentialSecret } }, scale: { min: 0, max } },
  })
}

/** Deletes every set. The controller then ends their runners and removes their registrations. */
export async function retireSets(kubernetes: Kubernetes): Promise<void> {
  const { items } = await kubernetes.list(runnerSets)
  await Promise.all(
    items.map(({ metadata: { name, namespace = '' } }) => kubernetes.delete(runnerSets, { name, namespace })),
  )
}
