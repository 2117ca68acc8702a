// The calls about broken jobs that are due now.
import type { Instant } from '@dayfly/kit/clock'
import type { Action } from '../../model/action.ts'
import type { Ask, AskKey, BrokenRun } from '../../model/rerun.ts'
import { earliest } from '../earliest.ts'
import type { Moment } from '../moment.ts'
import { isPaused } from '../paused.ts'

/** Number of such calls that one set has under way. */
const atOnce = 16

export type RerunsDecision = { readonly actions: readonly Action[]; readonly wakeAt: Instant | undefined }

export function decideReruns(moment: Moment): RerunsDecision {
  const { set, reruns, forgeFailure, demand } = moment.world
  const isConnected = !forgeFailure && (demand.known || isPaused(set))
  if (!set.source.rerun || !isConnected || reruns.runs.length === 0) return { actions: [], wakeAt: undefined }
  const idle = reruns.runs.filter(({ underway }) => !underway)
  const busy = reruns.runs.length - idle.length
  const asks = due(moment, idle.filter(isUndecided), ['look-run', 'change-run'], busy)
  const asked = new Set(asks.now)
  const noted = idle.filter((run) => !asked.has(run)).filter(hasNote)
  const notifies = due(
    moment,
    noted.map((run) => ({ ...run, dueAt: 0 })),
    ['notify-author'],
    busy + asked.size,
  )
  return {
    actions: [...asks.now.map((run) => ask(run, run.next)), ...notifies.now.flatMap((run) => notify(run))],
    wakeAt: earliest([asks.wakeAt, notifies.wakeAt]),
  }
}

/** After a failure, one call at a time tries, the one that has waited longest. */
function due({ world, now }: Moment, runs: readonly BrokenRun[], keys: readonly AskKey[], busy: number) {
  const retries = keys.flatMap((key) => world.retries[key] ?? [])
  const openAt = Math.max(0, ...retries.map(({ retryAt }) => retryAt))
  const inOrder = runs.toSorted((one, other) => one.dueAt - other.dueAt)
  const timed = inOrder.map((run) => ({ run, at: Math.max(run.dueAt, openAt) }))
  const most = Math.max(0, (retries.length > 0 ? 1 : atOnce) - busy)
  const open = timed.filter(({ at }) => at <= now).map(({ run }) => run)
  return { now: open.slice(0, most), wakeAt: earliest(timed.filter(({ at }) => at > now).map(({ at }) => at)) }
}

function isUndecided({ jobs }: BrokenRun): boolean {
  return jobs.some(({ note }) => note === undefined)
}

function hasNote({ jobs }: BrokenRun): boolean {
  return jobs.some(({ note }) => note !== undefined)
}

function notify(run: BrokenRun): readonly Action[] {
  const note = run.jobs.find((job) => job.note)?.note
  return note ? [ask(run, { is: 'notify', note })] : []
}

function ask({ repository, run }: BrokenRun, ask: Ask): Action {
  return { kind: 'ask-run', repository, run, ask }
}
