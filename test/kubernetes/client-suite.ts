// What our client expects of a Kubernetes API server, as tests that run on any cluster: a real one, and the embedded one.
import { describe } from 'vitest'
import { objectSuite } from './client-objects.ts'
import { type Cluster, createPlace } from './client-place.ts'
import { streamSuite } from './client-streams.ts'

export type SuiteOptions = {
  /** What this cluster does not have, by the name of the test's part; each is skipped by name. */
  readonly without?: readonly 'quota'[]
}

/** Declares the suite's tests. `open` is called once; everything lives in a namespace of its own that is deleted at the end. */
export function clientSuite(title: string, open: () => Promise<Cluster>, { without = [] }: SuiteOptions = {}): void {
  describe(title, { timeout: 30_000 }, () => {
    const place = createPlace(open)
    objectSuite(place, without)
    streamSuite(place)
  })
}
