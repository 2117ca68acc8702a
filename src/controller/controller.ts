// The controller: mirrors of what is, a worker a set, and the right to act by election.

import { labels } from '../core/pod.ts'
import { createElector, type Leadership } from '../kubernetes/lease.ts'
import { runReflector } from '../kubernetes/reflector.ts'
import type { KubeObject } from '../kubernetes/types.ts'
import { aborted } from '../lib/signals.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { guarded } from './guard.ts'
import type { Journal } from './journal.ts'
import { publishEvents } from './kubernetes-events.ts'
import { observePod } from './observe/pod-facts.ts'
import { type PodObject, unreadOfPods } from './observe/pod-object.ts'
import type { ControllerOptions } from './options.ts'
import { PodMirror } from './pod-mirror.ts'
import { pods, runnerSets } from './resources.ts'
import { SetMirror } from './set-mirror.ts'

export interface Controller {
  /** Names, counts and readings of every set, as the next tick would see them. */
  sets(): readonly SetView[]
  /** Lets what is under way end, gives the sessions and the lease back; runners live on. Bounded by 40 s. */
  stop(): Promise<void>
}

export type SetView = {
  readonly namespace: string
  readonly name: string
  readonly counts: Readonly<Record<'starting' | 'idle' | 'busy' | 'spent' | 'ended' | 'lost', number>>
}

/** How long work under way may take at the end, in milliseconds. */
const drainMsMax = 40_000

/** Starts at once and runs until it is stopped; every failure on the way is the journal's. */
export function startController(options: ControllerOptions, journal: Journal): Controller {
  const { clock, identity, kubernetes, random, transport, namespace } = options
  const until = new AbortController()
  const podMirror = new PodMirror(clock)
  const setMirror = new SetMirror(options, journal, podMirror)
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
        sink: podMirror,
      },
      until.signal,
    ),
    runReflector({ ...shared, resource: runnerSets, project: projectSet, sink: setMirror }, until.signal),
    createElector({ kubernetes, clock, random, identity, ...options.lease }).run(
      (leadership) => reign(options, journal, setMirror, leadership),
      until.signal,
    ),
  ]
  return {
    sets: () => setMirror.workers().map(({ cache }) => viewOf(cache.set, cache.table.counts())),
    stop: async () => {
      const bound = new AbortController()
      await Promise.race([setMirror.stop(), clock.sleep(drainMsMax, bound.signal).catch(() => {})])
      bound.abort()
      until.abort()
      podMirror.stop()
      await Promise.all(running)
      journal.write({ kind: 'controller-stopped', identity })
    },
  }
}

async function reign(
  options: ControllerOptions,
  journal: Journal,
  sets: SetMirror,
  leadership: Leadership,
): Promise<void> {
  const { identity } = options
  journal.write({ kind: 'leadership-gained', identity })
  const { signal } = leadership
  const kubernetes = guarded(options.kubernetes, leadership, options.clock)
  const uidOf = (namespace: string, set: string) => sets.uidOf(namespace, set)
  const silence = publishEvents({ kubernetes, identity, uidOf, signal }, journal)
  sets.lead(leadership)
  await aborted(signal)
  silence()
  journal.write({ kind: 'leadership-lost', identity })
}

function viewOf({ namespace, name }: RunnerSet, counts: SetView['counts']): SetView {
  return { namespace, name, counts }
}

function projectPod(object: KubeObject) {
  return observePod(object as unknown as PodObject)
}

/** What a set's managers wrote of it is not kept. */
function projectSet(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec, status } = object
  const { name, namespace, uid, generation, resourceVersion, deletionTimestamp } = metadata
  const kept = { name, namespace, uid, generation, resourceVersion, deletionTimestamp }
  return { apiVersion, kind, metadata: kept as KubeObject['metadata'], spec, status }
}
