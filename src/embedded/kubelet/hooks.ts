// Runs lifecycle hooks. A postStart hook runs in the pod's worker without a time limit.
// A hung hook holds up the whole pod and its deletion, as in Kubernetes (https://github.com/kubernetes/kubernetes/issues/116032).
import { fieldOf, type PodContext } from './context.ts'
import type { Action } from './pod.ts'
import { reachContainer } from './reach.ts'
import { type ContainerRecord, idOf } from './record.ts'

/** Returns whether the hook succeeded. If it failed, the caller kills the container. */
export async function runPostStart(context: PodContext, record: ContainerRecord, action: Action): Promise<boolean> {
  const failure = await runHook(context, record, action, undefined)
  // A stopped worker records no more Events.
  if (failure === undefined || context.until.aborted) return true
  context.events.record('Warning', 'FailedPostStartHook', `PostStartHook failed: ${failure}`, fieldOf(record))
  return false
}

/** Runs the preStop hook for at most `limitMs`, the whole grace period. A hook that is still running then is left alone without an Event, as in Kubernetes. */
export async function runPreStop(
  context: PodContext,
  record: ContainerRecord,
  action: Action,
  limitMs: number,
): Promise<void> {
  const deadline = context.clock.now() + limitMs
  const failure = await runHook(context, record, action, limitMs)
  if (failure === undefined || context.clock.now() >= deadline) return
  context.events.record('Warning', 'FailedPreStopHook', `PreStopHook failed: ${failure}`, fieldOf(record))
}

/** Returns the reason of the failure, or undefined if the hook succeeded. */
async function runHook(
  context: PodContext,
  record: ContainerRecord,
  action: Action,
  limitMs: number | undefined,
): Promise<string | undefined> {
  const { runtime, clock, pod, until } = context
  const { exec, sleep } = action
  if (sleep) {
    const ms = Math.min(sleep.seconds * 1000, limitMs ?? Number.POSITIVE_INFINITY)
    // Only a stop of the kubelet ends the sleep early.
    await clock.sleep(ms, until).catch(() => undefined)
  }
  // An HTTP response with any status counts as success.
  const reached = await reachContainer(context, record, { action, purpose: 'lifecycle', timeoutMs: limitMs })
  if (reached?.is === 'failed') return reached.message
  if (!exec) return undefined
  const result = await runtime.exec(idOf(pod(), record), exec.command, limitMs)
  if (result.is === 'timed-out') return 'the grace period is over'
  if (result.is === 'failed') return result.message
  return result.exitCode === 0
    ? undefined
    : `command '${exec.command.join(' ')}' exited with ${result.exitCode}: ${result.output}`
}
