// Carries out a confirmed plan, step by step. A refused step also skips the steps that depend on it.
// A failure that later steps would meet as well stops the run.
import type { Instant } from '../../lib/clock.ts'
import type { Plan } from './plan.ts'
import { describe, type Step } from './step.ts'
import { type Result, type StepOptions, type Trace, takeStep } from './take-step.ts'

export type RepairOptions = StepOptions & {
  /** The digest that the operator confirmed. */
  readonly confirmed: string
  readonly log: (entry: RepairEntry) => Promise<void> | void
}

/** One line of the action log. `unknown`: the request was sent, and its result could not be read. */
export type RepairEntry = Trace & {
  readonly at: Instant
  readonly plan: string
  readonly step: number
  readonly rule: string
  readonly action: string
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly outcome: Result['outcome']
  readonly why: string
}

export type RepairOutcome = {
  readonly entries: readonly RepairEntry[]
  /** Why no step was started. */
  readonly refused: string | undefined
  /** Why the remaining steps were not started. */
  readonly stopped: string | undefined
}

/** The signal stops the run between two steps. A write that has begun is finished and verified. */
export async function repair(plan: Plan, options: RepairOptions): Promise<RepairOutcome> {
  const refused = refusalOf(plan, options.confirmed)
  if (refused !== undefined) return { entries: [], refused, stopped: undefined }
  const run = { options, plan: plan.digest, versions: new Map<string, string>() }
  const done = new Set<number>()
  const entries: RepairEntry[] = []
  let stopped: string | undefined
  for (const step of plan.steps) {
    const before = step.after.find((id) => !done.has(id))
    const trace: Trace = {}
    const result: Result =
      stopped !== undefined
        ? { outcome: 'skipped', why: stopped }
        : before !== undefined
          ? { outcome: 'skipped', why: `step ${before} was not done` }
          : await takeStep(run, step, trace)
    stopped ??= result.stop
    if (result.outcome === 'done') done.add(step.id)
    const entry = entryOf(step, { ...trace, outcome: result.outcome, why: result.why }, run)
    await options.log(entry)
    entries.push(entry)
  }
  return { entries, refused: undefined, stopped }
}

/** Returns why the plan must not start; undefined if it may. `confirmed`: a digest. */
export function refusalOf({ blocked, digest }: Plan, confirmed: string): string | undefined {
  if (blocked !== undefined) return blocked
  if (digest === confirmed) return undefined
  return `the plan is no longer the one that was confirmed (${confirmed})`
}

function entryOf(
  { id, rule, action }: Step,
  what: Trace & Pick<RepairEntry, 'outcome' | 'why'>,
  { plan, options }: { readonly plan: string; readonly options: RepairOptions },
): RepairEntry {
  const target = action.do === 'deregister' ? undefined : action.target
  const { uid, resourceVersion } = target ?? {}
  return {
    at: options.clock.now(),
    plan,
    step: id,
    rule,
    action: describe(action),
    uid,
    resourceVersion,
    ...what,
  }
}
