// The parts of a takeover: the old autoscaler stops, its runners retire without losing a step, and what they left goes.

/** An object of the old autoscaler. Its UID is a precondition of every write. */
export type Held = { readonly namespace: string; readonly name: string; readonly uid: string }

export type TakeoverStep =
  /** Scales a Deployment of the old autoscaler to 0, so that nobody makes or removes its runners any more. */
  | { readonly does: 'stop'; readonly deployment: Held }
  /** Removes a registration once its runner has no step, then its Job. */
  | { readonly does: 'retire'; readonly id: string; readonly name: string; readonly job: Held | undefined }
  /** Removes a Job without a registration whose runner container has ended: only its Docker container runs. */
  | { readonly does: 'remove-job'; readonly job: Held }

export type TakeoverPlan = {
  readonly steps: readonly TakeoverStep[]
  /** Objects that stay, each with the reason. */
  readonly untouched: readonly { readonly what: string; readonly because: string }[]
  /** The digest of all steps. An operator who confirms it confirms exactly these. */
  readonly digest: string
}

export function describeTakeover(step: TakeoverStep): string {
  switch (step.does) {
    case 'stop':
      return `scale Deployment ${placeOf(step.deployment)} to 0`
    case 'retire': {
      const job = step.job ? ` and Job ${placeOf(step.job)}` : ''
      return `disable the runner ${step.name} (${step.id}), and remove its registration${job} when it has no step`
    }
    case 'remove-job':
      return `delete Job ${placeOf(step.job)}, whose runner has ended`
  }
}

function placeOf({ namespace, name }: Held): string {
  return `${namespace}/${name}`
}
