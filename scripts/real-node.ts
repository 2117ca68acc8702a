// Runs a command with a real Kubernetes node, whose kubelet runs pods. Usage: npx tsx scripts/real-node.ts npm run test:kubernetes.
// Needs Linux, root, Go and these packages of Debian: gcc libc6-dev libseccomp-dev pkg-config busybox-static dbus iproute2 systemd util-linux.
// The node runs in its own namespaces and is removed afterwards. The exit code is the command's, or 3 if this machine cannot run a node.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasKubectl } from '../test/kubernetes/kubectl.ts'
import { buildPrograms, compileClient, nodePrograms } from './control-plane/build.ts'
import { type CommandLine, onInterruption, runBeside } from './control-plane/run-beside.ts'
import { nodeNames, startControlPlane } from './control-plane/start.ts'
import { apiServerPort } from './node/addresses.ts'
import { auditFlags } from './node/audit.ts'
import { makeControlGroups, removeControlGroups } from './node/control-groups.ts'
import { buildEngine, type DockerEngine } from './node/engine.ts'
import { writeImages } from './node/images.ts'
import { checkKernel, checkLogind, findBusybox, namespaces, Obstacle } from './node/machine.ts'
import { type NodePlace, placeFile } from './node/place.ts'
import { firstNode, secondNode } from './node/settings.ts'
import { enterNode, startNode } from './node/start.ts'

/** The folders of the programs and of this run. The process outside passes them to the process inside the namespaces. */
type Place = {
  readonly programs: string
  readonly engine: DockerEngine
  readonly busybox: string
  readonly folder: string
}

const [program, ...args] = process.argv.slice(2)
if (program === undefined) {
  process.stderr.write('usage: npx tsx scripts/real-node.ts COMMAND [ARGUMENT…]\n')
  process.exit(2)
}
const signal = onInterruption()
const inside = process.env['DAYFLY_NODE_PLACE']
const run = inside === undefined ? outside : () => within(JSON.parse(inside) as Place, [program, ...args])
const code = await run().catch((error: unknown) => {
  if (signal.aborted) return 130
  process.stderr.write(`real node: ${error instanceof Error ? error.message : String(error)}\n`)
  return error instanceof Obstacle ? 3 : 1
})
// Inside the namespaces this is the first process, so all other processes end with it.
process.exit(code)

/** Builds the programs while there is a network, and then starts this script again in new namespaces. */
async function outside(): Promise<number> {
  const busybox = await findBusybox()
  checkLogind()
  await checkKernel(signal)
  const built = await buildPrograms([...nodePrograms, ...((await hasKubectl()) ? [] : (['kubectl'] as const))], signal)
  if (built.is === 'missing') throw new Obstacle(built.why)
  const lacking = await compileClient(signal)
  if (lacking) throw new Obstacle(lacking.why)
  const engine = await buildEngine(busybox, signal)
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-node-'))
  // The root of a pod with a user namespace is an ordinary user, and its file system is below this folder.
  await chmod(folder, 0o711)
  const place: Place = { programs: built.folder, engine, busybox, folder }
  const again = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  try {
    await makeControlGroups(path.basename(folder), [firstNode.group, secondNode.group])
    const environment = { DAYFLY_NODE_PLACE: JSON.stringify(place), TMPDIR: folder }
    // The inner process ends with this process, even if this process is killed.
    const bound: CommandLine = ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...namespaces, ...again]
    return await runBeside(bound, environment, signal, 'SIGKILL')
  } finally {
    await removeControlGroups(path.basename(folder))
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

async function within(place: Place, command: CommandLine): Promise<number> {
  const started = performance.now()
  const { folder, programs, engine } = place
  await enterNode()
  const server = await startControlPlane(path.join(programs, 'controlplane'), signal, {
    port: apiServerPort,
    apiServer: {
      // The namespace is private: only this node and its pods reach these addresses.
      'bind-address': '0.0.0.0',
      'enable-admission-plugins': 'NodeRestriction',
      'kubelet-preferred-address-types': 'InternalIP',
      ...(await auditFlags(folder)),
    },
    controllers: {
      // Low enough that tests can observe the garbage collection of pods and the loss of a node.
      'terminated-pod-gc-threshold': '20',
      'node-monitor-period': '1s',
      'node-monitor-grace-period': '25s',
    },
  })
  // The tests find the programs there, and containerd its shim.
  process.env['PATH'] = [programs, process.env['PATH']].join(':')
  await mkdir(path.join(folder, 'images'))
  const images = [await writeImages(path.join(folder, 'images'), place.busybox)]
  const { kubeconfig } = server
  const nodeKubeconfigs = Object.fromEntries(nodeNames.map((name) => [name, server.nodeKubeconfig(name)]))
  const shared: NodePlace = { programs, run: folder, images, engine, kubeconfig, nodeKubeconfigs }
  await writeFile(placeFile(folder), JSON.stringify(shared))
  const nodeKubeconfig = server.nodeKubeconfig(firstNode.name)
  await startNode({ ...shared, plan: firstNode, folder, nodeKubeconfig }, signal)
  const took = ((performance.now() - started) / 1000).toFixed(1)
  process.stderr.write(`real node: ready after ${took} s; KUBECONFIG=${kubeconfig}\n`)
  const environment = { KUBECONFIG: kubeconfig, DAYFLY_NODE: folder, DAYFLY_NODE_PLACE: undefined }
  return await runBeside(command, environment, signal)
}
