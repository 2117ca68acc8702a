// Runs lifecycle hooks. A postStart hook runs in the pod's worker without a time limit.
// A hung hook holds up the whole pod and its deletion, as in Kubernetes (https://github.com/kubernetes/kubernetes/issues/116032).
import { fieldOf, type PodContext } from './context.ts'
import type { Action } from './pod.ts'
import { reachContainer } from './reach.ts'
import { type ContainerRecord, idOf } from './record.ts'

/** Returns whether the hook succeeded. If it failed, the caller kills the container. */
export async function runPostStart(context: PodContext, record: ContainerRecord, action: Action): Promise<boolean> {
  const isGood = await runHook(context, record, action, undefined)
  // A stopped worker records no more Events.
  if (isGood || context.until.aborted) return true
  // The output of a hook appears nowhere, because it may contain secrets.
  context.events.record('Warning', 'FailedPostStartHook', 'PostStartHook failed', fieldOf(record))
  return false
}

/** Runs the preStop hook for at most `limitMs`, the whole grace period. A hook that is still running then is left alone. */
export async function runPreStop(
  context: PodContext,
  record: ContainerRecord,
  action: Action,
  limitMs: number,
): Promise<void> {
  if (await runHook(context, record, action, limitMs)) return
  context.events.record('Warning', 'FailedPreStopHook', 'PreStopHook failed', fieldOf(record))
}

/** Returns whether the hook succeeded. */
async function runHook(
  context: PodContext,
  record: ContainerRecord,
  action: Action,
  limitMs: number | undefined,
): Promise<boolean> {
  const { runtime, clock, pod, until } = context
  const { exec, sleep } = action
  if (sleep) {
    const ms = Math.min(sleep.seconds * 1000, limitMs ?? Number.POSITIVE_INFINITY)
    // Only a stop of the kubelet ends the sleep early.
    await clock.sleep(ms, until).catch(() => undefined)
  }
  // An HTTP response with any status counts as success.
  const reached = await reachContainer(context, record, { action, purpose: 'lifecycle', timeoutMs: limitMs })
  if (reached?.is === 'failed') return false
  if (!exec) return true
  const result = await runtime.exec(idOf(pod(), record), exec.command, limitMs)
  return result.is === 'ended' && result.exitCode === 0
}
