// One embedded cluster of the lab, on virtual time and with scripted containers. Days pass in seconds.
import { type Cluster, createCluster } from '@dayfly/cluster/cluster'
import { createScriptedRuntime } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { Clock } from '@dayfly/kit/clock'
import { randomName } from '@dayfly/kit/ids'
import { seededRandom } from '@dayfly/kit/random'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { createInquiry } from '@dayfly/kubernetes/inquiry'
import type { World, WorldOptions } from './world.ts'

export interface EmbeddedWorld extends World {
  readonly clock: VirtualClock
  readonly cluster: Cluster
  /** The token of the administrator over HTTP. */
  readonly token: string
  stop(): Promise<void>
}

export const adminName = 'lab-admin'

/** Waits for containers that ignore SIGTERM, and for clients that give back what they hold. */
const stopMs = 120_000

/** @param clock the time of the cluster. A forge of the same world may share it. */
export function openEmbedded(clock: VirtualClock, options: WorldOptions): EmbeddedWorld {
  const { profile, scripts = {}, namespaces = [] } = options
  const startedAt = clock.now()
  const random = seededRandom(1)
  const token = randomName(random, 32)
  const runtime = createScriptedRuntime({ clock, script: ({ id }) => scripts[id.name] ?? {} })
  const users = new Map([[token, adminName]])
  const cluster = createCluster({ clock, random, runtime, profile, users, ...options.cluster })
  for (const name of namespaces) {
    cluster.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  const transport = cluster.transport(adminName)
  const doctorClock: Clock = { ...clock, sleep: (ms) => clock.advance(ms) }
  const end = new AbortController()
  const caller = { transport, clock: doctorClock, random }
  return {
    clock,
    doctorClock,
    random,
    cluster,
    transport,
    kubernetes: createKubernetes(caller),
    inquiry: createInquiry(caller),
    token,
    startedAt,
    over: end.signal,
    pass: (ms) => clock.advance(ms),
    linger: (ms) => clock.advance(ms),
    during: (ms, work) => during(clock, ms, work),
    containers: async () => runtime.containers(),
    endContainer: (id) => runtime.stop(id, 0),
    stop: () => {
      end.abort(new Error('the world has ended'))
      return during(clock, stopMs, cluster.stop())
    },
  }
}

async function during<T>(clock: VirtualClock, ms: number, work: Promise<T>): Promise<T> {
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
