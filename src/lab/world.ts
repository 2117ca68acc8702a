// One embedded cluster of the lab, on virtual time and with scripted containers. Days pass in seconds.

import type { Profile } from '../embedded/api/api.ts'
import { type Cluster, type ClusterOptions, createCluster } from '../embedded/cluster.ts'
import type { ContainerId } from '../embedded/runtime/runtime.ts'
import { createScriptedRuntime, type Script } from '../embedded/runtime/scripted/scripted-runtime.ts'
import type { StoredObject } from '../embedded/store/object.ts'
import { createKubernetes } from '../kubernetes/client.ts'
import { createInquiry, type Inquiry } from '../kubernetes/inquiry.ts'
import type { Kubernetes } from '../kubernetes/kubernetes.ts'
import type { Clock, Instant } from '../lib/clock.ts'
import type { Transport } from '../lib/http.ts'
import { randomName } from '../lib/ids.ts'
import type { Random } from '../lib/random.ts'
import { seededRandom } from '../lib/random.ts'
import type { VirtualClock } from '../lib/virtual-clock.ts'

export type WorldOptions = {
  /** The time of the cluster. A forge of the same world may share it. */
  readonly clock: VirtualClock
  readonly profile: Profile
  /** The behaviour of each container, by its name. A container without a script runs until it is stopped. */
  readonly scripts?: Readonly<Record<string, Script>>
  readonly cluster?: Pick<ClusterOptions, 'terminatedPodGcThreshold' | 'jobs'>
  readonly namespaces?: readonly string[]
}

export interface World {
  readonly profile: Profile
  readonly clock: VirtualClock
  /** The same time for a caller that waits: its sleep moves the time. */
  readonly moving: Clock
  readonly random: Random
  readonly cluster: Cluster
  readonly transport: Transport
  readonly kubernetes: Kubernetes
  readonly inquiry: Inquiry
  /** The token of the administrator over HTTP. */
  readonly token: string
  readonly startedAt: Instant
  /** Creates an object. Kinds are named as in `jobs.batch`. */
  create(resource: string, object: object): StoredObject
  /** The containers that run on the node, with or without a pod. */
  containers(): readonly ContainerId[]
  /** Kills a container on the node, without the kubelet. */
  endContainer(id: ContainerId): Promise<void>
  stop(): Promise<void>
}

export const adminName = 'lab-admin'

/** Waits for containers that ignore SIGTERM, and for clients that give back what they hold. */
const stopMs = 120_000

export function openWorld(options: WorldOptions): World {
  const { clock, profile } = options
  const startedAt = clock.now()
  const random = seededRandom(1)
  const token = randomName(random, 32)
  const { scripts = {}, namespaces = [] } = options
  const runtime = createScriptedRuntime({ clock, script: ({ id }) => scripts[id.name] ?? {} })
  const users = new Map([[token, adminName]])
  const cluster = createCluster({ clock, random, runtime, profile, users, ...options.cluster })
  const { registry } = cluster
  for (const name of namespaces) {
    registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  const transport = cluster.transport(adminName)
  const moving: Clock = { ...clock, sleep: (ms) => clock.advance(ms) }
  const caller = { transport, clock: moving, random }
  return {
    profile,
    clock,
    moving,
    random,
    cluster,
    transport,
    kubernetes: createKubernetes(caller),
    inquiry: createInquiry(caller),
    token,
    startedAt,
    create: (resource, object) => registry.create(resource, object),
    containers: () => runtime.containers(),
    endContainer: (id) => runtime.stop(id, 0),
    stop: () => passing(clock, stopMs, cluster.stop()),
  }
}

/** Lets time pass until the work is done, at most `ms`. */
export async function passing<T>(clock: VirtualClock, ms: number, work: Promise<T>): Promise<T> {
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  // The caller receives a rejection at the end.
  done.catch(() => {})
  const end = clock.now() + ms
  while (!isOver && clock.now() < end) await clock.advance(100)
  return done
}
