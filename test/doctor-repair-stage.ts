// Where a whole repair is watched: an embedded cluster behind a recording proxy, a folder with its kubeconfig, and the built program in it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createCluster } from '../src/embedded/cluster.ts'
import { createScriptedRuntime } from '../src/embedded/runtime/scripted/scripted-runtime.ts'
import { kubeconfigText } from '../src/embedded/wire/kubeconfig.ts'
import type { Clock } from '../src/lib/clock.ts'
import { seededRandom } from '../src/lib/random.ts'
import { systemClock } from '../src/lib/system.ts'
import { type Cli, runCli, startCli, type Told } from './cli.ts'
import { createPod, ended, running } from './doctor-cluster.ts'
import { type RecordingProxy, recordingProxy } from './recording-proxy.ts'

export type RepairStage = Awaited<ReturnType<typeof openRepairStage>>

/** Whom the roles of a test are bound to; everybody else is a master. */
export const account = { name: 'doctor', namespace: 'default' } as const

export async function openRepairStage() {
  const folder = mkdtempSync(path.join(tmpdir(), 'doctor-repair-'))
  const clock = lateClock()
  const runtime = createScriptedRuntime({ clock, script: () => ({}) })
  const users = new Map([
    ['secret', 'admin'],
    ['mounted', `system:serviceaccount:${account.namespace}:${account.name}`],
  ])
  const cluster = createCluster({ clock, random: seededRandom(1), runtime, users })
  const proxies: RecordingProxy[] = []
  /** A new address of the same cluster, which the kubeconfig names from then on. */
  const serve = async (token: 'secret' | 'mounted' = 'secret') => {
    const proxy = await recordingProxy(cluster.handler)
    proxies.push(proxy)
    const { origin: server, ca } = proxy.endpoint
    const text = kubeconfigText({ server, ca, user: 'someone', token })
    writeFileSync(path.join(folder, 'kubeconfig'), text, { mode: 0o600 })
    return proxy
  }
  const command = (args: readonly string[]) => ['doctor', '--live', '--kubeconfig', 'kubeconfig', ...args]
  const doctor = (...args: readonly string[]): Promise<Told> =>
    runCli([...command(args), '--format', 'json'], { cwd: folder })
  const digest = async (...args: readonly string[]) => {
    const { stderr } = await doctor('--fix', ...args)
    const found = /with --confirm ([0-9a-f]{16})$/m.exec(stderr)?.[1]
    if (found === undefined) throw new Error(`no plan to confirm:\n${stderr}`)
    return found
  }
  /** Begins the repair that is planned now. */
  const begin = async (...args: readonly string[]): Promise<Cli> =>
    startCli(command(['--fix', ...args, '--confirm', await digest(...args), '--format', 'json']), { cwd: folder })
  /** What the doctor left where it was started. */
  const files = () => readdirSync(folder).filter((name) => name !== 'kubeconfig')
  const end = async () => {
    await Promise.all(proxies.map(({ endpoint }) => endpoint.close()))
    await cluster.stop()
    rmSync(folder, { recursive: true })
  }
  cluster.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'runners' } })
  cluster.registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  return { cluster, clock, folder, serve, doctor, digest, begin, files, end }
}

/** Twenty minutes late: what ends in its cluster has long ended for the doctor. */
function lateClock(): Clock {
  const present = systemClock()
  return { ...present, now: () => present.now() - 20 * 60_000 }
}

/** Runners that have ended, with Docker beside them, on a node that nobody keeps: deleted, they stay terminating. */
export function makeZombies({ cluster, clock }: RepairStage, ...names: readonly string[]): void {
  for (const name of names) {
    const states = { runner: ended(clock), docker: running(clock) }
    createPod(cluster.registry, { name }, { phase: 'Running', ...states })
  }
}

/** The runners' pods that are being deleted. */
export function doomed({ cluster }: RepairStage): readonly string[] {
  const pods = cluster.registry.list('pods', 'runners')
  return pods.flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : metadata.name)).sort()
}

/** The lines of the log, or of the before-images, of all repairs so far. */
export function linesOf({ folder }: RepairStage, what: 'log' | 'images'): readonly Line[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(`.${what}.jsonl`))
  const lines = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'))
  return lines.map((line) => JSON.parse(line) as Line)
}

type Line = { readonly step?: number; readonly outcome?: string; readonly [field: string]: unknown }
