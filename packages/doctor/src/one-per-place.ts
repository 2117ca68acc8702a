// One ApplicationSet makes many releases from one place. A problem of that place is reported once.
import type { Hit } from './finding.ts'

/** Returns the first hit of each place. */
export function onePerPlace(hits: readonly Hit[]): readonly Hit[] {
  const first = new Map<string, Hit>()
  for (const hit of hits) {
    const { namespace, name, kind } = hit.object
    const place = JSON.stringify([hit.document, kind, namespace, name, hit.path])
    if (!first.has(place)) first.set(place, hit)
  }
  return [...first.values()]
}
