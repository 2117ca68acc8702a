// Pauses a set, and says how far its runners have ended.
import { runnerSets } from '../resources.ts'
import { type LeaseChoice, readLeaders, workOn } from './leader.ts'
import { readRunnerPods } from './pods.ts'
import { attempt, type Cluster } from './read.ts'
import { readSet, type SetView, viewSet } from './set-view.ts'

/** The writer's name in `managedFields`. */
const fieldManager = 'dayfly-cli'

/**
 * Sets `spec.paused`. The UID as precondition keeps a new set of the same name as it is. Resolves with the set as stored: an old definition
 * of RunnerSet drops the field.
 */
export async function setPaused(
  cluster: Cluster,
  { namespace, name, uid }: SetView,
  paused: boolean,
): Promise<SetView> {
  const { kubernetes, signal } = cluster
  const body = { metadata: { uid }, spec: { paused } }
  const { object } = await attempt({ verb: 'patch', resource: runnerSets, namespace, name }, () =>
    kubernetes.patch(runnerSets, { namespace, name }, { type: 'merge', body }, { fieldManager, signal }),
  )
  return viewSet(object)
}

export type Progress = {
  readonly is: 'draining' | 'drained' | 'resumed' | 'gone'
  /** Pods that may still run a container. */
  readonly pods: number
  readonly busy: number | undefined
  /** Ended pods that are kept for debugging. */
  readonly kept: number
  /** Why the set does not drain now; undefined while a controller works on it. */
  readonly held: string | undefined
}

/** @param set the set as it was when the drain began */
export async function drainProgress(cluster: Cluster, set: SetView, lease: LeaseChoice): Promise<Progress> {
  const view = await readSet(cluster, set)
  const nothing = { pods: 0, busy: undefined, kept: 0, held: undefined }
  if (!view || view.uid !== set.uid) return { is: 'gone', ...nothing }
  if (!view.paused) return { is: 'resumed', ...nothing }
  const leaders = await readLeaders(cluster, lease, [view.namespace])
  // The pods are read after the status: a runner that the status does not count any more is then no pod either.
  const all = await readRunnerPods(cluster, view.namespace)
  const own = all.filter(({ observed }) => observed.setUid === view.uid)
  const pods = own.filter(({ observed }) => !observed.facts.finished).length
  const work = workOn(view, leaders, cluster.clock.now())
  const held = work.is === 'working' || work.is === 'unknown' ? undefined : work.sentence
  const done = pods === 0 && (work.is === 'no-leader' || isStill(view))
  return { is: done ? 'drained' : 'draining', pods, busy: view.busy, kept: own.length - pods, held }
}

/** The controller has read the pause and counts no start under way. Without a leader nothing starts a runner: the next one reads the pause first. */
function isStill({ observedGeneration, generation, idle, busy, pending }: SetView): boolean {
  const read = observedGeneration !== undefined && observedGeneration >= generation
  return read && [idle, busy, pending].every((count) => count === 0)
}
