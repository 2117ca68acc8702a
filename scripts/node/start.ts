// Starts containerd and a kubelet for a control plane, with their own network bridge, in the namespaces of this process.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createKubernetes } from '../../src/kubernetes/client.ts'
import { connect } from '../../src/kubernetes/connect.ts'
import { loadKubeconfig } from '../../src/kubernetes/kubeconfig.ts'
import type { Resource } from '../../src/kubernetes/types.ts'
import { listAt, textAt } from '../../src/lib/read-json.ts'
import { systemClock, systemRandom } from '../../src/lib/system.ts'
import { createComponents } from '../control-plane/components.ts'
import type { ControlPlane } from '../control-plane/start.ts'
import { writeImages } from './images.ts'
import { containerdSettings, kubeletSettings, podNetwork } from './settings.ts'

export type NodeOptions = {
  /** The folder of the node's programs. */
  readonly programs: string
  /** An empty folder for the node's data. */
  readonly folder: string
  readonly busybox: string
  readonly server: Pick<ControlPlane, 'kubeconfig' | 'nodeKubeconfig'>
}

const run = promisify(execFile)

/** Prepares the namespaces: starts the loopback interface and mounts empty folders over those that the node's programs write to. */
export async function enterNode(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up'])
  for (const folder of ['/run', '/var/lib', '/var/log']) await run('mount', ['-t', 'tmpfs', 'tmpfs', folder])
}

/** Starts the node and resolves when it is ready. Its programs and containers end with the namespaces. */
export async function startNode(
  { programs, folder, busybox, server }: NodeOptions,
  signal: AbortSignal,
): Promise<void> {
  const at = (name: string) => path.join(folder, name)
  const program = (name: string) => path.join(programs, name)
  for (const name of ['cni', 'images', 'kubelet', 'manifests']) await mkdir(at(name))
  await writeFile(at('containerd.toml'), containerdSettings(folder, programs))
  await writeFile(at('kubelet.json'), JSON.stringify(kubeletSettings(folder)))
  await writeFile(at('cni/10-pods.conflist'), JSON.stringify(podNetwork(folder)))
  const archive = await writeImages(at('images'), busybox)
  // containerd looks for its shim in PATH.
  process.env['PATH'] = `${programs}:${process.env['PATH']}`
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
  await ctr('images', 'import', archive)
  components.start('kubelet', [
    program('kubelet'),
    `--config=${at('kubelet.json')}`,
    `--kubeconfig=${server.nodeKubeconfig}`,
    `--root-dir=${at('kubelet')}`,
    `--cert-dir=${at('kubelet/pki')}`,
    // The kubelet takes its address from the host name, too. It refuses a loopback address from --node-ip.
    '--hostname-override=127.0.0.1',
  ])
  await components.until(() => isReady(server.kubeconfig), signal)
}

const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }

async function isReady(kubeconfig: string): Promise<boolean> {
  const clock = systemClock()
  const cluster = connect(await loadKubeconfig(kubeconfig), clock)
  try {
    const kubernetes = createKubernetes({ transport: cluster.transport, clock, random: systemRandom() })
    const { items } = await kubernetes.list(nodes)
    return items.some(({ status }) =>
      listAt(status, 'conditions').some(
        (each) => textAt(each, 'type') === 'Ready' && textAt(each, 'status') === 'True',
      ),
    )
  } finally {
    await cluster.close()
  }
}
