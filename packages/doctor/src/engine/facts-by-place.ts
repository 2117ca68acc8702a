// Splits the facts of files by the clusters that the objects go to. A rule that compares objects sees one part at a time, so a fact
// of one cluster cannot speak for an object of another. A shared base is in the part of each of its clusters.
import { placesOf, type Reach } from '../delivery.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { PodView } from '../pod-view.ts'

function isEverywhere(reach: Reach | undefined): boolean {
  return reach === undefined || reach.is === 'only-cluster'
}

/** Returns at least one part, in the order of the first object of each. Most inputs have one cluster and no sample: one part. */
export function factsByPlace(facts: Facts): readonly Facts[] {
  if (facts.objects.every(({ delivery }) => isEverywhere(delivery?.reach))) return [facts]
  const parts = new Map<string, { objects: ObjectFact[]; pods: PodView[] }>()
  const partsOf = ({ delivery }: Pick<ObjectFact, 'delivery'>) =>
    placesOf(delivery?.reach).map((place) => {
      const part = parts.get(place) ?? { objects: [], pods: [] }
      parts.set(place, part)
      return part
    })
  for (const fact of facts.objects) for (const { objects } of partsOf(fact)) objects.push(fact)
  for (const pod of facts.pods) for (const { pods } of partsOf(pod)) pods.push(pod)
  return parts.size <= 1 ? [facts] : [...parts.values()].map((part) => ({ ...facts, ...part }))
}
