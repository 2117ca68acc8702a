// The real program against a cluster: `dayfly cluster`, `dayfly emulate github` and `dayfly controller` as processes of one world.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { runnerSets, secrets } from '@dayfly/controller/resources'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { type Cli, createWorld, runCli, until, type World } from '../cli.ts'

export const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

export type OperateStage = Awaited<ReturnType<typeof openOperateStage>>

/** @param latencyMs delay of each answer of the forge */
export async function openOperateStage(latencyMs = 0) {
  const world = createWorld()
  const kubeconfig = path.join(world.directory, 'kubeconfig')
  world.start('cluster', '--kubeconfig', kubeconfig, '--json')
  await until('the cluster listens', 20_000, () => existsSync(kubeconfig))
  const forge = world.start('emulate', 'github', '--json', '--latency', String(latencyMs))
  const { configUrl: url, token } = await until('the forge listens', 20_000, () => addressOf(forge))
  const clock = systemClock()
  const connection = connect(await loadKubeconfig(kubeconfig), clock)
  const kubernetes = createKubernetes({ transport: connection.transport, clock, random: systemRandom() })
  await kubernetes.create(definitions, runnerSetCrd() as KubeObject)
  await until('the kind is served', 10_000, () => kubernetes.list(runnerSets).catch(() => undefined))
  const metadata = { name: 'github', namespace: 'default' }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { github_token: token } }
  await kubernetes.create(secrets, secret)
  const addSet = (name: string, spec: object = {}) =>
    kubernetes.create(runnerSets, {
      apiVersion: 'dayfly.dev/v1alpha1',
      kind: 'RunnerSet',
      metadata: { name, namespace: 'default' },
      spec: { github: { url, credentials: { secret: 'github' } }, scale: { min: 1, max: 3 }, ...spec },
    })
  const dayfly = (...args: readonly string[]) =>
    runCli([...args, '--kubeconfig', kubeconfig], { environment: { TMPDIR: world.directory } })
  const close = async () => {
    await connection.close()
    world.end()
  }
  return {
    world,
    kubeconfig,
    kubernetes,
    url,
    token,
    addSet,
    dayfly,
    startController: () => startController(world, kubeconfig),
    close,
  }
}

function startController(world: World, kubeconfig: string): Cli {
  return world.start('controller', '--kubeconfig', kubeconfig, '--health-address', 'off')
}

/** Reads the line of JSON that `emulate --json` prints. */
function addressOf(forge: Cli): { readonly configUrl: string; readonly token: string } | undefined {
  const line = forge.stdout().split('\n')[0]
  if (!line?.endsWith('}')) return undefined
  return JSON.parse(line) as { readonly configUrl: string; readonly token: string }
}

/** A template whose runner container has these fields, in a pod with these. */
export function template(runner: object, pod: object = {}): object {
  return { template: { spec: { ...pod, containers: [{ name: 'runner', ...runner }] } } }
}
