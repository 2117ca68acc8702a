// The problems of a set now, the most urgent first. The conditions, the last reason and the operators' commands show them.
import { timestamp } from '@dayfly/kit/timestamp'
import { type Failure, failureInfo } from '../model/failure.ts'
import type { SetProblem } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'
import { quotaRooms, roomText } from './quota-room.ts'

export type Judged = {
  /** Failed starts in a row that still count. */
  readonly failures: number
  /** Idle runners leave by themselves. */
  readonly left: Failure | undefined
  /** The forge ends the version of the runner. */
  readonly version: Failure | undefined
  /** The forge gives no jobs to the runners, or reports them late. */
  readonly assignment: Failure | undefined
  /** A quota allows fewer pods than the set needs. */
  readonly full: Failure | undefined
}

export function problemsOf(
  world: SetWorld,
  { failures, left, version, assignment, full }: Judged,
): readonly SetProblem[] {
  const { template, templateHash, forgeFailure, history, settingsFailure, stuck, delays } = world
  const problems: SetProblem[] = []
  const add = (kind: SetProblem['kind'], { reason, message }: Failure, count = '') =>
    problems.push({ kind, reason, detail: `${count}${message}` })
  if (template?.is === 'refused' && template.hash === templateHash) add('template', template.failure)
  if (forgeFailure) add('forge', forgeFailure)
  if (history.blocked) add('blocked', history.blocked)
  if (settingsFailure) add('settings', settingsFailure)
  if (version && !failureInfo(version.reason).ahead) add('version', version)
  if (stuck) add('stuck', stuck.oldest, `${counted(stuck.count, 'pod')} no longer counted against max. `)
  if (assignment) add('assignment', assignment)
  const { 'look-run': look, 'change-run': change, 'notify-author': notify } = world.reruns.refused
  const refused = look ?? change ?? notify
  if (refused?.reason === 'rerun-refused') add('rerun', refused)
  if (full) add('delayed', full)
  if (delays) {
    const since = timestamp(delays.oldest.since)
    add('delayed', delays.oldest, `${counted(delays.count, 'runner')} held up, the first since ${since}. `)
  }
  if (left) add('failing', left)
  else if (history.last && failures > 0) add('failing', history.last, `${failures} in a row. `)
  if (version && failureInfo(version.reason).ahead) add('version', version)
  return problems
}

/** Returns the quota that allows fewer pods than the set needs. A lower announcement keeps jobs away, but not those that were taken before, nor `min`. */
export function fullQuota(world: SetWorld): Failure | undefined {
  if (!world.need || !world.counts.known) return undefined
  const [least] = quotaRooms(world, world.counts.value).toSorted((left, right) => left.pods - right.pods)
  if (!least || world.need.wanted <= least.pods) return undefined
  return { reason: 'quota-exceeded', message: `${roomText(least)}, and the set needs ${world.need.wanted}` }
}

function counted(number: number, noun: string): string {
  return number === 1 ? `1 ${noun} is` : `${number} ${noun}s are`
}
