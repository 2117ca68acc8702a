// The decision: what to do about one set, now. Pure, synchronous, cannot fail; the same world gives the same bytes.
import type { Instant } from '@dayfly/kit/clock'
import type { Action, Decision, Mark, SetAction } from '../model/action.ts'
import type { JournalEvent } from '../model/event.ts'
import type { Limits } from '../model/limits.ts'
import type { Condition, SetStatus } from '../model/status.ts'
import type { SetWorld } from '../model/world.ts'
import { capacityDue, capacityOf } from './capacity.ts'
import { earliest } from './earliest.ts'
import { decideLife } from './life.ts'
import type { Moment } from './moment.ts'
import { isPaused } from './paused.ts'
import { limited, statusChangesAt, statusOf } from './report.ts'
import { decideReruns } from './rerun/decide-reruns.ts'
import { hasUnstored } from './rerun/kept.ts'
import { decideScale } from './scale.ts'
import { waitsFor } from './starts.ts'
import { checkAgainAt } from './template.ts'

/** Returns what one set needs now.
 *  @param ids fresh random parts of names, `startsPerTick` of them. The runners that start use the first ones. */
export function decide(world: SetWorld, limits: Limits, now: Instant, ids: readonly string[]): Decision {
  const moment = { world, limits, now }
  const lives = decideLives(moment)
  const scale = decideScale(moment, lives.leaving, ids)
  const removals = decideRemovals(moment)
  const template = decideTemplate(moment)
  const asks = lives.asks || removals.asks || world.registrationsDoubtful || world.registrationsAt === undefined
  const list = decideList(moment, asks)
  const reruns = decideReruns(moment)
  const capacity = capacityOf(moment)
  const report = decideReport({ ...moment, world: { ...world, capacity } })
  return {
    actions: [
      ...lives.actions,
      ...removals.actions,
      ...[template, list, report, reruns, scale].flatMap((step) => step.actions),
    ],
    held: scale.held,
    scaledBy: scale.scaledBy,
    capacity,
    unassigned: world.unassigned,
    due: lives.due,
    marks: lives.marks,
    wakeAt: earliest([
      ...[scale, template, removals, list, report, reruns].map((step) => step.wakeAt),
      capacityDue(capacity, moment),
      world.minimum.until,
      world.usual?.until,
    ]),
    events: [
      ...lives.events,
      ...limitEvents(moment, report),
      ...versionEvents(moment, report),
      ...assignmentEvents(moment, report),
    ],
  }
}

type Part = { readonly actions: readonly Action[]; readonly wakeAt?: Instant | undefined }

const nothing: Part = { actions: [] }

function decideLives(moment: Moment) {
  const actions: Action[] = []
  const due: { runner: string; at: Instant }[] = []
  const events: JournalEvent[] = []
  const marks: Mark[] = []
  const leaving = new Set<string>()
  let asks = false
  let ghostChosen = false
  for (const runner of moment.world.attention) {
    const step = decideLife(moment, runner)
    const { action } = step
    const because = action && 'because' in action ? action.because.kind : undefined
    // One ghost at a time: a wrong list must not end a whole set.
    if (because === 'ghost' && ghostChosen) {
      due.push({ runner: runner.name, at: moment.now + moment.limits.listRegistrationsMs })
      continue
    }
    ghostChosen ||= because === 'ghost'
    if (because !== undefined && because !== 'ended' && !runner.ending) leaving.add(runner.name)
    if (action) actions.push(action)
    if (step.due !== undefined) due.push({ runner: runner.name, at: step.due })
    if (step.mark) marks.push(step.mark)
    if (step.events) events.push(...step.events)
    if (step.asksRegistrations) asks = true
  }
  return { actions, due, events, marks, leaving, asks }
}

/** A template is checked before the first runner, when it changes, and again when a refusal may be over. */
function decideTemplate(moment: Moment): Part {
  const { world, limits } = moment
  const { template, templateHash } = world
  if (template?.hash !== templateHash) return once(moment, { kind: 'check-template', hash: templateHash })
  if (template.is === 'accepted') return nothing
  const again = checkAgainAt(template, world.freedAt, limits)
  return moment.now < again
    ? { actions: [], wakeAt: again }
    : once(moment, { kind: 'check-template', hash: templateHash })
}

/** A list says nothing while the pods are unknown. The forge is not asked while it fails: its own link finds out when it works again. */
function decideList(moment: Moment, asks: boolean): Part {
  const { counts, demand, forgeFailure, set } = moment.world
  const lookAt = lastLookAt(moment)
  if (!asks && (lookAt === undefined || moment.now < lookAt)) return { actions: [], wakeAt: lookAt }
  const isConnected = !forgeFailure && (demand.known || isPaused(set))
  return counts.known && isConnected ? once(moment, { kind: 'list-registrations' }) : nothing
}

/** A forge may have shown too old a list when a runner left. Some time after the last one, a set without runners looks once more at what is left. */
function lastLookAt({ world, limits }: Moment): Instant | undefined {
  if (world.leftAt === undefined) return undefined
  const lookAt = world.leftAt + limits.lastLookMs
  return world.registrationsAt !== undefined && world.registrationsAt >= lookAt ? undefined : lookAt
}

/** Without a true list of pods a registration may belong to a living runner: nothing is removed. */
function decideRemovals({ world, limits, now }: Moment): Part & { readonly asks: boolean } {
  const actions: Action[] = []
  let wakeAt: Instant | undefined
  const listAt = (world.registrationsAt ?? 0) + limits.listRegistrationsMs
  let asks = false
  if (!world.counts.known) return { actions, asks }
  for (const { registration, dueAt, early, busy, underway } of world.pendingRemovals) {
    if (underway) continue
    if (now < dueAt) {
      wakeAt = Math.min(wakeAt ?? dueAt, busy && now < listAt ? Math.min(dueAt, listAt) : dueAt)
      if (busy && now >= listAt) asks = true
    } else if (early) asks = true
    else actions.push({ kind: 'drop-registration', registration })
  }
  return { actions, asks, wakeAt }
}

/** Returns the status of a set if it differs from the one written last. */
export function unreported(moment: Moment): SetStatus | undefined {
  const status = statusOf(moment)
  const written = moment.world.reported?.status
  return written && showSame(written, status) ? undefined : status
}

/** A status that differs is written, at most once in `reportEveryMs`. */
function decideReport(moment: Moment): Part {
  const { world, limits, now } = moment
  const status = unreported(moment)
  if (!status) return { actions: [], wakeAt: statusChangesAt(moment) }
  const isUrgent = hasUnstored(status.rerun, world)
  const allowedAt = world.reported && !isUrgent ? world.reported.at + limits.reportEveryMs : now
  return now < allowedAt ? { actions: [], wakeAt: allowedAt } : once(moment, { kind: 'report', status })
}

/** The jobs, and those that no set can have, change only as a whole. */
function showSame(written: SetStatus, status: SetStatus): boolean {
  return (Object.keys(status) as (keyof SetStatus)[]).every((field) => {
    if (field === 'runnerVersion') return isSameOrNull(written[field], status[field])
    if (field !== 'conditions' && field !== 'problems') return written[field] === status[field]
    return areSame<object>(written[field], status[field])
  })
}

function isSameOrNull<T extends object>(one: T | null, other: T | null): boolean {
  return one === other || (one !== null && other !== null && isSame(one, other))
}

function areSame<T extends object>(list: readonly T[], other: readonly T[]): boolean {
  return list.length === other.length && list.every((one, at) => isSame(one, other[at]))
}

function isSame<T extends object>(one: T, other: T | undefined): boolean {
  return (Object.keys(one) as (keyof T)[]).every((field) => one[field] === other?.[field])
}

/** The limit of the forge is journaled when its report begins. */
function limitEvents(moment: Moment, { actions: [report] }: Part): readonly JournalEvent[] {
  if (report?.kind !== 'report') return []
  const { set, conditions } = moment.world
  const isLimited = (of: readonly Condition[]) => of.some(({ type, reason }) => type === 'Ready' && reason === limited)
  const why = waitsFor(moment)
  if (why?.is !== 'forge-limit' || why.until === undefined) return []
  if (!isLimited(report.status.conditions) || isLimited(conditions)) return []
  return [{ kind: 'registrations-limited', namespace: set.namespace, set: set.name, until: why.until }]
}

/** A problem of how the forge gives jobs to runners is journaled when its report begins. */
function assignmentEvents({ world }: Moment, { actions: [report] }: Part): readonly JournalEvent[] {
  const { set, reported } = world
  const found = (status: SetStatus | undefined) => status?.problems.find(({ kind }) => kind === 'assignment')
  const problem = report?.kind === 'report' ? found(report.status) : undefined
  if (!problem || found(reported?.status)?.reason === problem.reason) return []
  const failure = { reason: problem.reason, message: problem.detail }
  return [{ kind: 'forge-failed', namespace: set.namespace, set: set.name, failure }]
}

/** Each step to the end of the runner's version is journaled when its report begins. */
function versionEvents({ world: { set, conditions } }: Moment, { actions: [report] }: Part): readonly JournalEvent[] {
  if (report?.kind !== 'report') return []
  const reasonIn = (of: readonly Condition[]) => of.find(({ type }) => type === 'RunnerVersionSupported')?.reason
  const problem = report.status.problems.find(({ kind }) => kind === 'version')
  if (!problem || reasonIn(report.status.conditions) === reasonIn(conditions)) return []
  const failure = { reason: problem.reason, message: problem.detail }
  return [{ kind: 'runner-version-ends', namespace: set.namespace, set: set.name, failure }]
}

/** An action of the set itself: one of a kind at a time, and not before its back-off is over. */
function once({ world, now }: Moment, action: SetAction): Part {
  if (world.underway[action.kind]) return nothing
  const retry = world.retries[action.kind]
  return retry && now < retry.retryAt ? { actions: [], wakeAt: retry.retryAt } : { actions: [action] }
}
