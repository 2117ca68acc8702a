// The embedded cluster and the controller as processes, with runner sets of a real Gitea.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { pods, runnerSets, secrets } from '@dayfly/controller/resources'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { createWorld, until } from '../cli.ts'
import { startController } from '../controller/process-world.ts'

const definitions: Resource = {
  ...{ group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
  ...{ kind: 'CustomResourceDefinition', namespaced: false },
}
const namespaces = { ...pods, plural: 'namespaces', kind: 'Namespace', namespaced: false }
const namespace = 'ci'

export type StageSet = {
  readonly name: string
  /** The URL of the level. */
  readonly url: string
  readonly max: number
  readonly labels?: readonly string[]
}

/** Starts the cluster with these sets, which share one token. The controller is not started yet. */
export async function openControllerStage(token: string, sets: readonly StageSet[]) {
  const world = createWorld()
  const own = path.join(world.directory, 'own')
  mkdirSync(own)
  const kubeconfig = path.join(own, 'kubeconfig')
  const cluster = world.start('cluster', '--kubeconfig', kubeconfig)
  await until('the cluster listens', 60_000, () => cluster.stdout().includes('export KUBECONFIG='))
  const clock = systemClock()
  const connection = connect(await loadKubeconfig(kubeconfig), clock)
  const kubernetes = createKubernetes({ transport: connection.transport, clock, random: systemRandom() })
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'gitea', namespace } }
  await kubernetes.create(definitions, runnerSetCrd() as never)
  await kubernetes.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await kubernetes.create(secrets, { ...secret, stringData: { gitea_token: token } } as KubeObject)
  for (const { name, url, max, labels = [] } of sets) {
    const spec = { gitea: { url, credentials: { secret: 'gitea' }, labels }, scale: { max } }
    const set = { apiVersion: 'dayfly.dev/v1alpha1', kind: 'RunnerSet', metadata: { name, namespace }, spec }
    await kubernetes.create(runnerSets, set as KubeObject)
  }
  return {
    own,
    count: async (kind: Resource) => (await kubernetes.list(kind, { namespace })).items.length,
    start: () => startController(world.start, kubeconfig, ['--namespace', namespace, '--lease-namespace', namespace]),
    close: async () => {
      await connection.close()
      world.end()
    },
  }
}
