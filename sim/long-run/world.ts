// The world of a long run: one cluster of several nodes, GitHub, and one process of the controller at a time, on virtual time.
import { createTokens } from '@dayfly/cluster/api/tokens'
import { createCluster } from '@dayfly/cluster/cluster'
import { createKubeletSwitch, type KubeletSwitch } from '@dayfly/cluster/kubelet/kubelet-switch'
import { createScriptedRuntime, type PlayedContainer } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { withoutLogs } from '../../test/controller/bitbucket/network.ts'
import { createObservers, reportTo } from '../observers.ts'
import { type SimulatedProcess, startProcess } from '../process.ts'
import { createRepairs } from '../repairs.ts'
import { runnerScript } from '../runners.ts'
import { credentialObject, setObject } from '../sets.ts'
import { longStreamOf, streamOf } from '../streams.ts'
import { fairWeather, type Weather } from '../weather.ts'
import type { World } from '../world.ts'
import type { OrganizationSet, Plan } from './plan.ts'

export type LongWorld = World & {
  /** The machines of the cluster. Each of them can be lost. */
  readonly nodes: readonly { readonly name: string; readonly kubelet: Pick<KubeletSwitch, 'stop' | 'start'> }[]
}

/** Four nodes are full of runners, and the fifth has room for those of a lost one. */
const nodeCount = 5
/** A cluster with many short pods keeps its Events for less than an hour, which is the default of kube-apiserver. */
const eventTtlMs = 5 * 60_000
/** The namespace of the controller's Lease. */
const ownNamespace = 'a'
const sets = 'runnersets.dayfly.dev'

/** Every fault is on, and rare: most runners of a long run must live their lives. */
const weather: Weather = {
  latencyMs: [4, 60],
  refusedConnection: 0.000_2,
  lostAnswer: 0.000_2,
  overload: 0.000_5,
  refusal: 0.000_2,
  slow: 0.000_2,
  silence: 0.000_05,
  duplicate: 0.000_2,
  brokenStream: 0.01,
  expiredWatch: 0.01,
  falseList: 0.001,
}

export function openLongWorld({ seed, sets: specs }: Plan): LongWorld {
  const clock = virtualClock()
  const observers = createObservers()
  const alive = new Map<string, PlayedContainer>()
  const tokens = ['token-1']
  const forges = openForges(seed, clock, tokens)
  const climate = { isFair: false, fair: fairWeather(streamOf(seed, 'weather')), api: weather, forge: weather }
  const runners = {
    ...{ clock, random: streamOf(seed, 'runners'), ...forges, alive },
    neverOnline: () => (climate.isFair ? 0 : 0.000_5),
    ignoresTerm: () => (climate.isFair ? 0 : 0.001),
    onCredential: (container: PlayedContainer, credential: string) => {
      for (const listener of observers.credentials) listener(container, credential)
    },
  }
  const script = () => runnerScript(runners)
  const { cluster, nodes } = openCluster(seed, clock, script, specs)
  const { registry } = cluster
  const uids = new Map<string, string>()
  registry.subscribe(sets, ({ object: { metadata } }) => uids.set(metadata.name, metadata.uid))
  for (const set of specs) registry.create(sets, objectOf(set))
  const processes: SimulatedProcess[] = []
  const current = (server: 'api' | 'forge') => () => (climate.isFair ? climate.fair : climate[server])
  let started = 0
  const start = (): SimulatedProcess => {
    const identity = `controller-${++started}`
    const process = startProcess({
      ...{ identity, clock, offsetMs: 0, random: longStreamOf(seed, identity) },
      servers: { api: withoutLogs(cluster.transport(identity)), forge: forges.github.transport },
      weather: { api: current('api'), forge: current('forge') },
      ...reportTo(observers),
    })
    // An ended process is forgotten, with all that it remembers.
    processes.splice(0, processes.length, ...processes.filter(({ isStopped }) => !isStopped), process)
    return process
  }
  const servers = { cluster, registry, nodes, ...forges, credentials: [] }
  const seen = { uids, strangers: new Set<string>(), harmed: new Set<string>(), openJobs: new Set<string>(), alive }
  return {
    seed,
    clock,
    sets: specs,
    ...servers,
    ...seen,
    tokens,
    processes,
    climate,
    observers,
    start,
    repairs: createRepairs(clock),
  }
}

function openForges(seed: number, clock: VirtualClock, tokens: string[]) {
  const knobs = { zeroCapacity: 'defer', maxAttempts: 1_000, restBudget: 0, registrationDelayMs: 1_000 } as const
  const github = createGitHubEmulator({ clock, random: streamOf(seed, 'github'), tokens, knobs })
  const random = streamOf(seed, 'bitbucket')
  const bitbucket = createBitbucketEmulator({ clock, random, workspaces: [], credentials: [] })
  return { github, bitbucket }
}

/** Opens a cluster with the CRD, the namespaces of the sets, and enough nodes for their runners. */
function openCluster(
  seed: number,
  clock: VirtualClock,
  script: Parameters<typeof createScriptedRuntime>[0]['script'],
  specs: readonly OrganizationSet[],
) {
  const runners = specs.reduce((sum, { max }) => sum + max, 0)
  const pods = String(Math.ceil(runners / (nodeCount - 1)))
  const capacity = { cpu: '1000', 'ephemeral-storage': '4Ti', memory: '4Ti', pods }
  const describe = (index: number) => ({ name: `node-${index + 1}`, capacity })
  const runtimeOf = () => createScriptedRuntime({ clock, script })
  const runtime = runtimeOf()
  const random = streamOf(seed, 'cluster')
  const cluster = createCluster({ clock, random, runtime, node: describe(0), eventTtlMs })
  const { registry } = cluster
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  for (const name of [ownNamespace, ...specs.map(({ namespace }) => namespace)]) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    registry.create('secrets', credentialObject(name, 'token-1'))
  }
  const access = { tokens: createTokens(registry, clock, undefined), address: () => undefined }
  const further = Array.from({ length: nodeCount - 1 }, (_, index) => {
    const node = describe(index + 1)
    const kubelet = createKubeletSwitch({ registry, runtime: runtimeOf(), clock, node, access, version: 'v1.36.0' })
    return { name: node.name, kubelet }
  })
  return { cluster, nodes: [{ name: describe(0).name, kubelet: cluster.kubelet }, ...further] }
}

function objectOf(set: OrganizationSet) {
  const object = setObject(set)
  const github = { ...Object(object.spec).github, url: `http://github.test/${set.organization}`, plainHttp: true }
  return { ...object, spec: { ...object.spec, github } }
}
