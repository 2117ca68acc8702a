// The differences between the versions of Gitea, and Forgejo, as data. Only Gitea 1.26 was compared with a real server.

import type { JobStatus } from './state.ts'

export const dialectNames = ['gitea-1.24', 'gitea-1.25', 'gitea-1.26', 'gitea-1.27', 'forgejo-15'] as const

export type DialectName = (typeof dialectNames)[number]

export type Dialect = {
  readonly family: 'gitea' | 'forgejo'
  /** The response of `GET /version`. */
  readonly version: string
  /** Whether jobs can be listed and read. */
  readonly jobs: boolean
  /** Whether `PATCH` disables a runner. */
  readonly cordon: boolean
  /** Whether REST reruns jobs. */
  readonly rerun: boolean
  /** Whether the runner of a cancelled task may clean up before it reports. */
  readonly cancelling: boolean
  /** The order in which the status of a run is looked for among its jobs, if not all of them have passed. */
  readonly runStatus: readonly JobStatus[]
  /** The order of the list of runners: by last contact, or by status and then by last contact. */
  readonly runnerOrder: 'contact' | 'status'
  /** The last contact and the last report of a runner are stored at most once in these intervals. */
  readonly heartbeatMs: { readonly contact: number; readonly report: number }
}

const heartbeatMs = { contact: 0, report: 0 }

/** A cancelled job hides the others of its run, so that a run may count as ended while jobs go on. */
const cancelledFirst: readonly JobStatus[] = ['cancelled', 'running', 'waiting', 'failure', 'blocked']
const cancelledLast: readonly JobStatus[] = ['cancelling', 'running', 'waiting', 'blocked', 'cancelled', 'failure']

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  'gitea-1.24': {
    ...{ family: 'gitea', version: '1.24.7', jobs: false, cordon: false, rerun: false },
    ...{ cancelling: false, runStatus: cancelledFirst, runnerOrder: 'contact', heartbeatMs },
  },
  'gitea-1.25': {
    ...{ family: 'gitea', version: '1.25.5', jobs: true, cordon: false, rerun: false },
    ...{ cancelling: false, runStatus: cancelledFirst, runnerOrder: 'contact', heartbeatMs },
  },
  'gitea-1.26': {
    ...{ family: 'gitea', version: '1.26.0', jobs: true, cordon: true, rerun: true },
    ...{ cancelling: false, runStatus: cancelledFirst, runnerOrder: 'contact', heartbeatMs },
  },
  'gitea-1.27': {
    ...{ family: 'gitea', version: '1.27.3', jobs: true, cordon: true, rerun: true },
    ...{ cancelling: true, runStatus: cancelledLast, runnerOrder: 'status' },
    heartbeatMs: { contact: 30_000, report: 5_000 },
  },
  'forgejo-15': {
    ...{ family: 'forgejo', version: '15.0.0+gitea-1.22.0', jobs: false, cordon: false, rerun: false },
    ...{ cancelling: false, runStatus: cancelledFirst, runnerOrder: 'contact', heartbeatMs },
  },
}
