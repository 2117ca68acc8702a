// Stops containers in the order and with the grace period of Kubernetes (kuberuntime_termination_order.go).
import { fieldOf, type PodContext } from './context.ts'
import { runPreStop } from './hooks.ts'
import type { Pod } from './pod.ts'
import { type ContainerRecord, idOf } from './record.ts'

/** The minimum time between SIGTERM and SIGKILL, even with a shorter grace period. */
const shortestStopMs = 2_000

const defaultGraceSeconds = 30

/** The grace period of the pod's deletion if it is being deleted, otherwise the pod's own. It is at least one second. */
export function graceSecondsOf({ metadata, spec }: Pod): number {
  return Math.max(1, metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? defaultGraceSeconds)
}

/**
 * Stops every running container: regular containers first, all at once, then the sidecars one by one from the last to the first.
 * All share one grace period. A sidecar that still waits at its end gets SIGTERM then.
 */
export async function stopPod(context: PodContext, graceSeconds: number): Promise<void> {
  const ends: Promise<void>[] = []
  for (const record of [...context.records].reverse()) {
    if (record.state.is !== 'running') continue
    const turn = record.role === 'sidecar' ? Promise.all(ends) : undefined
    ends.push(stopContainer(context, record, { graceSeconds, turn }))
  }
  await Promise.all(ends)
}

export type Stop = {
  readonly graceSeconds: number
  /** The end of other containers, for which this container waits before its SIGTERM. */
  readonly turn?: Promise<unknown> | undefined
  /** The message of the Event. */
  readonly why?: string
}

/** Runs the preStop hook, waits for the container's turn, sends SIGTERM, then SIGKILL. Resolves when the end is recorded. */
export async function stopContainer(
  context: PodContext,
  record: ContainerRecord,
  { graceSeconds, turn, why = `Stopping container ${record.spec.name}` }: Stop,
): Promise<void> {
  const { clock, runtime, events } = context
  const deadline = clock.now() + graceSeconds * 1000
  const left = () => Math.max(0, deadline - clock.now())
  events.record('Normal', 'Killing', why, fieldOf(record))
  const { preStop } = record.spec.lifecycle ?? {}
  if (preStop) await runPreStop(context, record, preStop, left())
  if (turn && left() > 0) await untilEither(context, turn, left())
  await runtime.stop(idOf(context.pod(), record), Math.max(shortestStopMs, left()))
  await record.ended
}

async function untilEither({ clock }: PodContext, turn: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController()
  const timeUp = clock.sleep(ms, over.signal).catch(() => undefined)
  await Promise.race([turn, timeUp])
  over.abort()
}
