// A stage for complete repairs: an embedded API server behind a recording proxy, a folder with its kubeconfig, and the built program in it.
// Only the owners' collector runs, and the clock is fixed: nothing changes that a test did not request.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import type { Registry } from '@dayfly/cluster/api/registry'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { startOwnerCollector } from '@dayfly/cluster/controllers/owner-collector'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { bearerAuthentication, knownIdentity } from '@dayfly/cluster/wire/authentication'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import { createPod, endDeletedPods, ended, running } from '@dayfly/doctor/live/doctor-cluster.fixture'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { vi } from 'vitest'
import { type Cli, runCli, startCli } from '../cli.ts'
import { type Run, runHere } from '../program-here.ts'
import { type RecordingProxy, recordingProxy } from './recording-proxy.ts'

// A test starts the program several times, and some wait until it gives up.
vi.setConfig({ testTimeout: 60_000 })

/** The subject of the roles in a test. Every other user is an administrator. */
export const account = { name: 'doctor', namespace: 'default' } as const

const users = new Map([
  ['secret', 'admin'],
  ['mounted', `system:serviceaccount:${account.namespace}:${account.name}`],
])

export type RepairStageOptions = {
  /** Whether objects without their owner are removed. */
  readonly collects?: boolean
  /** The token of the administrator, or of `account`. */
  readonly token?: 'secret' | 'mounted'
}

export interface RepairStage extends ApiServer {
  /** The proxy that the kubeconfig points to. */
  readonly proxy: RecordingProxy
  readonly folder: string
  /** From now on, a deleted pod is gone at once. Without it, a deleted pod stays terminating, as on a lost node. */
  endPods(): void
  /** The names that `makeZombies` created. */
  readonly zombies: Set<string>
  /** Gives the same cluster a new address. */
  serve(): Promise<void>
  doctor(...args: readonly string[]): Promise<Run>
  /** The same in a process of its own, for a case that could keep a process alive. */
  doctorProcess(...args: readonly string[]): Promise<Run>
  /** Returns the digest of the current plan. */
  digest(...args: readonly string[]): Promise<string>
  /** Starts the repair of the current plan. */
  begin(...args: readonly string[]): Promise<Cli>
  /** The files that the doctor left in its working folder. */
  files(): readonly string[]
  end(): Promise<void>
}

export async function openRepairStage({
  collects = true,
  token = 'secret',
}: RepairStageOptions = {}): Promise<RepairStage> {
  const folder = mkdtempSync(path.join(tmpdir(), 'doctor-repair-'))
  const server = openApiServer()
  const stopCollector = collects ? startOwnerCollector(server) : () => {}
  const stops: (() => void)[] = []
  const proxies: RecordingProxy[] = []
  const open = async () => {
    const proxy = await recordingProxy(server.handler)
    proxies.push(proxy)
    const { origin, ca } = proxy.endpoint
    const text = kubeconfigText({ server: origin, ca, user: 'someone', token })
    writeFileSync(path.join(folder, 'kubeconfig'), text, { mode: 0o600 })
    return proxy
  }
  const command = (args: readonly string[]) => {
    return ['doctor', '--live', '--kubeconfig', 'kubeconfig', '--format', 'json', ...args]
  }
  const doctor = (...args: readonly string[]) => runHere(command(args), { cwd: folder })
  const digest = async (...args: readonly string[]) => {
    const { stderr } = await doctor('--fix', ...args)
    const found = /with --confirm ([0-9a-f]{16})$/m.exec(stderr)?.[1]
    if (found === undefined) throw new Error(`no plan to confirm:\n${stderr}`)
    return found
  }
  const stage = {
    ...server,
    folder,
    zombies: new Set<string>(),
    endPods: () => {
      if (stops.length === 0) stops.push(endDeletedPods(server.registry))
    },
    proxy: await open(),
    serve: async () => {
      stage.proxy = await open()
    },
    doctor,
    doctorProcess: (...args: readonly string[]) => runCli(command(args), { cwd: folder }),
    digest,
    begin: async (...args: readonly string[]) =>
      startCli(command(['--fix', ...args, '--confirm', await digest(...args)]), { cwd: folder }),
    files: () => readdirSync(folder).filter((name) => name !== 'kubeconfig'),
    end: async () => {
      await Promise.all(proxies.map(({ endpoint }) => endpoint.close()))
      stopCollector()
      for (const stop of stops) stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return stage
}

type ApiServer = {
  readonly registry: Registry
  readonly clock: Clock
  /** A client with the administrator's rights. */
  readonly kubernetes: Kubernetes
  /** Authenticates by bearer token. */
  readonly handler: Transport
}

function openApiServer(): ApiServer {
  const clock = lateClock()
  const random = seededRandom(1)
  const registry = createRegistry({ store: createStore(), clock, random })
  const node = silentNode
  const backend = { registry, clock, random, node, profile: '1.36', requestLog: createRequestLog() } as const
  const handler = createApiHandler({ ...backend, authenticate: bearerAuthentication(users) })
  const transport = createApiHandler({ ...backend, authenticate: knownIdentity('admin') })
  for (const name of ['default', 'runners', 'arc-system']) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  registry.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } })
  return { registry, clock, kubernetes: createKubernetes({ transport, clock, random }), handler }
}

/** A fixed clock, three hours ago: its ended containers ended long ago for the doctor. Waiting still takes time. */
function lateClock(): Clock {
  const present = systemClock()
  const start = present.now() - 3 * 3_600_000
  return { ...present, now: () => start }
}

/** Creates runners that have ended, with Docker beside them. A deleted one is gone at once. */
export function makeZombies(stage: RepairStage, ...names: readonly string[]): void {
  const { registry, clock, zombies } = stage
  stage.endPods()
  for (const name of names) {
    zombies.add(name)
    const states = { runner: ended(clock), docker: running(clock) }
    createPod(registry, { name }, { phase: 'Running', ...states })
  }
}

/** The zombies that are deleted. */
export function doomed({ registry, zombies }: RepairStage): readonly string[] {
  return [...zombies].filter((name) => registry.get('pods', 'runners', name) === undefined).sort()
}

/** The lines of the logs, or of the previous states, of all repairs so far. */
export function linesOf({ folder }: RepairStage, what: 'log' | 'images'): readonly Line[] {
  const state = path.join(folder, 'state/dayfly')
  const names = existsSync(state) ? readdirSync(state) : []
  const files = names.filter((name) => name.endsWith(`.${what}.jsonl`))
  const lines = files.flatMap((name) => readFileSync(path.join(state, name), 'utf8').trimEnd().split('\n'))
  return lines.map((line) => JSON.parse(line) as Line)
}

type Line = { readonly step?: number; readonly outcome?: string; readonly [field: string]: unknown }
