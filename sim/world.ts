// The world of one seed: an embedded cluster, both emulated forges, and processes of the controller, all on virtual time.
import type { Registry } from '@dayfly/cluster/api/registry'
import { createCluster } from '@dayfly/cluster/cluster'
import type { PlayedContainer } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { EmulatedCredential } from '@dayfly/forge-emulators/bitbucket/credentials'
import { createBitbucketEmulator } from '@dayfly/forge-emulators/bitbucket/emulator'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import type { Transport } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { withoutLogs } from '../test/controller/bitbucket/network.ts'
import { createObservers, reportTo } from './observers.ts'
import { type SimulatedProcess, startProcess } from './process.ts'
import { createRepairs } from './repairs.ts'
import { runnerScript } from './runners.ts'
import { bitbucketOrigin, credentialObject, namespaces, type SetSpec, setObject, setsOf } from './sets.ts'
import { pick, streamOf } from './streams.ts'
import { fairWeather, type Weather, weatherOf } from './weather.ts'

export type World = ReturnType<typeof openWorld>

export function openWorld(seed: number) {
  const clock = virtualClock()
  const random = streamOf(seed, 'world')
  const sets = setsOf(random)
  const observers = createObservers()
  const alive = new Map<string, PlayedContainer>()
  const tokens: string[] = ['token-1']
  const forges = openForges(seed, clock, tokens)
  const climate = { isFair: false, fair: fairWeather(random), api: weatherOf(random), forge: weatherOf(random) }
  const weak = { neverOnline: random() < 0.3 ? 0.15 : 0, ignoresTerm: random() < 0.3 ? 0.2 : 0 }
  const chance = (name: keyof typeof weak) => () => (climate.isFair ? 0 : weak[name])
  const runnerOptions = {
    clock,
    random: streamOf(seed, 'runners'),
    ...forges,
    alive,
    neverOnline: chance('neverOnline'),
    ignoresTerm: chance('ignoresTerm'),
    onCredential: (container: PlayedContainer, credential: string) => {
      for (const listener of observers.credentials) listener(container, credential)
    },
  }
  const runtime = createScriptedRuntime({ clock, script: () => runnerScript(runnerOptions) })
  const terminatedPodGcThreshold = random() < 0.3 ? randomInteger(random, 1, 3) : 12_500
  const cluster = createCluster({ clock, random: streamOf(seed, 'cluster'), runtime, terminatedPodGcThreshold })
  const { registry } = cluster
  const uids = createObjects(registry, sets)
  const processes: SimulatedProcess[] = []
  const forge: Transport = (request) =>
    request.origin?.startsWith(bitbucketOrigin) ? forges.bitbucket.transport(request) : forges.github.transport(request)
  const weather = (server: 'api' | 'forge') => (): Weather => (climate.isFair ? climate.fair : climate[server])
  const start = (): SimulatedProcess => {
    const identity = `controller-${processes.length + 1}`
    const process = startProcess({
      identity,
      clock,
      offsetMs: offsetOf(streamOf(seed, `${identity}'s machine`)),
      random: streamOf(seed, identity),
      servers: { api: withoutLogs(cluster.transport(identity)), forge },
      weather: { api: weather('api'), forge: weather('forge') },
      ...reportTo(observers),
    })
    processes.push(process)
    return process
  }
  /** The ids of the jobs and steps that have not ended. */
  const openJobs = new Set<string>()
  /** The UIDs of pods that another client created, and the names of runners that something outside Dayfly ended. */
  const [strangers, harmed] = [new Set<string>(), new Set<string>()]
  const servers = { cluster, registry, ...forges }
  const seen = { uids, strangers, harmed, openJobs, alive }
  return {
    seed,
    clock,
    sets,
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

/** Creates the kind, the credentials and the RunnerSets, and returns the UIDs of all RunnerSets by name, later ones too. */
function createObjects(registry: Registry, sets: readonly SetSpec[]): ReadonlyMap<string, string> {
  registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
  for (const name of namespaces) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    registry.create('secrets', credentialObject(name, 'token-1'))
  }
  const uids = new Map<string, string>()
  registry.subscribe('runnersets.dayfly.dev', ({ object: { metadata } }) => uids.set(metadata.name, metadata.uid))
  for (const set of sets) registry.create('runnersets.dayfly.dev', setObject(set))
  return uids
}

/** A third of the machines shows the right time, and the others are wrong by up to half an hour. */
function offsetOf(random: Random): number {
  return pick([-1, 0, 1], random) * randomInteger(random, 10_000, 1_800_000)
}

/** Small knobs: an hour of GitHub's patience would be an hour of every seed. */
function openForges(seed: number, clock: VirtualClock, tokens: string[]) {
  const random = streamOf(seed, 'forges')
  const github = createGitHubEmulator({
    clock,
    random: streamOf(seed, 'github'),
    tokens,
    knobs: {
      longPollMs: 50_000,
      jobLeaseS: 90,
      assignmentLeaseS: 60,
      maxAttempts: 1_000,
      runnerIdleS: 120,
      zeroCapacity: 'defer',
      registrationDelayMs: randomInteger(random, 0, 5_000),
      completedDelayMs: randomInteger(random, 0, 5_000),
      restBudget: 0,
    },
  })
  const credentials: EmulatedCredential[] = [{ kind: 'access-token', token: 'token-1', user: 'joe' }]
  const bitbucket = createBitbucketEmulator({
    clock,
    random: streamOf(seed, 'bitbucket'),
    workspaces: [{ slug: 'acme', repositories: ['app'] }],
    credentials,
    knobs: { noRunner: 'queue', stepLostS: 90, silentS: 60 },
  })
  return { github, bitbucket, credentials }
}
