// How containers are stopped: the order and the grace of Kubernetes (kuberuntime_termination_order.go).
import { fieldOf, type PodContext } from './context.ts'
import { runPreStop } from './hooks.ts'
import type { Pod } from './pod.ts'
import { type ContainerRecord, idOf } from './record.ts'

/** However short the grace, a container gets this long between SIGTERM and SIGKILL. */
const shortestStopMs = 2_000

const defaultGraceSeconds = 30

/** The grace of the pod's deletion where there is one, else the pod's own; at least one second. */
export function graceSecondsOf({ metadata, spec }: Pod): number {
  return Math.max(1, metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? defaultGraceSeconds)
}

/** Stops every running container: regular ones at once, sidecars after them, one after the other from the last to the first. All share one grace; what still waits when it is spent is stopped then. */
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
  /** What the container waits for before its SIGTERM. */
  readonly turn?: Promise<unknown> | undefined
  /** An event says already why it is stopped. */
  readonly isTold?: boolean
}

/** Hook, its turn, SIGTERM, SIGKILL. Resolves when the container's end is noted. */
export async function stopContainer(
  context: PodContext,
  record: ContainerRecord,
  { graceSeconds, turn, isTold = false }: Stop,
): Promise<void> {
  const { clock, runtime, events } = context
  const deadline = clock.now() + graceSeconds * 1000
  const left = () => Math.max(0, deadline - clock.now())
  if (!isTold) events.record('Normal', 'Killing', `Stopping container ${record.spec.name}`, fieldOf(record))
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
