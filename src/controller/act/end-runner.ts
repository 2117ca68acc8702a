// One life ends, in one of two orders (sketch: end-runner). The end is proved: Secret and pod go now. It may live: deregister first, and go on only with proof of idleness.

import { KubernetesError } from '../../kubernetes/errors.ts'
import type { EndCause } from '../../model/action.ts'
import type { PodFacts, Runner } from '../../model/runner.ts'
import { pods, secrets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { messageOf } from './failures.ts'

/** How long a failed attempt waits for the next, in milliseconds. */
const retryMs = 2_000

/** @param runner as it was decided upon; it has an action under way until this returns. */
export async function endRunner(context: ActContext, runner: Runner, because: EndCause): Promise<void> {
  const { cache, clock, signal } = context
  const { name } = runner
  try {
    if (because.kind === 'lost' || runner.pod.is !== 'present') return cache.forget(name, clock.now())
    const pod = runner.pod.value
    if (because.kind !== 'ended' && !(await mayGo(context, runner, pod, because))) return
    await removeObjects(context, runner, pod, because)
    if (because.kind === 'start-failed') cache.failedToStart(because.failure, name, clock.now())
  } catch (error) {
    if (signal.aborted) return cache.table.settle(name)
    context.journal({
      kind: 'write-failed',
      ...subject(context),
      action: `end-runner ${name}`,
      message: messageOf(error),
    })
    cache.table.settle(name, clock.now() + retryMs)
  }
}

/** Deregisters, and says whether the runner is proved idle. If not, it has been settled. */
async function mayGo(context: ActContext, runner: Runner, pod: PodFacts, because: EndCause): Promise<boolean> {
  const { cache, clock, link } = context
  const { name, registration } = runner
  if (registration.is === 'present') {
    const outcome = (await link()?.deregister(registration.value)) ?? 'unknown'
    if (outcome === 'removed') {
      cache.deregistered(name, clock.now())
      return true
    }
    if (outcome !== 'absent' && because.kind === 'life-exceeded') return true
    if (outcome === 'unknown') {
      cache.table.settle(name, clock.now() + retryMs)
      return false
    }
    if (outcome === 'busy') {
      cache.refusedAsBusy(name, clock.now())
      cache.table.settle(name)
      return false
    }
  }
  // Absent proves nothing of a runner that runs: it may have got a job at this moment. The rule for ghosts looks on.
  const idle = pod.startedAt === undefined || because.kind === 'ghost' || because.kind === 'life-exceeded'
  if (!idle) cache.table.settle(name, clock.now() + retryMs)
  return idle
}

/** Secret first, then the pod: in this order the garbage collector finds nothing to do (experiments 2). */
async function removeObjects(context: ActContext, runner: Runner, pod: PodFacts, because: EndCause): Promise<void> {
  const { kubernetes, cache, clock, signal } = context
  const { name } = runner
  const at = { namespace: cache.set.namespace, name }
  // A pod that had not started when it was decided upon is only deleted in just that state.
  const unstarted =
    because.kind === 'start-failed' && pod.startedAt === undefined && runner.registration.is !== 'present'
  const preconditions = unstarted ? { uid: pod.uid, resourceVersion: pod.resourceVersion } : { uid: pod.uid }
  cache.ending(name, clock.now())
  await kubernetes.delete(secrets, at, { signal })
  try {
    const outcome = await kubernetes.delete(pods, at, { signal, preconditions })
    if (outcome === 'deleting') cache.table.settle(name, clock.now() + retryMs * 60)
    else cache.forget(name, clock.now())
  } catch (error) {
    // Somebody else's pod by that name, or ours has moved on: the watch tells which.
    if (!(error instanceof KubernetesError) || error.kind !== 'conflict') throw error
    cache.table.settle(name, clock.now() + retryMs)
  }
}

function subject({ cache }: ActContext) {
  return { namespace: cache.set.namespace, set: cache.set.name }
}
