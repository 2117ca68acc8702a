// The parts of a takeover: the old autoscaler stops, its runners retire without losing a step, and what they left goes.
import type { KubeObject } from '@dayfly/kubernetes/types'

export type Named = { readonly namespace: string; readonly name: string }

/** An object of the old autoscaler. Its UID is a precondition of every write. */
export type Held = Named & { readonly uid: string }

export function heldOf({ metadata }: KubeObject): Held {
  return { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' }
}

export type TakeoverStep =
  /** Scales a Deployment of the old autoscaler to 0, so that nobody makes or removes its runners any more. */
  | { readonly does: 'stop'; readonly deployment: Held }
  /** Removes a registration once its runner has no step, then its Job and its Secret. */
  | {
      readonly does: 'retire'
      readonly id: string
      readonly name: string
      readonly job: Held | undefined
      readonly secret: Named | undefined
    }
  /** Removes a Job without a registration whose runner container has ended: only its Docker container runs. */
  | { readonly does: 'remove-job'; readonly job: Held; readonly secret: Named }
  /** Removes the Secret of a runner whose registration and Job are gone. */
  | { readonly does: 'remove-secret'; readonly uuid: string; readonly secret: Named }

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
      const job = step.job ? [`Job ${placeOf(step.job)}`] : []
      const secret = step.secret ? [`Secret ${placeOf(step.secret)}`] : []
      const parts = joined(['registration', ...job, ...secret])
      return `disable the runner ${step.name} (${step.id}), and remove its ${parts} when it has no step`
    }
    case 'remove-job':
      return `delete Job ${placeOf(step.job)}, whose runner has ended, and Secret ${placeOf(step.secret)}`
    case 'remove-secret':
      return `delete Secret ${placeOf(step.secret)}, whose runner and Job are gone`
  }
}

function joined(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((word) => word !== '').join(' and ')
}

/** Returns the place as messages name it. */
export function placeOf({ namespace, name }: Named): string {
  return `${namespace}/${name}`
}
