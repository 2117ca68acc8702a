// A second node that a test starts, shuts down, and then loses like a machine that is switched off.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { startLogind } from '../../../scripts/node/logind.ts'
import { secondNode } from '../../../scripts/node/settings.ts'
import { startNode } from '../../../scripts/node/start.ts'
import { imageArchives, nodeOfRun } from './images.ts'
import { processesInGroups } from './leftovers.ts'
import { processesOf } from './open-node.ts'

/** Tolerates the taint of the second node. A pod on a silent node is deleted after 40 s instead of five minutes. */
export const onSecondNode = {
  nodeSelector: { 'kubernetes.io/hostname': secondNode.name },
  tolerations: [
    { key: 'dayfly.dev/second', operator: 'Exists' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 40 },
  ],
}

/** A process may end between its listing and the signal. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Starts the node, once in a run. */
export async function openSecondNode() {
  const { run, programs, images, kubeconfig, nodeKubeconfigs } = nodeOfRun()
  const folder = path.join(run, 'second')
  await mkdir(folder)
  const options = {
    plan: secondNode,
    programs,
    folder,
    run,
    images: [...images, ...(await imageArchives())],
    kubeconfig,
    nodeKubeconfig: nodeKubeconfigs[secondNode.name] ?? '',
  }
  const { signal } = new AbortController()
  const machine = await startLogind(folder, signal)
  const node = await startNode(options, signal)
  return {
    name: secondNode.name,
    /** Ends the kubelet, the runtime and every process of the node's pods at once. */
    lose: async () => {
      await node.end()
      await machine.end()
      for (const pid of processesOf(new RegExp(path.join(folder, 'containerd.sock')))) kill(pid)
      const group = `/${path.basename(run)}/${secondNode.group}/`
      for (const { pid } of processesInGroups((name) => name.includes(group))) kill(pid)
    },
  }
}
