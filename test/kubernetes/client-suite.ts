// The client's test suite. It runs on any cluster: a real one or the embedded one.
import { describe } from 'vitest'
import { objectSuite } from './client-objects.ts'
import { type Cluster, createPlace } from './client-place.ts'
import { streamSuite } from './client-streams.ts'

export type SuiteOptions = {
  /** The features that this cluster does not have. Their tests are skipped with a reason. */
  readonly without?: readonly 'quota'[]
}

/** Declares the suite's tests. It calls `open` once. All objects are in a temporary namespace, which is deleted at the end. */
export function clientSuite(title: string, open: () => Promise<Cluster>, { without = [] }: SuiteOptions = {}): void {
  describe(title, { timeout: 30_000 }, () => {
    const place = createPlace(open)
    objectSuite(place, without)
    streamSuite(place)
  })
}
