// Everything of a demo in one process, on loopback: forge, cluster, and the production controller, which meets both over HTTP.
import { writeFileSync } from 'node:fs'
import { parseRunnerSet } from '../../config/runner-set.ts'
import { startController } from '../../controller/controller.ts'
import { createJournal, type Journal, type JournalReader } from '../../controller/journal.ts'
import { type Cluster, createCluster } from '../../embedded/cluster.ts'
import { createProcessRuntime } from '../../embedded/runtime/process/process-runtime.ts'
import { kubeconfigText } from '../../embedded/wire/kubeconfig.ts'
import type { Control } from '../../emulator/github/control.ts'
import type { AnomalyLog } from '../../forge/github/protocol-anomaly.ts'
import { createKubernetes } from '../../kubernetes/client.ts'
import { connect } from '../../kubernetes/connect.ts'
import type { Kubernetes } from '../../kubernetes/kubernetes.ts'
import type { Clock } from '../../lib/clock.ts'
import { randomName } from '../../lib/ids.ts'
import type { Random } from '../../lib/random.ts'
import { defaultLimits } from '../../model/limits.ts'
import { type DemoForge, openForge } from './forge.ts'
import type { Home } from './home.ts'
import { findLeftovers, isClean, type Leftovers } from './leftovers.ts'
import { credentialSecret, demoNamespace, demoSet, retireSets, setUp } from './set-up.ts'

export type StageOptions = {
  readonly home: Home
  readonly clock: Clock
  readonly random: Random
  /** Runners at once. */
  readonly max: number
  /** The small runner: a program of Node. */
  readonly runner: string
  /** What every step's environment begins with; at least `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly onEntry: JournalReader
}

export interface DemoStage {
  readonly control: Control
  /** The label of the demo's set: jobs with it come here. */
  readonly label: string
  readonly url: string
  /** As an administrator of the cluster. */
  readonly kubernetes: Kubernetes
  /** The controller's writes at the API server so far, all kinds, failed ones included. */
  apiWrites(): number
  leftovers(): Leftovers
  /** Deletes every set and waits until nothing is left of them, but not longer than `ms`; then tells what is. */
  retire(ms: number): Promise<Leftovers>
  /** Ends everything; runners that live are killed. */
  stop(): Promise<void>
}

const controllerUser = 'dayfly-controller'
/** The image of the default template; on this machine the small runner stands for it. */
const runnerImage = 'ghcr.io/actions/actions-runner:latest'
/** How long the controller may take to give back what it holds. */
const controllerMs = 5_000

/** Rejects with what went wrong, with nothing left open. */
export async function openStage(options: StageOptions): Promise<DemoStage> {
  const closers: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    return { ...(await open(options, closers)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(options: StageOptions, closers: (() => Promise<void>)[]): Promise<Omit<DemoStage, 'stop'>> {
  const { clock, random, home, userAgent } = options
  const journal = createJournal(clock)
  journal.subscribe(options.onEntry)
  const onOddity: AnomalyLog = ({ kind, set, sentence }) =>
    journal.write({ kind: 'protocol-anomaly', set, anomaly: kind, message: sentence })
  const forge = await openForge({ clock, random, userAgent, onOddity })
  closers.push(forge.close)
  const tokens = { admin: randomName(random, 32), controller: randomName(random, 32) }
  const cluster = createCluster({ clock, random, runtime: runtimeOf(options), users: usersOf(tokens) })
  closers.push(cluster.stop)
  const { origin, ca } = await cluster.listen()
  const as = (token: string) => {
    const kubeconfig = { server: origin, context: '', namespace: demoNamespace, tls: { ca } }
    const connection = connect({ ...kubeconfig, token: { kind: 'fixed', token } }, clock)
    closers.push(connection.close)
    return connection.transport
  }
  const kubernetes = createKubernetes({ transport: as(tokens.admin), clock, random, userAgent })
  await setUp(kubernetes, { url: forge.url, token: forge.token, max: options.max })
  const access = kubeconfigText({ server: origin, ca, user: 'admin', token: tokens.admin })
  writeFileSync(home.kubeconfig, access, { mode: 0o600 })
  const controller = controllerOf(options, journal, forge, as(tokens.controller))
  closers.push(() => withinMs(clock, controllerMs, controller.stop()))
  const leftovers = () => findLeftovers(witnessesOf(cluster, forge), home, process.pid)
  return {
    control: forge.control,
    label: demoSet,
    url: forge.url,
    kubernetes,
    apiWrites: () => cluster.requestLog.writes(controllerUser),
    leftovers,
    retire: async (ms) => {
      await retireSets(kubernetes)
      const deadline = clock.now() + ms
      while (!isClean(leftovers()) && clock.now() < deadline) await clock.sleep(20)
      return leftovers()
    },
  }
}

function runtimeOf({ home, clock, runner, environment }: StageOptions) {
  const program = [process.execPath, runner]
  const images = { [runnerImage]: { entrypoint: '/home/runner/run.sh', program } }
  return createProcessRuntime({ dataDirectory: home.cluster, clock, environment, images })
}

function usersOf(tokens: { readonly admin: string; readonly controller: string }): ReadonlyMap<string, string> {
  return new Map([
    [tokens.admin, 'admin'],
    [tokens.controller, controllerUser],
  ])
}

function controllerOf(
  { clock, random, userAgent }: StageOptions,
  journal: Journal,
  forge: DemoForge,
  transport: ReturnType<typeof connect>['transport'],
) {
  const kubernetes = createKubernetes({ transport, clock, random, userAgent })
  const lease = { namespace: demoNamespace, name: 'dayfly' }
  const identity = `demo-${randomName(random, 5)}`
  const { forgeFor } = forge
  return startController(
    {
      kubernetes,
      transport,
      forgeFor,
      parseSet: parseRunnerSet,
      clock,
      random,
      limits: defaultLimits,
      identity,
      lease,
    },
    journal,
  )
}

function witnessesOf({ registry }: Cluster, { control }: DemoForge) {
  const names = (resource: string) => registry.list(resource).map(({ metadata }) => metadata.name)
  return {
    pods: () => names('pods'),
    secrets: () => names('secrets').filter((name) => name !== credentialSecret),
    registrations: () => control.registrations().map(({ name }) => name),
  }
}

/** Waits for the work, but not longer than `ms`. */
async function withinMs(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, clock.sleep(ms, done.signal).catch(() => {})])
  done.abort()
}
