// Lifecycle hooks. A hook runs in the pod's own turn, without a limit: one that hangs holds up the whole pod, its deletion too, as in Kubernetes (issue 116032).
import { fieldOf, type PodContext } from './context.ts'
import type { Action } from './pod.ts'
import { reachContainer } from './reach.ts'
import { type ContainerRecord, idOf } from './record.ts'

/** Whether it succeeded; the container of a failed one is to be killed. */
export async function runPostStart(context: PodContext, record: ContainerRecord, action: Action): Promise<boolean> {
  const failure = await runHook(context, record, action, undefined)
  // Who has let go of the pod in the meantime does nothing to it any more.
  if (failure === undefined || context.until.aborted) return true
  context.events.record('Warning', 'FailedPostStartHook', `PostStartHook failed: ${failure}`, fieldOf(record))
  return false
}

/** Gives the hook at most `limitMs`, the whole grace. One that is not over by then is left alone, and nobody is told, as in Kubernetes. */
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

/** Why it failed, or undefined. */
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
    // The wait ends early only with the kubelet itself.
    await clock.sleep(ms, until).catch(() => undefined)
  }
  // Any answer over HTTP will do.
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
