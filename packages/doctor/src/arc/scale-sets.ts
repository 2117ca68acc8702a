// Finds the scale sets at GitHub that a cluster's objects belong to, by the ids that the controllers noted.
import { numberAt, textAt } from '@dayfly/kit/read-json'
import type { ObjectFact } from '../facts.ts'
import { isSameAccount } from './forge-url.ts'

type ScaleSetNote = { readonly id: string; readonly url: string }

/** Returns undefined if the object belongs to no scale set, or is not yet connected. */
export function scaleSetOf({ object, raw }: ObjectFact): ScaleSetNote | undefined {
  switch (object.kind) {
    case 'AutoscalingRunnerSet':
      return note(textAt(raw, 'metadata', 'annotations', 'runner-scale-set-id'), textAt(raw, 'spec', 'githubConfigUrl'))
    case 'EphemeralRunnerSet':
      return note(
        numberAt(raw, 'spec', 'ephemeralRunnerSpec', 'runnerScaleSetId'),
        textAt(raw, 'spec', 'ephemeralRunnerSpec', 'githubConfigUrl'),
      )
    case 'EphemeralRunner':
    case 'AutoscalingListener':
      return note(numberAt(raw, 'spec', 'runnerScaleSetId'), textAt(raw, 'spec', 'githubConfigUrl'))
    case 'RunnerSet':
      return note(textAt(raw, 'status', 'forge', 'scaleSetId'), textAt(raw, 'status', 'forge', 'account'))
    default:
      return undefined
  }
}

/** Returns the scale sets of one account by id, each with the first object that notes it. Runner sets come before the objects that they own. */
export function scaleSetsAt(url: string, objects: readonly ObjectFact[]): ReadonlyMap<string, ObjectFact> {
  const found = new Map<string, ObjectFact>()
  for (const kind of kinds) {
    for (const fact of objects) {
      const set = fact.object.kind === kind ? scaleSetOf(fact) : undefined
      if (set && isSameAccount(set.url, url) && !found.has(set.id)) found.set(set.id, fact)
    }
  }
  return found
}

const kinds = ['AutoscalingRunnerSet', 'RunnerSet', 'EphemeralRunnerSet', 'AutoscalingListener', 'EphemeralRunner']

function note(id: string | number | undefined, url: string | undefined): ScaleSetNote | undefined {
  return id === undefined || id === '' || id === 0 || url === undefined ? undefined : { id: String(id), url }
}
