// Finds objects by their kind.
import { textAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../../facts.ts'

/** Rules ask for a kind once for each pod, so the first question sorts the objects for all. */
const sorted = new WeakMap<readonly ObjectFact[], ReadonlyMap<string, readonly ObjectFact[]>>()

/** Returns the objects of a kind, in the order in which they were read. */
export function objectsOf({ objects }: Pick<Facts, 'objects'>, kind: string): readonly ObjectFact[] {
  let byKind = sorted.get(objects)
  if (!byKind) {
    byKind = sortByKind(objects)
    sorted.set(objects, byKind)
  }
  return byKind.get(kind) ?? []
}

function sortByKind(objects: readonly ObjectFact[]): ReadonlyMap<string, readonly ObjectFact[]> {
  const byKind = new Map<string, ObjectFact[]>()
  for (const fact of objects) {
    const same = byKind.get(fact.object.kind)
    if (same) same.push(fact)
    else byKind.set(fact.object.kind, [fact])
  }
  return byKind
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
