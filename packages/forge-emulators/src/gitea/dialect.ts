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
  /** The right that the list of jobs needs. */
  readonly jobsRight: 'owner' | 'reader'
  /** Whether the list of jobs has the headers `Link` and `X-Total-Count`. */
  readonly pageHeaders: boolean
  /** Whether the list of jobs takes `sort` and `order`. */
  readonly sorts: boolean
  /** Whether `GET` shows the registration token. */
  readonly readsToken: boolean
  /** Whether `PATCH` disables a runner. */
  readonly cordon: boolean
  /** Whether REST reruns jobs. */
  readonly rerun: boolean
  /** Whether runs of one concurrency group wait for each other. */
  readonly concurrency: boolean
  /** Whether the runner of a cancelled task may clean up before it reports. */
  readonly cancelling: boolean
  /** The order in which the status of a run is looked for among its jobs, if not all of them have passed. */
  readonly runStatus: readonly JobStatus[]
  /** The order of the list of runners: by last contact, or by status and then by last contact. */
  readonly runnerOrder: 'contact' | 'status'
  /** The last contact and the last report of a runner are stored at most once in these intervals. */
  readonly heartbeatMs: { readonly contact: number; readonly report: number }
}

const gitea26: Dialect = {
  family: 'gitea',
  version: '1.26.0',
  jobs: true,
  jobsRight: 'reader',
  pageHeaders: true,
  sorts: false,
  readsToken: false,
  cordon: true,
  rerun: true,
  concurrency: true,
  cancelling: false,
  // A cancelled job hides the others of its run, so that a run may count as ended while jobs go on.
  runStatus: ['cancelled', 'running', 'waiting', 'failure', 'blocked'],
  runnerOrder: 'contact',
  heartbeatMs: { contact: 0, report: 0 },
}

const gitea25: Dialect = {
  ...gitea26,
  version: '1.25.5',
  jobsRight: 'owner',
  pageHeaders: false,
  readsToken: true,
  cordon: false,
  rerun: false,
  concurrency: false,
}

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  'gitea-1.24': { ...gitea25, version: '1.24.7', jobs: false },
  'gitea-1.25': gitea25,
  'gitea-1.26': gitea26,
  'gitea-1.27': {
    ...gitea26,
    version: '1.27.3',
    sorts: true,
    cancelling: true,
    runStatus: ['cancelling', 'running', 'waiting', 'blocked', 'cancelled', 'failure'],
    runnerOrder: 'status',
    heartbeatMs: { contact: 30_000, report: 5_000 },
  },
  'forgejo-15': {
    ...gitea26,
    family: 'forgejo',
    version: '15.0.0+gitea-1.22.0',
    jobs: false,
    readsToken: true,
    cordon: false,
    rerun: false,
  },
}
