// The releases that one delivery tool describes in the input.
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import type { Line } from '../ledger.ts'
import type { Release } from '../release.ts'

export type FoundReleases = {
  readonly releases: readonly Release[]
  /** The values that are part of a release, so that nothing reads them once more. */
  readonly used: readonly SourceObject[]
  /** Parts of releases whose values are elsewhere. */
  readonly unread: readonly Line[]
}

export const noReleases: FoundReleases = { releases: [], used: [], unread: [] }

export function together(found: readonly FoundReleases[]): FoundReleases {
  return {
    releases: found.flatMap(({ releases }) => releases),
    used: found.flatMap(({ used }) => used),
    unread: found.flatMap(({ unread }) => unread),
  }
}
