// One ApplicationSet makes many releases of one place: what is wrong with each of them is said once.
import type { Hit } from './finding.ts'

/** The first of each place. */
export function onePerPlace(hits: readonly Hit[]): readonly Hit[] {
  const first = new Map<string, Hit>()
  for (const hit of hits) {
    const { namespace, name, kind } = hit.object
    const place = JSON.stringify([hit.document, kind, namespace, name, hit.path])
    if (!first.has(place)) first.set(place, hit)
  }
  return [...first.values()]
}
