// Runs a command beside a real Kubernetes of one node, whose kubelet runs pods: npx tsx scripts/real-node.ts npm run test:kubernetes
// Needs Linux, root, Go and, of Debian, gcc libc6-dev libseccomp-dev pkg-config busybox-static iproute2 util-linux. It lives in namespaces of its own, and nothing of it stays. The exit code is the command's.
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

/** Set inside the namespaces: where the programs stand, and the folder of this run. */
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
// In the namespaces this is their first process: what it has started ends with it.
process.exit(code)

/** Builds while there is a network, then begins the namespaces: whatever is started in them ends with them. */
async function outside(): Promise<number> {
  const busybox = await staticBusybox()
  const lacking = process.getuid?.() === 0 ? busybox.lacking : 'root'
  if (lacking !== undefined) throw new Error(`it needs ${lacking}`)
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
    // It ends with us, also when we are killed.
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
    // As low as a provider's small cluster, in proportion: the garbage collection of pods can be seen.
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
  // A dynamic program names its loader.
  const isStatic = !(await readFile(program)).includes('/ld-')
  return { program, lacking: isStatic ? undefined : `a static busybox; ${program} is not (Debian: busybox-static)` }
}
