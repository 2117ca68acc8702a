// The parts of a sweep: one guarded step for each leftover that may go, and the leftovers that stay.
import type { Resource } from '@dayfly/kubernetes/types'

/** An object at one version: the API server refuses the deletion if the UID or the version has changed. */
export type Target = {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

export type SweepStep =
  /** `owner`: the RunnerSet that must not exist with this UID; undefined for a pod without one. */
  | {
      readonly does: 'delete-pod'
      readonly target: Target
      readonly owner: Owner | undefined
      readonly deregisters: string | undefined
      readonly because: string
    }
  | { readonly does: 'delete-secret'; readonly target: Target; readonly pod: Owner; readonly because: string }
  | { readonly does: 'delete-lease'; readonly target: Target; readonly because: string }
  | { readonly does: 'deregister'; readonly id: string; readonly name: string; readonly because: string }
  | { readonly does: 'remove-set'; readonly id: string; readonly name: string; readonly because: string }

/** An object that is proved gone. An empty UID stands for any object of this name. */
export type Owner = { readonly name: string; readonly uid: string }

/** A thing that is left over and is not touched. */
export type Untouched = { readonly what: string; readonly because: string }

/** The steps for one kind of leftovers, and those that stay. */
export type Part = { readonly steps: readonly SweepStep[]; readonly untouched: readonly Untouched[] }

export type SweepPlan = {
  readonly steps: readonly SweepStep[]
  readonly untouched: readonly Untouched[]
  /** Parts that could not be read, each a sentence. */
  readonly unknown: readonly string[]
  /** The digest of all steps with their targets and versions. An operator who confirms it confirms exactly these. */
  readonly digest: string
}

export function describeStep(step: SweepStep): string {
  switch (step.does) {
    case 'delete-pod':
      return `${step.deregisters === undefined ? 'delete' : 'remove the registration of, then delete,'} Pod ${placeOf(step.target)}`
    case 'delete-secret':
      return `delete Secret ${placeOf(step.target)}`
    case 'delete-lease':
      return `delete Lease ${placeOf(step.target)}`
    case 'deregister':
      return `remove the registration ${step.name} at the forge`
    case 'remove-set':
      return `remove the scale set ${step.name} (id ${step.id}) at the forge`
  }
}

function placeOf({ namespace, name }: Target): string {
  return `${namespace}/${name}`
}
