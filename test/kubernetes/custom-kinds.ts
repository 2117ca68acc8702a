// Defines the custom kinds that the doctor knows on a real cluster, and removes those that it has defined.
import { arcKinds, definitionOf } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { crds, eventually, isAbsent } from './client-place.ts'

export type CustomKinds = { remove(): Promise<void> }

export async function defineCustomKinds(kubernetes: Kubernetes): Promise<CustomKinds> {
  const mine: string[] = []
  for (const [kind, name] of Object.entries({ ...arcKinds, RunnerSet: 'runnersets.dayfly.dev' })) {
    if (!(await isAbsent(kubernetes.get(crds, { name })))) continue
    const definition = definitionOf(kind, name)
    await kubernetes.create(crds, definition)
    mine.push(name)
    await eventually(`objects of ${name} can be created`, () => takesObjects(kubernetes, definition), 60_000)
  }
  return {
    remove: async () => {
      for (const name of mine) await kubernetes.delete(crds, { name })
      // Otherwise the next test would find the kinds, but could not create objects.
      for (const name of mine)
        await eventually(`${name} is gone`, () => isAbsent(kubernetes.get(crds, { name })), 60_000)
    },
  }
}

/** The API server serves a kind some time after its definition. Until then it may still know a deleted kind of the same name. */
async function takesObjects(kubernetes: Kubernetes, { spec }: ReturnType<typeof definitionOf>): Promise<boolean> {
  const { group, names } = spec
  const version = 'v1alpha1'
  const resource = { group, version, plural: names.plural, kind: names.kind, namespaced: true }
  const metadata = { name: 'probe', namespace: 'default' }
  const object = { apiVersion: `${group}/${version}`, kind: names.kind, metadata }
  try {
    await kubernetes.create(resource, object, { dryRun: true })
    return true
  } catch (error) {
    // A cluster without the namespace has found the kind all the same.
    return error instanceof KubernetesError && error.about === metadata.namespace
  }
}
