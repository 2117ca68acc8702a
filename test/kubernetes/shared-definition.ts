// Creates the definition of RunnerSet before lanes of tests that run side by side, so that none of them has to remove it.
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { clock, crds, eventually, random } from './client-place.ts'
import { kubeconfig } from './cluster.ts'

export async function setup(): Promise<void> {
  if (kubeconfig === undefined) return
  const cluster = connect(await loadKubeconfig(kubeconfig), clock)
  const kubernetes = createKubernetes({ transport: cluster.transport, clock, random })
  const definition = runnerSetCrd() as unknown as KubeObject
  const { name } = definition.metadata
  // The one of an earlier test may still be going away.
  await eventually('the definition is there', async () => {
    await kubernetes.create(crds, definition).catch((error: unknown) => {
      if (!(error instanceof KubernetesError) || error.kind !== 'already-exists') throw error
    })
    return (await kubernetes.get(crds, { name })).metadata.deletionTimestamp === undefined
  })
  await cluster.close()
}
