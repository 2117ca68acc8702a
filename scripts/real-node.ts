// Runs a command with a real Kubernetes node, whose kubelet runs pods. Usage: npx tsx scripts/real-node.ts npm run test:kubernetes.
// Needs Linux, root, Go and these packages of Debian: gcc libc6-dev libseccomp-dev pkg-config busybox-static iproute2 util-linux.
// The node runs in its own namespaces and is removed afterwards. The exit code is the command's.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildControlPlane } from './control-plane/build.ts'
import { type CommandLine, onInterruption, runBeside } from './control-plane/run-beside.ts'
import { startControlPlane } from './control-plane/start.ts'
import { buildNode } from './node/build.ts'
import { makeControlGroups, removeControlGroups } from './node/control-groups.ts'
import { enterNode, startNode } from './node/start.ts'

/** The paths of the programs and the folder of this run. The process outside passes them to the process inside the namespaces. */
type Place = { readonly controlPlane: string; readonly node: string; readonly busybox: string; readonly folder: string }

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
  return 1
})
// Inside the namespaces this is the first process, so all other processes end with it.
process.exit(code)

/** Builds the programs while there is a network, and then starts this script again in new namespaces. */
async function outside(): Promise<number> {
  const busybox = await staticBusybox()
  const lacking = process.getuid?.() === 0 ? busybox.lacking : 'root'
  if (lacking !== undefined) throw new Error(`this command needs ${lacking}`)
  const controlPlane = await buildControlPlane(signal)
  if (controlPlane.is === 'missing') throw new Error(controlPlane.why)
  const node = await buildNode(signal)
  if (node.is === 'missing') throw new Error(node.why)
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-node-'))
  const place: Place = { controlPlane: controlPlane.program, node: node.folder, busybox: busybox.program, folder }
  const namespaces = ['--net', '--pid', '--mount', '--ipc', '--fork', '--kill-child', '--mount-proc']
  const again = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  try {
    await makeControlGroups(path.basename(folder))
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
  await enterNode()
  const server = await startControlPlane(place.controlPlane, signal, {
    apiServer: { 'enable-admission-plugins': 'NodeRestriction', 'kubelet-preferred-address-types': 'InternalIP' },
    // Low enough that tests can observe the garbage collection of pods.
    controllers: { 'terminated-pod-gc-threshold': '20' },
  })
  const { folder, node: programs, busybox } = place
  await startNode({ programs, folder, busybox, server }, signal)
  const took = ((performance.now() - started) / 1000).toFixed(1)
  process.stderr.write(`real node: ready after ${took} s; KUBECONFIG=${server.kubeconfig}\n`)
  const environment = { KUBECONFIG: server.kubeconfig, DAYFLY_NODE: folder, DAYFLY_NODE_PLACE: undefined }
  return await runBeside(command, environment, signal)
}

async function staticBusybox(): Promise<{ readonly program: string; readonly lacking: string | undefined }> {
  const program = (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => path.join(folder, 'busybox'))
    .find(existsSync)
  if (program === undefined) return { program: '', lacking: 'busybox (Debian: busybox-static)' }
  // A dynamically linked program contains the path of its loader.
  const isStatic = !(await readFile(program)).includes('/ld-')
  return {
    program,
    lacking: isStatic ? undefined : `a static busybox, but ${program} is dynamically linked (Debian: busybox-static)`,
  }
}
