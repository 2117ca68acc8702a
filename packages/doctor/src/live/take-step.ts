// Takes one step: check, dry run, save the previous state, check for a busy runner, write with preconditions, verify, record.
// An interruption is possible until the write, and not after it.
import type { Clock } from '@dayfly/kit/clock'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { checkGuard } from './guard.ts'
import { find, findSame, type Place, perform } from './perform.ts'
import { recordEvent } from './record-event.ts'
import { redact } from './redact.ts'
import type { Action, Guard, Step, Target } from './step.ts'
import { unmovedOf } from './unmoved.ts'

export type StepOptions = Place & {
  readonly clock: Clock
  /** Its removal must refuse busy runners. Without an account, no registration is removed. */
  readonly account: ForgeAccount | undefined
  /** Saves the previous state of the object, without secrets. A rejection ends the run before the write. */
  readonly keepImage: (step: Step, image: KubeObject) => Promise<void>
}

export type Run = {
  readonly options: StepOptions
  /** The digest of the plan. */
  readonly plan: string
  /** The version that the doctor's own last write left, by uid. */
  readonly versions: Map<string, string>
}

/** The results of the parts of a step, for the action log. A missing field was not reached. */
export type Trace = {
  /** The conditions that held right before the write, and the preconditions that the API server tested. */
  preconditions?: readonly string[]
  dryRun?: string
  answer?: string
  event?: string
}

/**
 * `begun`: the API server accepted the write, and the object must still disappear.
 * `unknown`: the request was sent, and its result could not be read. `stop`: why no further step may start.
 */
export type Result = {
  readonly outcome: 'done' | 'begun' | 'aborted' | 'unknown' | 'skipped'
  readonly why: string
  readonly stop?: string
}

/** Rejects only for defects of this program. */
export async function takeStep(run: Run, step: Step, trace: Trace): Promise<Result> {
  const { signal } = run.options
  try {
    signal?.throwIfAborted()
    const { action } = step
    if (action.do === 'deregister') return await deregister(run, step, action)
    return await change(run, step, action, trace).catch((error: unknown) => {
      // Its status may have moved between the look and the write. A further move is left to the next run.
      const isMoved = error instanceof KubernetesError && error.kind === 'conflict'
      if (!isMoved || action.target.unmoved === undefined) throw error
      return change(run, step, action, trace)
    })
  } catch (error) {
    if (signal?.aborted) return { outcome: 'skipped', why: 'interrupted before it was done', stop: 'interrupted' }
    if (error instanceof KubernetesError) return refusalOf(error)
    if (error instanceof PortError) return { outcome: 'aborted', why: error.message }
    throw error
  }
}

async function deregister(
  { options }: Run,
  { guards }: Step,
  { registration }: Extract<Action, { do: 'deregister' }>,
): Promise<Result> {
  const objection = await firstObjection(guards, options)
  if (objection !== undefined) return { outcome: 'aborted', why: objection }
  if (!options.account) return { outcome: 'aborted', why: 'the forge cannot be asked' }
  options.signal?.throwIfAborted()
  const answer = await options.account.deregister(registration.id)
  return answer === 'busy'
    ? { outcome: 'aborted', why: 'the forge says that it is busy' }
    : { outcome: 'done', why: answer === 'absent' ? 'the forge no longer had it' : 'the forge removed it' }
}

type Change = Extract<Action, { readonly target: Target }>

/** Makes one write to one object, at the version of the plan or of the doctor's own last write. */
async function change(run: Run, step: Step, action: Change, trace: Trace): Promise<Result> {
  const { options } = run
  const { signal } = options
  const planned = {
    ...action.target,
    resourceVersion: run.versions.get(action.target.uid) ?? action.target.resourceVersion,
  }
  const isBusyGuard = ({ is }: Guard) => is === 'not-busy' || is === 'idle-at-forge'
  const early = await firstObjection(
    step.guards.filter((guard) => !isBusyGuard(guard)),
    options,
  )
  if (early !== undefined) return { outcome: 'aborted', why: early }
  const image = await find(options, planned)
  if (!image) return { outcome: 'done', why: alreadyGone }
  const differs = differenceOf(image, planned)
  if (differs !== undefined) return { outcome: 'aborted', why: differs }
  const target = { ...planned, resourceVersion: image.metadata.resourceVersion ?? planned.resourceVersion }
  const refused = await tryDry(run, { action, target, image }, trace)
  if (refused) return refused
  const unkept = await keep(options, step, image)
  if (unkept) return unkept
  // This check is the last, so that little time passes between it and the write.
  const busy = await firstObjection(step.guards.filter(isBusyGuard), options)
  if (busy !== undefined) return { outcome: 'aborted', why: busy }
  trace.preconditions = [`uid ${target.uid}`, `resourceVersion ${target.resourceVersion}`, ...step.guards.map(sayGuard)]
  signal?.throwIfAborted()
  const result = await act(run, step, { action, target, image }, trace)
  const hasMoved = target.resourceVersion !== planned.resourceVersion
  return hasMoved ? { ...result, why: `${result.why}; only its status had changed since the plan` } : result
}

/** Another program, such as ARC's controller or the garbage collector, was faster. */
const alreadyGone = 'it was already gone'

type Write = { readonly action: Change; readonly target: Target; readonly image: KubeObject }

/** Also shows the reasons for which the API server would refuse the real write. A webhook that allows no dry run is never tried blindly. */
async function tryDry({ options }: Run, write: Write, trace: Trace): Promise<Result | undefined> {
  try {
    await perform(options.kubernetes, { ...write, dryRun: true, signal: options.signal })
    trace.dryRun = 'accepted'
    return undefined
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    trace.dryRun = `refused: ${error.message}`
    if (!/webhook/i.test(error.message)) throw error
    return {
      outcome: 'aborted',
      why: `a webhook refused the dry run, so do this by hand: ${error.message}`,
    }
  }
}

async function keep({ keepImage }: StepOptions, step: Step, image: KubeObject): Promise<Result | undefined> {
  try {
    await keepImage(step, redact(image))
    return undefined
  } catch (error) {
    const why = `its previous state could not be saved: ${error instanceof Error ? error.message : 'unknown cause'}`
    return { outcome: 'aborted', why, stop: why }
  }
}

/** From here on the signal is ignored: a write that has begun is awaited and verified. */
async function act(run: Run, step: Step, write: Write, trace: Trace): Promise<Result> {
  const { kubernetes, clock } = run.options
  let lost: KubernetesError | undefined
  try {
    await perform(kubernetes, { ...write, dryRun: false, signal: undefined })
    trace.answer = 'accepted'
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    trace.answer = `${error.perhapsDone ? 'none' : 'refused'}: ${error.message}`
    if (!error.perhapsDone) throw error
    lost = error
  }
  const result = await verify(run, write, lost)
  if (result.outcome !== 'done' && result.outcome !== 'begun') return result
  const { target, action } = write
  const goesAway = action.do === 'delete' || result.isGone
  trace.event = await recordEvent(kubernetes, { step, target, goesAway, plan: run.plan, at: clock.now() })
  return { outcome: result.outcome, why: result.why }
}

type Verdict = Result & { readonly isGone: boolean }

/** Reads the result of the write. A deleted object that still exists is only `begun`. */
async function verify(run: Run, { action, target }: Write, lost: KubernetesError | undefined): Promise<Verdict> {
  const { kubernetes, inquiry } = run.options
  const unsure = lost && sayLoss(lost)
  const prefix = unsure === undefined ? '' : `${unsure}, but `
  let now: KubeObject | undefined
  try {
    now = await findSame({ kubernetes, inquiry }, target)
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    const why = `${unsure ?? 'the API server accepted it'}, and its result could not be read: ${error.message}`
    return { outcome: 'unknown', why, isGone: false, ...stopOf(error) }
  }
  if (!now) return { outcome: 'done', why: `${prefix}it is gone`, isGone: true }
  const { finalizers = [], deletionTimestamp, resourceVersion } = now.metadata
  if (resourceVersion !== undefined) run.versions.set(target.uid, resourceVersion)
  const isAccepted = action.do === 'delete' ? deletionTimestamp !== undefined : !finalizers.includes(action.finalizer)
  if (isAccepted) {
    const what = action.do === 'delete' ? 'it is being deleted' : 'the finalizer is removed'
    return { outcome: 'begun', why: `${prefix}${what}`, isGone: false }
  }
  if (lost) return { outcome: 'aborted', why: `${unsure}, and it is unchanged: ${lost.message}`, isGone: false }
  const why =
    action.do === 'delete'
      ? 'the API server did not delete it'
      : 'the finalizer came back: another program still sets it'
  return { outcome: 'aborted', why, isGone: false }
}

function sayLoss({ status }: KubernetesError): string {
  return status === 0 ? 'no answer came' : `the API server answered ${status}`
}

function differenceOf(object: KubeObject, target: Target): string | undefined {
  const { metadata } = object
  if (metadata.uid !== target.uid) return 'another object has this name now'
  if (metadata.resourceVersion === target.resourceVersion) return undefined
  const isSame = target.unmoved !== undefined && unmovedOf(target.resource.kind, object) === target.unmoved
  return isSame ? undefined : 'it has changed since the plan was made'
}

async function firstObjection(guards: readonly Guard[], options: StepOptions): Promise<string | undefined> {
  for (const guard of guards) {
    const objection = await checkGuard(guard, options)
    if (objection !== undefined) return objection
  }
  return undefined
}

function sayGuard(guard: Guard): string {
  switch (guard.is) {
    case 'not-busy':
      return 'not busy'
    case 'absent':
      return `${guard.target.resource.kind} ${guard.target.name} (uid ${guard.target.uid}) is gone`
    case 'node-gone':
      return `the node ${guard.node} is gone`
    case 'no-runner':
      return `no runner ${guard.name}`
    case 'left-over':
      return `the forge has ${guard.registration.name} offline and idle`
    case 'controller-gone':
      return "ARC's controller is gone"
    case 'credentials-gone':
      return `the Secret ${guard.secret.namespace}/${guard.secret.name} does not exist`
    case 'idle-at-forge':
      return guard.registered ? 'the forge has it idle' : 'the forge no longer has its registration'
    case 'unnamed':
      return `no ${guard.target.resource.kind} ${guard.target.name}`
  }
}

function refusalOf(error: KubernetesError): Result {
  const why =
    error.kind === 'conflict'
      ? `it has changed since the plan was made: ${error.message}`
      : error.kind === 'not-found'
        ? `it is gone: ${error.message}`
        : error.kind === 'forbidden'
          ? `not allowed: ${error.message}`
          : error.message
  return { outcome: 'aborted', why, ...stopOf(error) }
}

/** Returns the reason to stop if later steps would fail too: no connection, no valid credential, an overloaded server. */
function stopOf({ kind, status, message }: KubernetesError): { readonly stop?: string } {
  const isDown = kind === 'unauthorized' || kind === 'rate-limited' || (kind === 'unavailable' && status !== 500)
  return isDown ? { stop: `the API server no longer answers normally: ${message}` } : {}
}
