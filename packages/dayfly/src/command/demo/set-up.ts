// Creates the objects that the demo's controller needs: the definition of RunnerSet, a Secret with the forge's credential, and its sets.
import { runnerSets, secrets } from '@dayfly/controller/resources'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import type { DemoForge } from './forge.ts'

export const demoNamespace = 'default'

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

export type SetUp = Pick<DemoForge, 'secret' | 'sets'> & {
  /** The maximum number of runners of all sets together. */
  readonly max: number
}

export async function setUp(kubernetes: Kubernetes, { secret, sets, max }: SetUp): Promise<void> {
  await kubernetes.create(definitions, runnerSetCrd() as KubeObject)
  await kubernetes.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret.name, namespace: demoNamespace },
    type: 'Opaque',
    stringData: secret.entries,
  })
  const each = Math.max(1, Math.floor(max / sets.length))
  for (const { name, min, spec } of sets) {
    await kubernetes.create(runnerSets, {
      apiVersion: runnerSetApiVersion,
      kind: 'RunnerSet',
      metadata: { name, namespace: demoNamespace },
      spec: { ...spec, scale: { min: Math.min(min, each), max: each } },
    })
  }
}

/** Deletes every set. The controller then ends their runners and removes their registrations. */
export async function retireSets(kubernetes: Kubernetes): Promise<void> {
  const { items } = await kubernetes.list(runnerSets)
  await Promise.all(
    items.map(({ metadata: { name, namespace = '' } }) => kubernetes.delete(runnerSets, { name, namespace })),
  )
}
