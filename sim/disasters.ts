// Disasters at random moments: of processes, pods, nodes, forges and credentials, and by operators who change things.
import { ignoreRefusal } from '@dayfly/cluster/controllers/ignore-refusal'
import type { FaultSpec } from '@dayfly/forge-emulators/server/faults'
import type { Request } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { runnerLabel } from './job-pods.ts'
import { installMissingSets, setOf } from './operator.ts'
import type { SimulatedProcess } from './process.ts'
import { credentialName, credentialObject, namespaces, type SetSpec, scaleOf } from './sets.ts'
import { objectFor } from './sizes.ts'
import { pick } from './streams.ts'
import type { Disaster } from './strikes.ts'
import { giteaCredential, type World } from './world.ts'

const seconds = (random: Random, least: number, most: number) => randomInteger(random, least * 1_000, most * 1_000)

/** A disaster of one process. Nothing happens while none runs. */
function ofProcess(name: string, strike: (world: World, process: SimulatedProcess, random: Random) => void): Disaster {
  return {
    name,
    strike: (world, random) => {
      const running = world.processes.filter(({ isStopped }) => !isStopped)
      if (running.length > 0) strike(world, pick(running, random), random)
    },
  }
}

/** The process is gone between two instructions: nothing that it sent later arrives, and nothing is given back. */
function kill(process: SimulatedProcess): void {
  process.isStopped = true
  process.open.api = process.open.forge = false
  void process.controller.stop()
}

const crash = ofProcess('crash', (world, process, random) => {
  kill(process)
  world.repairs.in(seconds(random, 0, 40), () => world.start())
})

/** The process dies after one of its next requests, before it reads the answer. Once the faults are over, it lives. */
const crashInCall = ofProcess('crash in a call', (world, process, random) => {
  let calls = randomInteger(random, 1, 12)
  const hear = (identity: string, server: 'api' | 'forge', { method }: { readonly method: string }) => {
    if (world.climate.isFair) return void world.observers.answered.delete(hear)
    if (identity !== process.identity || process.isStopped || (method === 'GET' && server === 'api')) return
    if (--calls > 0) return
    world.observers.answered.delete(hear)
    kill(process)
    world.repairs.in(seconds(random, 0, 40), () => world.start())
  }
  world.observers.answered.add(hear)
})

const restart = ofProcess('restart', (world, process, random) => {
  process.isStopped = true
  void process.controller.stop()
  world.repairs.in(seconds(random, 0, 20), () => world.start())
})

const partition = ofProcess('partition', (world, process, random) => {
  const servers = pick([['api'], ['forge'], ['api', 'forge']] as const, random)
  for (const server of servers) process.open[server] = false
  world.repairs.in(seconds(random, 3, 60), () => {
    if (!process.isStopped) for (const server of servers) process.open[server] = true
  })
})

const clockJump = ofProcess('clock jump', (_world, { clock }, random) => clock.jump(seconds(random, -60, 60)))

/** Not a pod of a job that has no owner yet: nothing else leads to its Secret. */
function somePod(world: World, random: Random) {
  const pods = world.registry
    .list('pods')
    .filter(({ metadata }) => !world.strangers.has(metadata.uid))
    .filter(({ metadata }) => metadata.labels?.[runnerLabel] === undefined || metadata.ownerReferences !== undefined)
  return pods.length > 0 ? pick(pods, random).metadata : undefined
}

const containerDeath: Disaster = {
  name: 'container death',
  strike: (world, random) => {
    const alive = [...world.alive]
    if (alive.length === 0) return
    const [uid, container] = pick(alive, random)
    const pod = world.registry.list('pods').find(({ metadata }) => metadata.uid === uid)
    world.harmed.add(pod?.metadata.name ?? '')
    container.end({ exitCode: 137, ...(random() < 0.5 ? { reason: 'OOMKilled' } : {}) })
  },
}

/** The pod is gone without a trace, as after the loss of its node. */
const podLoss: Disaster = {
  name: 'pod loss',
  strike: (world, random) => {
    const pod = somePod(world, random)
    if (pod) world.registry.delete('pods', pod.namespace, pod.name, { gracePeriodSeconds: 0 })
  },
}

const podDeletion: Disaster = {
  name: 'pod deletion',
  strike: (world, random) => {
    const pod = somePod(world, random)
    if (pod) world.registry.delete('pods', pod.namespace, pod.name)
  },
}

const secretPath = /^\/api\/v1\/namespaces\/([^/]+)\/secrets\/([^/]+)$/

/** Another client replaces the pod of a runner by one of the same name, in the middle of the end of that runner. */
const replacedPod = ofProcess('replaced pod', (world, process) => {
  const hear = (identity: string, server: 'api' | 'forge', { method, path }: Request) => {
    const [, namespace = '', name = ''] = (method === 'DELETE' && server === 'api' && secretPath.exec(path)) || []
    const before = world.registry.get('pods', namespace, name)?.metadata.uid
    if (identity !== process.identity || before === undefined || world.strangers.has(before)) return
    world.observers.sent.delete(hear)
    if (world.climate.isFair) return
    world.registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
    const spec = { nodeSelector: { of: 'another-client' }, containers: [{ name: 'app', image: 'app' }] }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec }
    ignoreRefusal(() => void world.strangers.add(world.registry.create('pods', pod).metadata.uid))
  }
  world.observers.sent.add(hear)
})

const silentNode: Disaster = {
  name: 'silent node',
  strike: ({ cluster: { kubelet }, repairs }, random) => {
    kubelet.stop()
    repairs.in(seconds(random, 5, 90), () => kubelet.start())
  },
}

const quota: Disaster = {
  name: 'quota',
  strike: (world, random) => {
    const namespace = pick(namespaces, random)
    const metadata = { name: `full-${world.clock.now()}`, namespace }
    const spec = { hard: { pods: String(randomInteger(random, 0, 1)) } }
    world.registry.create('resourcequotas', { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec })
    world.repairs.in(seconds(random, 5, 90), () => world.registry.delete('resourcequotas', namespace, metadata.name))
  },
}

const kind = 'runnersets.dayfly.dev'
const crds = 'customresourcedefinitions.apiextensions.k8s.io'

export function editSet(world: World, set: SetSpec, change: (spec: Readonly<Record<string, unknown>>) => object): void {
  const object = setOf(world, set)
  if (!object || object.metadata.deletionTimestamp !== undefined) return
  world.registry.update(kind, { ...object, spec: change(Object(object['spec'])) })
}

const scaling: Disaster = {
  name: 'scaling',
  strike: (world, random) => {
    const set = pick(world.sets, random)
    const least = set.forge === 'bitbucket' ? 1 : 0
    const min = randomInteger(random, least, 2)
    const max = min + randomInteger(random, 0, 3)
    editSet(world, set, (spec) => ({ ...spec, scale: scaleOf({ ...set, min, max }) }))
    world.repairs.in(seconds(random, 5, 90), () => editSet(world, set, (spec) => ({ ...spec, scale: scaleOf(set) })))
  },
}

const pause: Disaster = {
  name: 'pause',
  strike: (world, random) => {
    const set = pick(world.sets, random)
    editSet(world, set, (spec) => ({ ...spec, paused: true }))
    world.repairs.in(seconds(random, 5, 90), () => editSet(world, set, (spec) => ({ ...spec, paused: false })))
  },
}

const newTemplate: Disaster = {
  name: 'new template',
  strike: (world, random) => {
    const labels = { version: String(randomInteger(random, 1, 1_000)) }
    editSet(world, pick(world.sets, random), (spec) => ({ ...spec, template: { metadata: { labels } } }))
  },
}

const reinstalledSet: Disaster = {
  name: 'reinstalled set',
  strike: (world, random) => {
    const object = objectFor(world.sets, pick(world.sets, random))
    const { namespace, name } = object.metadata
    if (!setOf(world, object.metadata)) return
    world.registry.delete(kind, namespace, name)
    const again = () => {
      if (world.climate.isFair) return
      if (setOf(world, object.metadata)) world.repairs.in(5_000, again)
      else if (world.registry.get(crds, undefined, kind)) world.registry.create(kind, object)
    }
    world.repairs.in(seconds(random, 0, 40), again)
  },
}

const reinstalledKind: Disaster = {
  name: 'reinstalled kind',
  strike: (world, random) => {
    if (!world.registry.get(crds, undefined, kind)) return
    world.registry.delete(crds, undefined, kind)
    const again = () => {
      if (world.registry.get(crds, undefined, kind)) return world.repairs.in(2_000, again)
      world.registry.create(crds, runnerSetCrd())
      installMissingSets(world)
    }
    world.repairs.in(seconds(random, 2, 40), again)
  },
}

/** The credential is revoked, and replaced in the cluster a while later. */
const rotation: Disaster = {
  name: 'rotation',
  strike: (world, random) => {
    const token = `token-${randomInteger(random, 2, 1_000_000)}`
    world.tokens.splice(0, world.tokens.length, token)
    world.credentials.splice(0, world.credentials.length, { kind: 'access-token', token, user: 'joe' })
    world.giteaCredentials.splice(0, world.giteaCredentials.length, giteaCredential(token))
    world.repairs.in(seconds(random, 0, 60), () => replaceCredentials(world))
  },
}

export function replaceCredentials({ registry, tokens: [token = ''] }: World): void {
  for (const namespace of namespaces) {
    const before = registry.get('secrets', namespace, credentialName)
    registry.update('secrets', { ...before, ...credentialObject(namespace, token), metadata: { ...before?.metadata } })
  }
}

export const unavailable: FaultSpec = {
  match: { pathRegex: '.' },
  times: 1_000_000,
  action: { kind: 'answer', status: 503, headers: {}, body: { message: 'down' } },
}

const outage: Disaster = {
  name: 'outage of the forge',
  strike: ({ github, bitbucket, repairs }, random) => {
    const { control } = pick([github, bitbucket], random)
    const id = control.fault(unavailable)
    repairs.in(seconds(random, 5, 90), () => control.removeFault(id))
  },
}

/** Bitbucket refuses to cordon its runners, so that they take another step. */
const refusedCordons: Disaster = {
  name: 'refused cordons',
  strike: ({ bitbucket: { control }, repairs }, random) => {
    const id = control.fault({ ...unavailable, match: { method: 'PUT', pathRegex: '/runners/' } })
    repairs.in(seconds(random, 20, 90), () => control.removeFault(id))
  },
}

const cancellation: Disaster = {
  name: 'cancellation',
  strike: ({ github, openJobs }, random) => {
    if (openJobs.size > 0) github.control.cancel(pick([...openJobs], random))
  },
}

export const allDisasters: readonly Disaster[] = [
  crash,
  crashInCall,
  crashInCall,
  restart,
  partition,
  clockJump,
  containerDeath,
  podLoss,
  podDeletion,
  replacedPod,
  silentNode,
  quota,
  scaling,
  pause,
  newTemplate,
  reinstalledSet,
  reinstalledKind,
  rotation,
  outage,
  refusedCordons,
  cancellation,
]
