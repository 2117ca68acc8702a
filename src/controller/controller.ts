// The controller: a cache of pods, a worker for each set, and the election of the process that may act.

import { labels } from '../core/pod.ts'
import { createElector, type Leadership } from '../kubernetes/lease.ts'
import { runReflector } from '../kubernetes/reflector.ts'
import type { KubeObject } from '../kubernetes/types.ts'
import { aborted } from '../lib/signals.ts'
import { guarded } from './guard.ts'
import type { Journal } from './journal.ts'
import { publishEvents } from './kubernetes-events.ts'
import { observePod } from './observe/pod-facts.ts'
import { type PodObject, unreadOfPods } from './observe/pod-object.ts'
import type { ControllerOptions } from './options.ts'
import { PodCache } from './pod-cache.ts'
import { pods, runnerSets } from './resources.ts'
import { SetWorkers } from './set-workers.ts'

export interface Controller {
  /** Waits for actions under way, and gives the sessions and the Lease back. Runners live on. Takes at most 40 s. */
  stop(): Promise<void>
}

/** How long `stop` waits for actions under way, in milliseconds. */
const drainMsMax = 40_000

/** Starts at once and runs until it is stopped. Failures go to the journal. */
export function startController(options: ControllerOptions, journal: Journal): Controller {
  const { clock, identity, kubernetes, random, transport, namespace } = options
  const until = new AbortController()
  const podCache = new PodCache(clock)
  const setWorkers = new SetWorkers(options, journal, podCache)
  const shared = { transport, clock, random, namespace }
  journal.write({ kind: 'controller-started', identity })
  const running = [
    runReflector(
      {
        ...shared,
        resource: pods,
        labelSelector: labels.set,
        project: projectPod,
        unread: unreadOfPods,
        sink: podCache,
      },
      until.signal,
    ),
    runReflector({ ...shared, resource: runnerSets, project: projectSet, sink: setWorkers }, until.signal),
    createElector({ kubernetes, clock, random, identity, ...options.lease }).run(
      (leadership) => lead(options, journal, setWorkers, leadership),
      until.signal,
    ),
  ]
  return {
    stop: async () => {
      const bound = new AbortController()
      await Promise.race([setWorkers.stop(), clock.sleep(drainMsMax, bound.signal).catch(() => {})])
      bound.abort()
      until.abort()
      podCache.stop()
      await Promise.all(running)
      journal.write({ kind: 'controller-stopped', identity })
    },
  }
}

async function lead(
  options: ControllerOptions,
  journal: Journal,
  sets: SetWorkers,
  leadership: Leadership,
): Promise<void> {
  const { identity } = options
  journal.write({ kind: 'leadership-gained', identity })
  const { signal } = leadership
  const kubernetes = guarded(options.kubernetes, leadership, options.clock)
  const uidOf = (namespace: string, set: string) => sets.uidOf(namespace, set)
  const unsubscribe = publishEvents({ kubernetes, identity, uidOf, signal }, journal)
  sets.lead(leadership)
  await aborted(signal)
  unsubscribe()
  journal.write({ kind: 'leadership-lost', identity })
}

function projectPod(object: KubeObject) {
  return observePod(object as unknown as PodObject)
}

/** Keeps only the fields of a set that are read. */
function projectSet(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status } = object
  const { name, namespace, uid, generation, resourceVersion, deletionTimestamp } = metadata
  const kept = { name, namespace, uid, generation, resourceVersion, deletionTimestamp }
  return { apiVersion, kind, metadata: kept as KubeObject['metadata'], spec, status }
}
