// Turns the facts into a plan: pure. Each step that is done is missing from the next plan, so a takeover can be cut at any step and goes on.
import { hashValue } from '@dayfly/kit/hash'
import { type Named, placeOf } from '../takeover/step.ts'
import type { ArcFacts, ArcSet, Taking } from './gather.ts'
import type { ArcPlan, ArcStep, Note } from './step.ts'

/** @param isDeliveryPaused whether the operator has paused the tool that delivers ARC's sets */
export function planArcTakeover(
  { sets, taking }: Pick<ArcFacts, 'sets' | 'taking'>,
  isDeliveryPaused: boolean,
): ArcPlan {
  const steps: ArcStep[] = []
  const untouched: { what: string; because: string }[] = []
  const begun = new Set<Taking>()
  for (const set of sets) {
    const known = taking.find(({ note }) => placeOf(note.arc) === placeOf(set))
    if (known) begun.add(known)
    const because = known ? undefined : obstacle(set, isDeliveryPaused)
    if (because !== undefined) untouched.push({ what: `AutoscalingRunnerSet ${placeOf(set)}`, because })
    else steps.push(...stepsOf(set, known))
  }
  for (const known of taking) if (!begun.has(known)) steps.push(...lastSteps(known, known.note, known.isConnected))
  return { steps, untouched, digest: hashValue(steps, 16) }
}

/** Gives up each takeover that has deleted nothing yet: what it has put on the objects of ARC goes. */
export function planArcRollback({ sets, taking }: Pick<ArcFacts, 'sets' | 'taking'>): ArcPlan {
  const steps: ArcStep[] = []
  const untouched: { what: string; because: string }[] = []
  for (const { namespace, name, note } of taking) {
    const set = sets.find((one) => placeOf(one) === placeOf(note.arc))
    const runnerSet = { namespace, name }
    if (!set || set.isDeleting) untouched.push({ what: `RunnerSet ${placeOf(runnerSet)}`, because: tooLate(set) })
    else {
      const arc = { namespace: set.namespace, name: set.name, uid: set.uid }
      const isHeld = set.holders.some((holder) => holder.isHeld)
      if (isHeld) steps.push({ does: 'release', arc, runnerSet })
      steps.push({ does: 'forget', runnerSet, note })
    }
  }
  return { steps, untouched, digest: hashValue(steps, 16) }
}

function tooLate(set: ArcSet | undefined): string {
  const what = set ? "ARC's set is being deleted, and nothing can stop a deletion" : "ARC's set is gone"
  return `${what}. Finish the takeover, set spec.paused, and install ARC's release again: it adopts the scale set by its name`
}

function obstacle(set: ArcSet, isDeliveryPaused: boolean): string | undefined {
  if (!set.runnerSet)
    return 'no RunnerSet has its name, account and runner group. "dayfly import arc --live" makes one: apply it first'
  const { name, namespace, answer } = set.runnerSet
  if (answer !== 'registration-collides')
    return `RunnerSet ${namespace}/${name} does not wait for its scale set${answer ? ` (${answer})` : ''}: see "dayfly explain ${name} -n ${namespace}"`
  if (set.delivery !== undefined && !isDeliveryPaused)
    return `${set.delivery} delivers it, and would make it again. Suspend that, and add --delivery-paused`
  if (set.scaleSetId === undefined)
    return 'it has no id of a scale set, so ARC has made none. Uninstall it, and Dayfly makes its own'
  if (set.holders.length === 0 && !set.isDeleting)
    return 'it has no listener and no EphemeralRunnerSet. ARC would delete the scale set before its id can be taken away'
  return undefined
}

function stepsOf(set: ArcSet, known: Taking | undefined): readonly ArcStep[] {
  const { namespace, name } = known ?? (set.runnerSet as Named)
  const runnerSet = { namespace, name }
  const arc = { namespace: set.namespace, name: set.name, uid: set.uid }
  const between = { arc, runnerSet }
  const scaleSetId = set.scaleSetId ?? known?.note.scaleSetId ?? ''
  const note = known?.note ?? {
    arc: { namespace: set.namespace, name: set.name },
    scaleSetId,
    release: set.release,
  }
  const isFree = set.holders.every(({ isHeld }) => !isHeld)
  const isHeld = set.holders.every((holder) => holder.isHeld)
  const { release } = set
  return [
    ...(known ? [] : [{ does: 'note', ...between, scaleSetId, release } as const]),
    ...(set.isDeleting || isHeld ? [] : [{ does: 'hold', ...between } as const]),
    ...(set.isDeleting ? [] : [{ does: 'delete', ...between } as const]),
    ...(set.scaleSetId === undefined ? [] : [{ does: 'keep-scale-set', ...between, scaleSetId } as const]),
    ...(set.isDeleting && isFree ? [] : [{ does: 'release', ...between } as const]),
    ...lastSteps(runnerSet, note, known?.isConnected ?? false),
  ]
}

function lastSteps({ namespace, name }: Named, note: Note, isConnected: boolean): readonly ArcStep[] {
  const runnerSet = { namespace, name }
  return [...(isConnected ? [] : [{ does: 'connect', runnerSet, note } as const]), { does: 'finish', runnerSet, note }]
}
