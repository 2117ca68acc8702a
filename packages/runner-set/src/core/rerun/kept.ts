// The pod of a broken job is the only other record of it: it stays until the status has the job, so that the end of this process loses none.
import type { Instant } from '@dayfly/kit/clock'
import type { RerunStatus } from '../../model/rerun.ts'
import type { SetWorld } from '../../model/world.ts'
import type { Moment } from '../moment.ts'

/** A pod is kept no longer than this for its job, also if no status can be written, in milliseconds. */
const holdMs = 60_000
const lookMs = 500

/** Returns when to look again at an ended runner whose job is not kept yet; undefined if its pod may go. */
export function waitsForStatusUntil({ world, limits, now }: Moment, runner: string): Instant | undefined {
  const { runs, unnamed } = world.reruns
  const nameless = unnamed.find((one) => one.runner === runner)
  const named = runs.flatMap(({ jobs }) => jobs).find((one) => one.runner === runner)
  // The event with the name of its job may still come.
  const until = nameless ? nameless.endedAt + limits.lateEventMs : (named?.endedAt ?? 0) + holdMs
  const isOver = (!nameless && !named) || now >= until || isStored(world.reported?.status?.rerun, runner)
  return isOver ? undefined : Math.min(until, now + lookMs)
}

/** Returns whether a broken job is in the status to write, and not in the one that was written last. */
export function hasUnstored(next: RerunStatus | null, { reported }: SetWorld): boolean {
  return (next?.pending ?? []).some(({ runner }) => !isStored(reported?.status?.rerun, runner))
}

function isStored(status: RerunStatus | null | undefined, runner: string): boolean {
  return status?.pending.some((one) => one.runner === runner) === true
}
