// A world: an embedded cluster, the emulated forges, and processes of the controller, all on virtual time. A plan says which.
import { createTokens } from '@dayfly/cluster/api/tokens'
import { type ClusterOptions, createCluster } from '@dayfly/cluster/cluster'
import { createKubeletSwitch, type KubeletSwitch } from '@dayfly/cluster/kubelet/kubelet-switch'
import {
  createScriptedRuntime,
  type PlayedContainer,
  type ScriptedRuntimeOptions,
} from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { EmulatedCredential } from '@dayfly/forge-emulators/bitbucket/credentials'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import type { EmulatedCredential as GiteaCredential } from '@dayfly/forge-emulators/gitea/credentials'
import { createGiteaEmulator } from '@dayfly/forge-emulators/gitea/emulator'
import type { KnobChange, Outage } from '@dayfly/forge-emulators/github/config'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { withoutLogs } from '../test/controller/bitbucket/network.ts'
import { createPrints } from './checkers/prints.ts'
import type { GiteaPlan } from './gitea/plan.ts'
import { jobPodsAccount } from './job-pods.ts'
import { createObservers, reportTo } from './observers.ts'
import { type SimulatedProcess, startProcess } from './process.ts'
import { createRepairs } from './repairs.ts'
import { runnerScript } from './runners.ts'
import type { SavedWorld } from './saved-world.ts'
import { worldStart } from './schedules.ts'
import { credentialObject, earlierStatus, forgeAt, type SetSpec } from './sets.ts'
import { objectsOf } from './sizes.ts'
import type { Weather } from './weather.ts'

/** The differences between the world of a seed and that of a long run. */
export type WorldPlan = {
  readonly seed: number
  readonly sets: readonly SetSpec[]
  /** The namespaces of the sets and of the controller. Each has the credential of the forges. */
  readonly namespaces: readonly string[]
  /** The weather with faults of each server, and the one without. */
  readonly weather: { readonly fair: Weather; readonly api: Weather; readonly forge: Weather }
  /** The chance that a container never connects, and that it ignores SIGTERM, while there are faults. */
  readonly weak: { readonly neverOnline: number; readonly ignoresTerm: number }
  readonly nodes: readonly [NonNullable<ClusterOptions['node']>, ...Parameters<typeof createKubeletSwitch>[0]['node'][]]
  readonly cluster: Pick<ClusterOptions, 'terminatedPodGcThreshold' | 'eventTtlMs'>
  readonly github: KnobChange
  readonly gitea: GiteaPlan
  /** Returns the random numbers of a part: `cluster`, `github`, `controller-1`. */
  readonly streamOf: (part: string) => Random
  /** Returns by how many milliseconds the clock of a process is wrong. */
  readonly offsetOf: (process: string) => number
}

/** The faults of now. */
type Climate = WorldPlan['weather'] & {
  isFair: boolean
  /** The outage of GitHub now. */
  outage: Outage
}

export type World = ReturnType<typeof openWorld>

const sets = 'runnersets.dayfly.dev'
/** It takes milliseconds to make, and every world has the same one. */
const definition = runnerSetCrd()

/** @param saved the state that an earlier world has left; the default is a new world */
export function openWorld(plan: WorldPlan, saved?: SavedWorld) {
  const { seed, weather } = plan
  const clock = virtualClock(saved?.at ?? worldStart)
  const observers = createObservers()
  const alive = new Map<string, PlayedContainer>()
  /** The UIDs of pods that another client created, and the names of runners that something outside Dayfly ended. */
  const [strangers, harmed] = [new Set<string>(), new Set<string>()]
  const tokens: string[] = ['token-1']
  const forges = openForges(plan, clock, tokens, saved)
  const climate: Climate = { isFair: false, outage: 'none', ...weather }
  const runners = {
    ...{ clock, random: plan.streamOf('runners'), ...forges, alive, harmed },
    registry: () => registry,
    exitCodeOfUnregistered: () => (climate.outage === 'removes-idle' ? 0 : 1),
    neverOnline: () => (climate.isFair ? 0 : plan.weak.neverOnline),
    ignoresTerm: () => (climate.isFair ? 0 : plan.weak.ignoresTerm),
    lostTask: () => (climate.isFair ? 0 : plan.gitea.lostTask),
    onCredential: (container: PlayedContainer, credential: string) => {
      for (const listener of observers.credentials) listener(container, credential)
    },
  }
  const { cluster, nodes } = openCluster(plan, clock, ({ image }) => runnerScript(runners, image), saved)
  const { registry } = cluster
  const uids = new Map(saved ? registry.list(sets).map(({ metadata }) => [metadata.name, metadata.uid]) : [])
  registry.subscribe(sets, ({ object: { metadata } }) => uids.set(metadata.name, metadata.uid))
  if (!saved) {
    for (const object of objectsOf(plan.sets)) registry.create(sets, object)
    for (const set of plan.sets.filter(({ usual }) => usual)) {
      const object = { ...registry.get(sets, set.namespace, set.name), status: earlierStatus(set) }
      registry.update(sets, object, { subresource: 'status' })
    }
  }
  const processes: SimulatedProcess[] = []
  const forge: Transport = (request) => forges[forgeAt(request.origin) ?? 'github'].transport(request)
  const current = (server: 'api' | 'forge') => () => (climate.isFair ? climate.fair : climate[server])
  let started = saved?.started ?? 0
  const start = (): SimulatedProcess => {
    const identity = `controller-${++started}`
    const process = startProcess({
      ...{ identity, clock, offsetMs: plan.offsetOf(identity), random: plan.streamOf(identity) },
      servers: { api: withoutLogs(cluster.transport(identity)), forge },
      weather: { api: current('api'), forge: current('forge') },
      ...reportTo(observers),
    })
    processes.push(process)
    return process
  }
  /** The ids of the jobs and steps that have not ended. */
  const openJobs = new Set<string>()
  return {
    ...{ seed, clock, sets: plan.sets, cluster, registry, nodes, ...forges, tokens, processes, climate, observers },
    ...{ uids, strangers, harmed, openJobs, alive, prints: createPrints(saved?.prints), start },
    started: () => started,
    repairs: createRepairs(clock),
  }
}

function openForges(plan: WorldPlan, clock: VirtualClock, tokens: string[], saved?: SavedWorld) {
  const { streamOf } = plan
  const kept = saved?.github
  const github = createGitHubEmulator({ clock, random: streamOf('github'), tokens, knobs: plan.github, kept })
  const credentials: EmulatedCredential[] = [{ kind: 'access-token', token: 'token-1', user: 'joe' }]
  const bitbucket = createBitbucketEmulator({
    clock,
    random: streamOf('bitbucket'),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials,
    knobs: { noRunner: 'queue', stepLostS: 90, silentS: 60 },
  })
  const giteaCredentials = [giteaCredential('token-1')]
  const gitea = createGiteaEmulator({
    clock,
    random: streamOf("Gitea's server"),
    owners: [{ name: 'acme', kind: 'organization', repositories: ['app'] }],
    credentials: giteaCredentials,
    knobs: plan.gitea.knobs,
  })
  return { github, bitbucket, gitea, credentials, giteaCredentials }
}

export function giteaCredential(token: string): GiteaCredential {
  return { token, user: 'joe', scopes: ['all'], isSiteAdmin: true }
}

/** One machine of the cluster, which can be lost. */
type Machine = { readonly name: string; readonly kubelet: Pick<KubeletSwitch, 'stop' | 'start'> }

/** Opens a cluster with the kind of the sets, their namespaces and credentials, and the nodes of the plan. */
function openCluster(
  plan: WorldPlan,
  clock: VirtualClock,
  script: ScriptedRuntimeOptions['script'],
  saved?: SavedWorld,
) {
  const [first, ...further] = plan.nodes
  const runtimeOf = () => createScriptedRuntime({ clock, script })
  const cluster = createCluster({
    ...{ clock, random: plan.streamOf('cluster'), runtime: runtimeOf(), node: first, ...plan.cluster },
    data: saved && { restored: saved.cluster, append: () => {}, compact: () => {}, close: () => Promise.resolve() },
  })
  const { registry } = cluster
  if (!saved) {
    registry.create('customresourcedefinitions.apiextensions.k8s.io', definition)
    for (const name of plan.namespaces) {
      registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
      registry.create('secrets', credentialObject(name, 'token-1'))
      if (plan.sets.some(({ jobsInPods }) => jobsInPods)) registry.create('serviceaccounts', jobPodsAccount(name))
    }
  }
  const access = { tokens: createTokens(registry, clock, undefined), address: () => undefined }
  const others = further.map((node) => {
    const kubelet = createKubeletSwitch({ registry, runtime: runtimeOf(), clock, node, access, version: 'v1.36.0' })
    return { name: node.name, kubelet }
  })
  const nodes: readonly Machine[] = [{ name: first.name ?? '', kubelet: cluster.kubelet }, ...others]
  return { cluster, nodes }
}
