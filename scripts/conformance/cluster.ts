// Starts the embedded cluster for the specs. Its containers are processes of this machine: agnhost is built, and the shell
// is bash, because Debian's sh drops variables with names such as data-1.
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createCluster } from '@dayfly/cluster/cluster'
import type { MountNamespaces } from '@dayfly/cluster/runtime/process/mounts'
import { createProcessRuntime, type ProcessRuntimeOptions } from '@dayfly/cluster/runtime/process/process-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { systemClock, systemRandom } from '@dayfly/kit/system'

/** The built program, and how this host mounts volumes. */
type Host = { readonly agnhost: string; readonly namespaces: MountNamespaces }
type SpecCluster = { readonly kubeconfig: string; close(): Promise<void> }

const registry = 'registry.k8s.io'
/** The names in test/utils/image/manifest.go of Kubernetes 1.36.3. */
const agnhostImages = ['agnhost:2.63.0', 'agnhost:2.55']
const waitingImages = ['nginx:1.15-4', 'nginx:1.27-0']
const wait = 'trap "exit 0" TERM INT\nwhile :; do sleep 3600 & wait $!; done\n'
const user = { name: 'admin', token: 'conformance' }

/** @param folder an empty folder. */
export async function openCluster({ agnhost, namespaces }: Host, folder: string): Promise<SpecCluster> {
  const bin = path.join(folder, 'bin')
  await mkdir(bin)
  await symlink('/bin/bash', path.join(bin, 'sh'))
  const script = async (name: string, text: string): Promise<readonly string[]> => {
    const file = path.join(folder, name)
    await writeFile(file, text)
    return [path.join(bin, 'sh'), file]
  }
  const waiting = await script('wait', wait)
  const suite = (name: string): string => `${registry}/e2e-test-images/${name}`
  // The image of agnhost has a default argument.
  const program = await script('agnhost', `[ $# -gt 0 ] || set -- pause\nexec -a /agnhost '${agnhost}' "$@"\n`)
  const images: ProcessRuntimeOptions['images'] = Object.fromEntries([
    ...agnhostImages.map((name) => [suite(name), { entrypoint: '/agnhost', program }]),
    ...waitingImages.map((name) => [suite(name), { entrypoint: '/start', program: waiting }]),
    [`${registry}/pause:3.10.2`, { entrypoint: '/pause', program: waiting }],
    [suite('busybox:1.37.0-1'), { entrypoint: '/bin/sh', program: [path.join(bin, 'sh')] }],
  ])
  const clock = systemClock()
  const runtime = createProcessRuntime({
    dataDirectory: path.join(folder, 'containers'),
    clock,
    environment: { PATH: `${bin}:${process.env['PATH']}` },
    images,
    namespaces,
  })
  const users = new Map([[user.token, user.name]])
  const cluster = createCluster({ clock, random: systemRandom(), runtime, users })
  const { origin, ca } = await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigText({ server: origin, ca, user: user.name, token: user.token }), {
    mode: 0o600,
  })
  return { kubeconfig, close: () => cluster.stop() }
}
