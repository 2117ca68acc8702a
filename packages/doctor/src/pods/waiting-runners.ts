// Finds runners that have run for a long time without a known job. Their log, or the forge, may show that no job can come.
import type { Instant } from '@dayfly/kit/clock'
import { listAt, textAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import { hasJob } from '../arc/arc.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { PodView } from '../pod-view.ts'
import { ownerOf, uidOf } from '../read/objects/metadata.ts'

export type WaitingRunner = {
  readonly pod: PodView
  /** The name of the runner's container. */
  readonly container: string
  /** The EphemeralRunner of the pod. */
  readonly runner: ObjectFact | undefined
  readonly startedAt: Instant
}

/** Milliseconds that a runner may take to connect. */
const patience = 600_000
/** Milliseconds between an EphemeralRunner and its pod. A later pod is a second one, whose registration is already used. */
const remade = 300_000

/** Returns the longest-waiting runners first. */
export function waitingRunners(
  { objects, pods }: Pick<Facts, 'objects' | 'pods'>,
  at: Instant,
): readonly WaitingRunner[] {
  const runners = new Map(
    objects.flatMap((fact) => (fact.object.kind === 'EphemeralRunner' ? [[uidOf(fact.raw), fact] as const] : [])),
  )
  return pods
    .flatMap((pod) => {
      const startedAt = pod.object.kind === 'Pod' && pod.isRunner ? runningSince(pod) : undefined
      if (startedAt === undefined || at - startedAt < patience || pod.runner === undefined) return []
      const owner = ownerOf(pod.raw, 'EphemeralRunner')
      const runner = owner && runners.get(owner.uid)
      if (runner && hasJob(runner) && !isRemade(pod, runner)) return []
      return [{ pod, container: pod.runner, runner, startedAt }]
    })
    .sort((one, other) => one.startedAt - other.startedAt)
}

/** Returns undefined unless the runner's container runs and the pod is not being deleted. */
function runningSince({ raw, runner }: PodView): Instant | undefined {
  if (valueAt(raw, 'metadata', 'deletionTimestamp') !== undefined) return undefined
  const status = listAt(raw, 'status', 'containerStatuses').find((one) => textAt(one, 'name') === runner)
  return timeAt(status, 'state', 'running', 'startedAt')
}

/** Whether the pod is a second one. The job in ARC's status then belonged to the first pod. */
function isRemade(pod: PodView, runner: ObjectFact): boolean {
  const made = timeAt(pod.raw, 'metadata', 'creationTimestamp')
  const asked = timeAt(runner.raw, 'metadata', 'creationTimestamp')
  return made !== undefined && asked !== undefined && made - asked > remade
}
