// Carries out a confirmed plan, step by step: look again, dry run, before-image, act with preconditions, verify. Whatever does not fit ends that step and all that need it, never the care.
import type { ForgeAccount } from '../../forge/account.ts'
import { KubernetesError } from '../../kubernetes/errors.ts'
import type { KubeObject } from '../../kubernetes/types.ts'
import type { Clock, Instant } from '../../lib/clock.ts'
import { PortError } from '../../model/port-error.ts'
import { checkGuard } from './guard.ts'
import { findSame, type Place, perform } from './perform.ts'
import type { Plan } from './plan.ts'
import { describe, type Step, type Target } from './step.ts'

export type RepairOptions = Place & {
  readonly clock: Clock
  /** The forge's removal must refuse busy runners; without it no registration is touched. */
  readonly account: ForgeAccount | undefined
  /** The digest that was confirmed. */
  readonly confirmed: string
  /** Keeps the object as it was, before anything is done to it; a rejection ends the step. Its secret parts are already taken out. */
  readonly keepImage: (step: Step, image: KubeObject) => Promise<void>
  readonly log: (entry: RepairEntry) => void
}

/** One line of the action log. */
export type RepairEntry = {
  readonly at: Instant
  readonly plan: string
  readonly step: number
  readonly rule: string
  readonly action: string
  readonly outcome: 'done' | 'aborted' | 'skipped'
  readonly why: string
}

export type RepairOutcome = { readonly entries: readonly RepairEntry[]; readonly refused: string | undefined }

/** Rejects only with the signal's reason. */
export async function repair(plan: Plan, options: RepairOptions): Promise<RepairOutcome> {
  if (plan.blocked !== undefined) return { entries: [], refused: plan.blocked }
  if (plan.digest !== options.confirmed)
    return {
      entries: [],
      refused: `the plan is no longer the one that was confirmed (${options.confirmed}): look at it again`,
    }
  const run: Run = { options, versions: new Map(), done: new Set() }
  const entries: RepairEntry[] = []
  for (const step of plan.steps) {
    options.signal?.throwIfAborted()
    const result = await carryOut(run, step)
    if (result.outcome === 'done') run.done.add(step.id)
    const { id, rule, action } = step
    const entry = { at: options.clock.now(), plan: plan.digest, step: id, rule, action: describe(action), ...result }
    options.log(entry)
    entries.push(entry)
  }
  return { entries, refused: undefined }
}

type Run = {
  readonly options: RepairOptions
  /** By uid: the version that our own last write left. */
  readonly versions: Map<string, string>
  readonly done: Set<number>
}

type Result = Pick<RepairEntry, 'outcome' | 'why'>

async function carryOut(run: Run, step: Step): Promise<Result> {
  const before = step.after.find((id) => !run.done.has(id))
  if (before !== undefined) return { outcome: 'skipped', why: `step ${before} was not done` }
  try {
    for (const guard of step.guards) {
      const objection = await checkGuard(guard, run.options)
      if (objection !== undefined) return { outcome: 'aborted', why: objection }
    }
    const { action } = step
    if (action.do !== 'deregister') return await change(run, step, action.target)
    if (!run.options.account) return { outcome: 'aborted', why: 'the forge cannot be asked' }
    const answer = await run.options.account.deregister(action.registration.id)
    return answer === 'busy'
      ? { outcome: 'aborted', why: 'the forge says that it is busy' }
      : { outcome: 'done', why: answer === 'absent' ? 'the forge no longer had it' : 'the forge removed it' }
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof PortError)) throw error
    return { outcome: 'aborted', why: sentenceOf(error) }
  }
}

/** One write on one object, at the version of the plan or of our own last write. */
async function change(run: Run, step: Step, planned: Target): Promise<Result> {
  const { kubernetes, signal } = run.options
  const target = { ...planned, resourceVersion: run.versions.get(planned.uid) ?? planned.resourceVersion }
  const { action } = step
  if (action.do === 'deregister') return { outcome: 'aborted', why: 'not an action on an object' }
  const image = await kubernetes.get(target.resource, nameOf(target), { signal })
  const objection = differs(image, target)
  if (objection !== undefined) return { outcome: 'aborted', why: objection }
  await perform(kubernetes, { action, target, image, dryRun: true, signal })
  await run.options.keepImage(step, withoutSecrets(image))
  await perform(kubernetes, { action, target, image, dryRun: false, signal })
  return await verify(run, step, target)
}

function differs({ metadata }: KubeObject, target: Target): string | undefined {
  if (metadata.uid !== target.uid) return 'another object has its name now'
  return metadata.resourceVersion === target.resourceVersion ? undefined : 'it has changed since the plan was made'
}

/** Reads what became of it; what only awaits its end counts as done. */
async function verify(run: Run, { action }: Step, target: Target): Promise<Result> {
  const now = await findSame(run.options, target)
  if (!now) return { outcome: 'done', why: 'it is gone' }
  const { metadata } = now
  if (metadata.resourceVersion !== undefined) run.versions.set(target.uid, metadata.resourceVersion)
  if (action.do === 'remove-finalizer')
    return metadata.finalizers?.includes(action.finalizer)
      ? { outcome: 'aborted', why: 'the finalizer came back: something still sets it' }
      : { outcome: 'done', why: 'the finalizer is removed' }
  return metadata.deletionTimestamp === undefined
    ? { outcome: 'aborted', why: 'the API server did not delete it' }
    : { outcome: 'done', why: 'it is being deleted' }
}

function nameOf({ namespace, name }: Target) {
  return namespace === undefined ? { name } : { namespace, name }
}

function sentenceOf(error: KubernetesError | PortError): string {
  if (error.kind === 'conflict') return `it has changed since the plan was made: ${error.message}`
  if (error.kind === 'forbidden') return `not allowed: ${error.message}`
  return error.message
}

/** Of a Secret only the metadata is kept: it can be made again from where it came from. */
function withoutSecrets(image: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = image
  return kind === 'Secret' ? { apiVersion, kind, metadata } : image
}
