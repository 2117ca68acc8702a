// Starts containerd and a kubelet for a control plane, with their own network bridge, in the namespaces of this process.
// Also tests call it, for a second node.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { listAt, textAt } from '@dayfly/kit/read-json'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { Resource } from '@dayfly/kubernetes/types'
import { type Components, createComponents } from '../control-plane/components.ts'
import { apiServerAddress, outsideAddress } from './addresses.ts'
import { containerdSettings, kubeletSettings, type NodePlan, podNetwork } from './settings.ts'

export type NodeOptions = {
  readonly plan: NodePlan
  /** The folder of the node's programs. */
  readonly programs: string
  /** An empty folder for the node's data, and the folder of the run, whose name is that of its control group. */
  readonly folder: string
  readonly run: string
  /** Archives of images. */
  readonly images: readonly string[]
  readonly kubeconfig: string
  readonly nodeKubeconfig: string
}

export type StartedNode = Pick<Components, 'kill' | 'end'>

const run = promisify(execFile)

/** Prepares the namespaces: starts the loopback interface and mounts empty folders over those that the node's programs write to. */
export async function enterNode(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up'])
  for (const address of [apiServerAddress, outsideAddress])
    await run('ip', ['address', 'add', `${address}/32`, 'dev', 'lo'])
  for (const folder of ['/run', '/var/lib', '/var/log']) await run('mount', ['-t', 'tmpfs', 'tmpfs', folder])
}

/** Starts the node and resolves when it is ready. Its programs and containers end with the namespaces, if not before. */
export async function startNode(options: NodeOptions, signal: AbortSignal): Promise<StartedNode> {
  const { plan, programs, folder, kubeconfig, nodeKubeconfig } = options
  const at = (name: string) => path.join(folder, name)
  const program = (name: string) => path.join(programs, name)
  for (const name of ['cni', 'containerd', 'kubelet', 'manifests']) await mkdir(at(name))
  await writeFile(at('containerd.toml'), containerdSettings(folder, programs, plan))
  await writeFile(at('kubelet.json'), JSON.stringify(kubeletSettings(folder, options.run, plan)))
  await writeFile(at('cni/10-pods.conflist'), JSON.stringify(podNetwork(folder, plan)))
  const components = createComponents(folder)
  components.start('containerd', [program('containerd'), '--config', at('containerd.toml')])
  const ctr = (...args: readonly string[]) =>
    run(program('ctr'), ['-a', at('containerd.sock'), '-n', 'k8s.io', ...args])
  const answers = () =>
    ctr('version').then(
      () => true,
      () => false,
    )
  await components.until(answers, signal)
  for (const archive of options.images) await ctr('images', 'import', archive)
  components.start('kubelet', [
    program('controlplane'),
    'kubelet',
    `--config=${at('kubelet.json')}`,
    `--kubeconfig=${nodeKubeconfig}`,
    `--root-dir=${at('kubelet')}`,
    `--cert-dir=${at('kubelet/pki')}`,
    // The kubelet takes its address from the host name, too. It refuses a loopback address from --node-ip.
    `--hostname-override=${plan.name}`,
  ])
  await components.until(() => isReady(kubeconfig, plan.name), signal)
  return components
}

const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }

async function isReady(kubeconfig: string, name: string): Promise<boolean> {
  const clock = systemClock()
  const cluster = connect(await loadKubeconfig(kubeconfig), clock)
  try {
    const kubernetes = createKubernetes({ transport: cluster.transport, clock, random: systemRandom() })
    const { items } = await kubernetes.list(nodes)
    return items.some(
      ({ metadata, status }) =>
        metadata.name === name &&
        listAt(status, 'conditions').some(
          (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
        ),
    )
  } finally {
    await cluster.close()
  }
}
