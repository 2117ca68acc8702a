// The decision: what to do about one set, now. Pure, synchronous, cannot fail; the same world gives the same bytes.

import type { Instant } from '../lib/clock.ts'
import { hashValue } from '../lib/hash.ts'
import type { Action, Decision } from '../model/action.ts'
import type { JournalEvent } from '../model/event.ts'
import type { Limits } from '../model/limits.ts'
import type { SetWorld } from '../model/world.ts'
import { decideLife } from './life.ts'
import { statusOf } from './report.ts'
import { decideScale } from './scale.ts'

export function decide(world: SetWorld, limits: Limits, now: Instant): Decision {
  const lives = decideLives(world, limits, now)
  const scale = decideScale(world, limits, now)
  const template = decideTemplate(world, now)
  const debts = decideDebts(world, now)
  const report = decideReport(world, limits, now)
  const asks = lives.asksRegistrations || world.registrationsDoubtful || world.registrationsAt === undefined
  const ask: readonly Action[] =
    asks && world.forgeFailure === undefined && world.demand.known && !world.underway.askRegistrations
      ? [{ kind: 'ask-registrations' }]
      : []
  return {
    actions: [...lives.actions, ...debts.actions, ...template.actions, ...ask, ...scale.actions, ...report.actions],
    due: lives.due,
    wakeAt: earliest([scale.wakeAt, template.wakeAt, debts.wakeAt, report.wakeAt]),
    events: lives.events,
  }
}

type Step = { readonly actions: readonly Action[]; readonly wakeAt?: Instant | undefined }

function decideLives(world: SetWorld, limits: Limits, now: Instant) {
  const actions: Action[] = []
  const due: { runner: string; at: Instant }[] = []
  const events: JournalEvent[] = []
  let asksRegistrations = false
  let ghostChosen = false
  for (const runner of world.attention) {
    const step = decideLife({ world, limits, now }, runner)
    const ghost = step.action?.kind === 'end-runner' && step.action.because.kind === 'ghost'
    if (ghost && ghostChosen) {
      due.push({ runner: runner.name, at: now + limits.registrationsEveryMs })
      continue
    }
    ghostChosen ||= ghost
    if (step.action) actions.push(step.action)
    if (step.due !== undefined) due.push({ runner: runner.name, at: step.due })
    if (step.events) events.push(...step.events)
    asksRegistrations ||= step.asksRegistrations ?? false
  }
  return { actions, due, events, asksRegistrations }
}

/** A template is checked before the first runner, when it changes, and again when a passing refusal may be over. */
function decideTemplate(world: SetWorld, now: Instant): Step {
  if (world.underway.checkTemplate) return { actions: [] }
  const { template, templateHash } = world
  if (!template.known || template.value.hash !== templateHash) return check(templateHash)
  if (template.value.is === 'accepted' || template.value.failure.reason.startsWith('template-')) return { actions: [] }
  const again = template.value.at + 30_000
  return now >= again ? check(templateHash) : { actions: [], wakeAt: again }
}

function check(hash: string): Step {
  return { actions: [{ kind: 'check-template', hash }] }
}

function decideDebts(world: SetWorld, now: Instant): Step {
  const actions: Action[] = []
  const later: Instant[] = []
  for (const { registration, dueAt } of world.debts) {
    if (dueAt <= now) actions.push({ kind: 'drop-registration', registration })
    else later.push(dueAt)
  }
  return { actions, wakeAt: earliest(later) }
}

/** The status is written when it differs from what was written last, at most once in `reportEveryMs`. */
function decideReport(world: SetWorld, limits: Limits, now: Instant): Step {
  if (world.underway.report) return { actions: [] }
  const status = statusOf(world, limits, now)
  if (world.reported?.status && hashValue(world.reported.status, 16) === hashValue(status, 16)) return { actions: [] }
  const allowedAt = (world.reported?.at ?? 0) + limits.reportEveryMs
  return now >= allowedAt ? { actions: [{ kind: 'report', status }] } : { actions: [], wakeAt: allowedAt }
}

function earliest(instants: readonly (Instant | undefined)[]): Instant | undefined {
  let first: Instant | undefined
  for (const instant of instants) {
    if (instant !== undefined && (first === undefined || instant < first)) first = instant
  }
  return first
}
