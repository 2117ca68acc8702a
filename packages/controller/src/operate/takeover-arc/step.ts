// The parts of a takeover from ARC. ARC removes its own objects, in its own order. It must keep one thing: the scale set at GitHub, in which jobs wait.
import { type Held, type Named, placeOf } from '../takeover/step.ts'

/** A RunnerSet keeps it while a takeover is under way: ARC's objects may be gone before the end. */
export type Note = {
  readonly arc: Named
  readonly scaleSetId: string
  /** The helm release of ARC's set; undefined if helm has not made it. */
  readonly release: string | undefined
}

type Between = { readonly arc: Held; readonly runnerSet: Named }

export type ArcStep =
  /** Writes the note. */
  | ({ readonly does: 'note'; readonly scaleSetId: string; readonly release: string | undefined } & Between)
  /** Gives the listener and the EphemeralRunnerSets a finalizer of ours. ARC deletes the scale set only after they are gone. */
  | ({ readonly does: 'hold' } & Between)
  | ({ readonly does: 'delete' } & Between)
  /** Takes the id away from the set that is being deleted: ARC then leaves the scale set at GitHub. */
  | ({ readonly does: 'keep-scale-set'; readonly scaleSetId: string } & Between)
  | ({ readonly does: 'release' } & Between)
  /** Gives the id to the RunnerSet when ARC's listener is gone. GitHub has one session for each scale set. */
  | { readonly does: 'connect'; readonly runnerSet: Named; readonly note: Note }
  /** Waits until ARC has removed the rest, and removes the note. */
  | { readonly does: 'finish'; readonly runnerSet: Named; readonly note: Note }
  /** Gives a takeover up that has deleted nothing yet. */
  | { readonly does: 'forget'; readonly runnerSet: Named; readonly note: Note }

export type ArcPlan = {
  readonly steps: readonly ArcStep[]
  readonly untouched: readonly { readonly what: string; readonly because: string }[]
  readonly digest: string
}

export function describeArcStep(step: ArcStep): string {
  switch (step.does) {
    case 'note':
      return `note at RunnerSet ${placeOf(step.runnerSet)} that it takes over scale set ${step.scaleSetId} of ${placeOf(step.arc)}`
    case 'hold':
      return `keep the listener and the EphemeralRunnerSets of ${placeOf(step.arc)} until its id is taken away`
    case 'delete':
      return `delete AutoscalingRunnerSet ${placeOf(step.arc)}: ARC removes idle runners, and waits for those with a job`
    case 'keep-scale-set':
      return `take the id of scale set ${step.scaleSetId} away from ${placeOf(step.arc)}, so that ARC leaves it at GitHub with its jobs`
    case 'release':
      return `release the listener and the EphemeralRunnerSets of ${placeOf(step.arc)}`
    case 'connect':
      return `connect RunnerSet ${placeOf(step.runnerSet)} to scale set ${step.note.scaleSetId} when ARC's listener is gone`
    case 'finish':
      return `wait until ARC has removed ${placeOf(step.note.arc)}, and remove the note`
    case 'forget':
      return `remove the note from RunnerSet ${placeOf(step.runnerSet)}: ${placeOf(step.note.arc)} stays as it is`
  }
}
