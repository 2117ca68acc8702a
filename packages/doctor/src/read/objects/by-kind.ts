// Finds objects by their kind.
import { textAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../../facts.ts'

/** Returns the objects of a kind, in the order in which they were read. */
export function objectsOf(facts: Pick<Facts, 'objects'>, kind: string): readonly ObjectFact[] {
  return facts.objects.filter(({ object }) => object.kind === kind)
}

/** Returns the kubelets' versions (`v1.35.1`) by the name of their node. */
export function kubeletVersions(facts: Facts): ReadonlyMap<string, string> {
  return new Map(
    objectsOf(facts, 'Node').flatMap(({ object, raw }) => {
      const version = textAt(raw, 'status', 'nodeInfo', 'kubeletVersion')
      return version === undefined ? [] : [[object.name, version]]
    }),
  )
}
