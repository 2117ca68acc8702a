// Carries out a confirmed plan, step by step. A refused step also skips the steps that depend on it.
// A failure that later steps would meet as well stops the run.
import type { Instant } from '@dayfly/kit/clock'
import { awaitGone } from './await-gone.ts'
import type { Plan } from './plan.ts'
import { describe, type Step, type Target } from './step.ts'
import { type Result, type StepOptions, type Trace, takeStep } from './take-step.ts'

export type RepairOptions = StepOptions & {
  /** The digest that the operator confirmed. */
  readonly confirmed: string
  readonly log: (entry: RepairEntry) => Promise<void> | void
}

/**
 * One line of the action log. `unknown`: the request was sent, and its result could not be read.
 * `begun`: the request was accepted, and the object still exists. A second line of the step follows when it is gone.
 */
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
  /** The last entry of each step. */
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
    // A later step that relies on the end of this object waits for it with its own guard.
    if (result.outcome === 'done' || result.outcome === 'begun') done.add(step.id)
    const outcome = isLeftToLaterSteps(plan, step, result) ? 'done' : result.outcome
    const entry = entryOf(step, { ...trace, outcome, why: result.why }, run)
    await options.log(entry)
    entries.push(entry)
  }
  if (stopped !== undefined && !options.signal?.aborted) return { entries, refused: undefined, stopped }
  return { entries: await finish(plan, entries, options), refused: undefined, stopped }
}

/** Whether a finalizer was removed and later steps remove the next one of the same object. */
function isLeftToLaterSteps({ steps }: Plan, { id, action }: Step, { outcome }: Result): boolean {
  if (outcome !== 'begun' || action.do !== 'remove-finalizer') return false
  const { uid } = action.target
  return steps.some((later) => later.id > id && later.action.do !== 'deregister' && later.action.target.uid === uid)
}

/** Waits for the objects that must still disappear, and logs how each of their steps ended. */
async function finish(
  { steps }: Plan,
  entries: readonly RepairEntry[],
  options: RepairOptions,
): Promise<readonly RepairEntry[]> {
  const last = [...entries]
  const targets = new Map<string, Target>()
  for (const { outcome, step } of entries) {
    const action = steps[step - 1]?.action
    if (outcome === 'begun' && action && action.do !== 'deregister') targets.set(action.target.uid, action.target)
  }
  await awaitGone([...targets.values()], options, async ({ uid }, holds) => {
    for (const [index, entry] of last.entries()) {
      if (entry.outcome !== 'begun' || entry.uid !== uid) continue
      const end = { outcome: holds === undefined ? 'done' : 'begun', why: holds ?? 'it is gone' } as const
      const changed: RepairEntry = { ...entry, ...end, at: options.clock.now() }
      last[index] = changed
      await options.log(changed)
    }
  })
  return last
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
