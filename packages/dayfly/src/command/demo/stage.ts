// Starts the demo's parts in one process: the forge, the cluster, and the production controller, which uses both over HTTP on 127.0.0.1.
import { writeFileSync } from 'node:fs'
import { type Cluster, createCluster } from '@dayfly/cluster/cluster'
import type { Home } from '@dayfly/cluster/command/home'
import { createProcessRuntime } from '@dayfly/cluster/runtime/process/process-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { version } from '@dayfly/command-line/version'
import { startController } from '@dayfly/controller/controller'
import { createJournal, type Journal, type JournalReader } from '@dayfly/controller/journal'
import { openPage, type PageSettings } from '@dayfly/controller/page/open-page'
import type { AnomalyLog } from '@dayfly/forges/github/session/protocol-anomaly'
import type { Clock } from '@dayfly/kit/clock'
import { randomName } from '@dayfly/kit/ids'
import type { Random } from '@dayfly/kit/random'
import { systemUpperStopwatch } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { runnerImagesOf } from '../known-images.ts'
import type { DemoForge, DemoForgeOptions } from './forge.ts'
import { findLeftovers, isClean, type Leftovers } from './leftovers.ts'
import { demoNamespace, retireSets, setUp } from './set-up.ts'

export type StageOptions<Opened extends DemoForge = DemoForge> = {
  readonly openForge: (options: DemoForgeOptions) => Promise<Opened>
  readonly home: Home
  readonly clock: Clock
  readonly random: Random
  /** The maximum number of runners at the same time. */
  readonly max: number
  /** The path of the small runner, a Node program. */
  readonly runner: string
  /** The environment of every step, at least `PATH`. */
  readonly environment: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly onEntry: JournalReader
}

export interface DemoStage<Opened extends DemoForge = DemoForge> {
  readonly forge: Opened
  /** The address of the page. */
  readonly page: string
  /** A client with the rights of a cluster administrator. */
  readonly kubernetes: Kubernetes
  /** Returns the number of the controller's writes to the API server so far, with failed writes. */
  apiWrites(): number
  leftovers(): Leftovers
  /** Deletes every set and waits at most `ms` until nothing is left. Resolves with the leftovers. */
  retire(ms: number): Promise<Leftovers>
  /** Stops everything and kills the remaining runners. */
  stop(): Promise<void>
}

const controllerUser = 'dayfly-controller'
/** How long the controller may take to release its lease and its session. */
const controllerMs = 5_000

/** Each process of this machine may read the page. The demo has no metrics. */
const pageSettings = {
  ...{ address: { host: '127.0.0.1', port: 0 }, access: { is: 'loopback' }, prices: null, history: undefined },
} as const satisfies PageSettings
const noFigures = { budgets: new Map<string, number>(), tickMs: undefined }

/** Starts all parts. Rejects with the cause, after it has closed everything that it opened. */
export async function openStage<Opened extends DemoForge>(options: StageOptions<Opened>): Promise<DemoStage<Opened>> {
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

async function open<Opened extends DemoForge>(
  options: StageOptions<Opened>,
  closers: (() => Promise<void>)[],
): Promise<Omit<DemoStage<Opened>, 'stop'>> {
  const { clock, random, home, userAgent } = options
  const journal = createJournal(clock)
  journal.subscribe(options.onEntry)
  const onAnomaly: AnomalyLog = ({ kind, set, sentence }) =>
    journal.write({ kind: 'protocol-anomaly', set, anomaly: kind, message: sentence })
  const forge = await options.openForge({ clock, random, userAgent, onAnomaly })
  closers.push(forge.close)
  const tokens = { admin: randomName(random, 32), controller: randomName(random, 32) }
  const cluster = createCluster({ clock, random, runtime: runtimeOf(options), users: usersOf(tokens) })
  closers.push(cluster.stop)
  const { origin, ca } = await cluster.listen()
  const as = (token: string) => {
    const kubeconfig = { server: origin, namespace: demoNamespace, tls: { ca } }
    const connection = connect({ ...kubeconfig, token: { kind: 'fixed', token } }, clock)
    closers.push(connection.close)
    return connection.transport
  }
  const kubernetes = createKubernetes({ transport: as(tokens.admin), clock, random, userAgent })
  await setUp(kubernetes, { secret: forge.secret, sets: forge.sets, max: options.max })
  const access = kubeconfigText({ server: origin, ca, user: 'admin', token: tokens.admin })
  writeFileSync(home.kubeconfig, access, { mode: 0o600 })
  const controller = controllerOf(options, journal, forge, as(tokens.controller))
  closers.push(() => withinMs(clock, controllerMs, controller.stop()))
  const page = await openPage(pageSettings, {
    ...{ clock, random, journal, kubernetes, userAgent, version, transport: as(tokens.admin) },
    ...{ limits: defaultLimits, controller: () => controller, figures: () => noFigures },
  })
  closers.push(page.close)
  const leftovers = () => findLeftovers(leftoverSources(cluster, forge), home, process.pid)
  return {
    forge,
    page: page.origin,
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
  return createProcessRuntime({ dataDirectory: home.cluster, clock, environment, images: runnerImagesOf(runner) })
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
      stopwatch: systemUpperStopwatch,
      random,
      limits: defaultLimits,
      identity,
      lease,
    },
    journal,
  )
}

function leftoverSources({ registry }: Cluster, { secret, registrations }: DemoForge) {
  const names = (resource: string) => registry.list(resource).map(({ metadata }) => metadata.name)
  return {
    pods: () => names('pods'),
    secrets: () => names('secrets').filter((name) => name !== secret.name),
    registrations,
  }
}

/** Waits for the work, at most `ms`. */
async function withinMs(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, clock.sleep(ms, done.signal).catch(() => {})])
  done.abort()
}
