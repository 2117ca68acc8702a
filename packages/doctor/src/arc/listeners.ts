// ARC's listeners, and the EphemeralRunnerSets that they write to.
import type { Instant } from '@dayfly/kit/clock'
import { textAt, valueAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../facts.ts'
import { ageOf, ownerOf } from '../read/objects/metadata.ts'
import { arcObjects } from './arc.ts'

export type StrayListener = {
  readonly listener: ObjectFact
  /** The name of its AutoscalingRunnerSet. */
  readonly root: string | undefined
  /** The set that the listener names, and that does not exist. */
  readonly gone: { readonly namespace: string; readonly name: string }
  /** The set that the listener should name, if there is one. */
  readonly present: ObjectFact | undefined
  /** Milliseconds for which this has lasted at least. */
  readonly ageMs: number
}

/** Returns the listeners whose EphemeralRunnerSet does not exist. A set in a namespace that was not read may exist. */
export function strayListeners(facts: Pick<Facts, 'objects' | 'live'>, at: Instant): readonly StrayListener[] {
  const sets = arcObjects(facts, 'EphemeralRunnerSet')
  const names = new Set(sets.map(({ object }) => `${object.namespace}/${object.name}`))
  return arcObjects(facts, 'AutoscalingListener').flatMap((listener) => {
    const { raw } = listener
    const namespace = textAt(raw, 'spec', 'autoscalingRunnerSetNamespace')
    const name = textAt(raw, 'spec', 'ephemeralRunnerSetName')
    if (namespace === undefined || name === undefined || names.has(`${namespace}/${name}`) || isDeleted(listener))
      return []
    if (facts.live?.namespaces?.includes(namespace) === false) return []
    const root = textAt(raw, 'spec', 'autoscalingRunnerSetName')
    const others = sets.filter(
      (set) =>
        set.object.namespace === namespace &&
        ownerOf(set.raw, 'AutoscalingRunnerSet')?.name === root &&
        !isDeleted(set),
    )
    const ages = [listener, ...others].map((fact) => ageOf(fact.raw, at) ?? 0)
    return [{ listener, root, gone: { namespace, name }, present: others[0], ageMs: Math.min(...ages) }]
  })
}

export function isDeleted({ raw }: ObjectFact): boolean {
  return valueAt(raw, 'metadata', 'deletionTimestamp') !== undefined
}
