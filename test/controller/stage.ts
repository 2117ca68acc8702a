// Runs whole lives in one process on a virtual clock: production controller and clients, the embedded API server, GitHub's emulator.
// The test plays the kubelet, so that each case can say what the pod does.
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime, type ScriptedRuntimeOptions } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { StoredObject } from '@dayfly/cluster/store/object'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { knownIdentity } from '@dayfly/cluster/wire/authentication'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import { type Controller, startController } from '@dayfly/controller/controller'
import { createJournal } from '@dayfly/controller/journal'
import type { ControllerOptions } from '@dayfly/controller/options'
import type { TestApp } from '@dayfly/forge-emulators/github/emulated-apps.fixture'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import type { JobReport } from '@dayfly/forge-emulators/job'
import { readCredential } from '@dayfly/forges/github/credentials/credential'
import { createGitHubForge } from '@dayfly/forges/github/github'
import { type Answer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import { type Random, seededRandom } from '@dayfly/kit/random'
import { timestamp } from '@dayfly/kit/timestamp'
import { stopwatchOf, type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { onTestFinished } from 'vitest'

export const namespace = 'ci'
/** The address of the emulated forge. */
export const origin = 'http://127.0.0.1:9'

export type Stage = Awaited<ReturnType<typeof openStage>>
/** The parts of a stage that do not depend on its forge. */
type World = Pick<Stage, 'registry' | 'clock' | 'entries'>

export type StageOptions = {
  readonly seed?: number
  /** When the test begins. */
  readonly at?: number
  readonly spec?: object
  /** If given, a scheduler and a kubelet run, and containers behave as it says. */
  readonly runtime?: Omit<ScriptedRuntimeOptions, 'clock'>
  /** Latency of each call to the forge and to the API server, in milliseconds. */
  readonly forgeMs?: number
  readonly apiMs?: number
  /** Answers a request of the API server instead of the API server; undefined lets it through. */
  readonly apiFault?: (request: Request) => Answer | undefined
  /** Another cluster, whose clock and forge this one shares. */
  readonly beside?: { readonly clock: VirtualClock; readonly emulator: ReturnType<typeof createGitHubEmulator> }
  /** The name of the set; `linux` by default. */
  readonly set?: string
  /** The controllers that are killed, by identity: nothing that they send arrives any more. */
  readonly killed?: ReadonlySet<string>
  /** The hard limits of a ResourceQuota that exists before the controller starts. */
  readonly quota?: Readonly<Record<string, string>>
  /** The status of the set that an earlier controller wrote. */
  readonly status?: object
  /** Whether pods get the labels of costs. */
  readonly isLabelled?: boolean
  /** The App whose credential the set has; a token without one. */
  readonly app?: TestApp
}

/** Opens a stage for the test that runs. It is closed after the test. */
export async function openStage(options: StageOptions = {}) {
  const { beside, quota } = options
  const clock = beside?.clock ?? virtualClock(options.at)
  const random = seededRandom(options.seed ?? 1)
  const { registry, requestLog, transport: direct, close } = openApi(clock, random, options)
  const transport = slowed(direct, clock, options)
  const knobs = { longPollMs: 50_000, latencyMs: options.forgeMs ?? 0 }
  const apps = options.app ? [options.app.app] : []
  const emulator = beside?.emulator ?? createGitHubEmulator({ clock, random, knobs, apps })
  registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  registry.create('secrets', secret('github', options.app?.entries() ?? { github_token: 'token' }))
  if (quota) registry.create('resourcequotas', { metadata: { name: 'few', namespace }, spec: { hard: quota } })
  const object = registry.create('runnersets.dayfly.dev', runnerSetObject(options.set ?? 'linux', options.spec))
  if (options.status) {
    registry.update('runnersets.dayfly.dev', { ...object, status: options.status }, { subresource: 'status' })
  }
  const entries: Entry[] = []
  const journal = createJournal(clock)
  journal.subscribe((entry) => entries.push(entry))
  const living =
    (identity: string, by: Transport): Transport =>
    async (request) => {
      if (options.killed?.has(identity)) throw new TransportError('connect', 'the process is killed')
      return by(request)
    }
  const controllerOptions = (identity: string): ControllerOptions => ({
    kubernetes: createKubernetes({ transport: living(identity, transport), clock, random }),
    transport: living(identity, transport),
    forgeFor: (source, { credential }) =>
      createGitHubForge({
        url: source.url,
        credential: readCredential(credential, 'github'),
        transport: living(identity, emulator.transport),
        clock,
        random,
        userAgent: 'dayfly/test',
      }),
    parseSet: parseRunnerSet,
    clock,
    stopwatch: stopwatchOf(clock),
    random,
    limits: defaultLimits,
    identity,
    lease: { namespace, name: 'dayfly' },
    costLabels: options.isLabelled,
  })
  const start = (identity = 'controller-1', other: Partial<ControllerOptions> = {}): Controller =>
    startController({ ...controllerOptions(identity), ...other }, journal)
  const url = `${origin}/acme`
  const stage = { clock, registry, emulator, requestLog, entries, transport, url, start, controller: start(), close }
  onTestFinished(() => closeStage(stage))
  await clock.advance(1_000)
  return stage
}

/** Starts the whole embedded cluster, or its API server alone. */
function openApi(clock: VirtualClock, random: Random, { runtime }: StageOptions) {
  if (runtime) {
    const cluster = createCluster({ clock, random, runtime: createScriptedRuntime({ ...runtime, clock }) })
    const { registry, requestLog } = cluster
    return { registry, requestLog, transport: cluster.transport('dayfly'), close: () => cluster.stop() }
  }
  const registry = createRegistry({ store: createStore(), clock, random })
  const requestLog = createRequestLog()
  const node = silentNode
  const authenticate = knownIdentity('dayfly')
  const transport = createApiHandler({ registry, node, clock, random, profile: '1.36', requestLog, authenticate })
  return { registry, requestLog, transport, close: async () => {} }
}

/** The API server behind a network: each request and its answer take half of the latency. */
function slowed(transport: Transport, clock: VirtualClock, { apiMs = 0, apiFault }: StageOptions): Transport {
  return async (request) => {
    if (apiMs > 0) await clock.sleep(apiMs / 2, request.signal)
    const answer = apiFault?.(request) ?? (await transport(request))
    if (apiMs > 0) await clock.sleep(apiMs / 2, request.signal)
    return answer
  }
}

/** Stops the controller, then the cluster and the emulator of a stage, in virtual time. */
async function closeStage(stage: Stage): Promise<void> {
  for (const stop of [stage.controller.stop, stage.close]) {
    const stopping = stop()
    await stage.clock.advance(60_000)
    await stopping
  }
  stage.emulator.close()
}

export function runnerSetObject(name: string, spec: object = {}) {
  return {
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { name, namespace },
    spec: { github: { url: `${origin}/acme`, credentials: { secret: 'github' } }, scale: { max: 10 }, ...spec },
  }
}

function secret(name: string, entries: Readonly<Record<string, string>>) {
  const data = Object.fromEntries(
    Object.entries(entries).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  )
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', data }
}

export function queue(stage: Stage, count: number, label = 'linux') {
  const message = scriptJob('test', [])
  return stage.emulator.control.queueJobs(
    Array.from({ length: count }, () => ({ labels: [label], name: 'test', message })),
  )
}

export function pods(stage: World): readonly StoredObject[] {
  return stage.registry.list('pods', namespace)
}

export function podNames(stage: World): readonly string[] {
  return pods(stage).map(({ metadata }) => metadata.name)
}

export function secrets(stage: Stage): readonly string[] {
  return stage.registry
    .list('secrets', namespace)
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'github')
}

export function status(stage: World, set = 'linux') {
  const object = stage.registry.get('runnersets.dayfly.dev', namespace, set)
  return (object?.['status'] ?? {}) as {
    readonly [field: string]: unknown
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
      readonly message: string
    }[]
  }
}

export function events<Kind extends JournalEvent['kind']>(stage: World, kind: Kind) {
  return stage.entries.flatMap(({ event }) =>
    event.kind === kind ? [event as Extract<JournalEvent, { kind: Kind }>] : [],
  )
}

/** Writes what the kubelet writes when the container runs. */
export function run(stage: World, name: string): void {
  const at = stamp(stage)
  setStatus(stage, name, { phase: 'Running', containerStatuses: [containerStatus({ running: { startedAt: at } })] })
}

/** Writes what the kubelet writes when the container has ended. */
export function end(stage: World, name: string, exitCode = 0, reason = exitCode === 0 ? 'Completed' : 'Error'): void {
  const at = stamp(stage)
  const terminated = { exitCode, reason, startedAt: at, finishedAt: at }
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed'
  setStatus(stage, name, { phase, containerStatuses: [containerStatus({ terminated })] })
}

export function setStatus(stage: World, name: string, podStatus: object): void {
  const pod = stage.registry.get('pods', namespace, name)
  stage.registry.update('pods', { ...pod, status: podStatus }, { subresource: 'status' })
}

export function schedule(stage: World, name: string): void {
  stage.registry.bind(namespace, name, 'node-1')
}

/** Confirms the end of every pod that is being deleted, as a kubelet does. */
export function confirmDeletions(stage: World): void {
  for (const { metadata } of pods(stage)) {
    if (metadata.deletionTimestamp === undefined) continue
    stage.registry.delete('pods', namespace, metadata.name, { gracePeriodSeconds: 0 })
  }
}

export const succeeded: JobReport = { conclusion: 'success', outputs: {}, steps: [], note: undefined }

/** Lets a runner take its job and run it. */
export async function takeJob(stage: Stage, name: string): Promise<void> {
  const { stub } = stage.emulator.control
  schedule(stage, name)
  run(stage, name)
  stub.online(name)
  await stage.clock.advance(100)
  stub.start(name)
  await stage.clock.advance(100)
}

function containerStatus(state: object) {
  return { name: 'runner', image: 'x', imageID: '', ready: 'running' in state, restartCount: 0, state }
}

function stamp(stage: World): string {
  return timestamp(stage.clock.now())
}
