// The client's test suite. It runs on any cluster: a real one or the embedded one.
import { describe } from 'vitest'
import { objectSuite } from './client-objects.ts'
import { type Cluster, createPlace } from './client-place.ts'
import { streamSuite } from './client-streams.ts'

/** Declares the suite's tests. It calls `open` once. All objects are in a temporary namespace, which is deleted at the end. */
export function clientSuite(title: string, open: () => Promise<Cluster>): void {
  describe(title, { timeout: 30_000 }, () => {
    const place = createPlace(open)
    objectSuite(place)
    streamSuite(place)
  })
}
