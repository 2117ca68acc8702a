// The protocol between server and page. The page first gets one snapshot, and then changes with a version each.
//
//   GET /api/snapshot                     a Snapshot
//   GET /api/changes?after=VERSION        server-sent events: `changes` (a Changes), `snapshot` (a Snapshot), `beat` (a time)
//   GET /api/runner?id=NAMESPACE/RUNNER   a RunnerDetail
//   GET /api/log?id=NAMESPACE/RUNNER      server-sent events: `line` (a text), `end` (why)
//   GET /api/trends?window=1h|24h|7d      a Trends
//   GET /api/costs?window=1h|24h|7d       a Costs
//   GET /api/find?q=TEXT                  a Found
import type { Instant } from '@dayfly/kit/clock'
import type { FailureGroup, Life, Mark, WaitingJob } from './life.ts'
import type { Head, SetNow } from './set-now.ts'

/** The entities of the page, each by its id. */
export type Entities = {
  readonly sets: SetNow
  readonly lives: Life
  readonly jobs: WaitingJob
  readonly failures: FailureGroup
}

export type EntityKind = keyof Entities
export const entityKinds: readonly EntityKind[] = ['sets', 'lives', 'jobs', 'failures']

export type Snapshot = {
  readonly version: number
  readonly at: Instant
  readonly head: Head
  readonly marks: readonly Mark[]
} & { readonly [Kind in EntityKind]: readonly Entities[Kind][] }

/** The differences from the version `after`. A part that is absent did not change. */
export type Changes = {
  readonly version: number
  readonly at: Instant
  readonly head?: Head
  /** All marks, if there is a new one. */
  readonly marks?: readonly Mark[]
  /** Entities that are new or changed, whole. */
  readonly put: { readonly [Kind in EntityKind]?: readonly Entities[Kind][] }
  /** Ids of entities that are no longer shown. */
  readonly gone: { readonly [Kind in EntityKind]?: readonly string[] }
}
