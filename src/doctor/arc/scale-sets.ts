// Which scale sets at GitHub the objects of a cluster run, by the ids that their controllers noted.

import { numberAt, textAt } from '../../lib/read-json.ts'
import type { ObjectFact } from '../facts.ts'
import { isSameAccount } from './forge-url.ts'

export type ScaleSetNote = { readonly id: string; readonly url: string }

/** Undefined where the object notes none: not of a scale set, or not yet connected. */
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

/** The scale sets of one account by their id, each with the first object that notes it: runner sets come before what they own. */
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
