// How the forges differ, as data: code outside a forge's own folder reads a trait and never asks which forge it is.
import type { Demand } from './demand.ts'
import type { ForgeKind } from './runner-set.ts'

export type ForgeTraits = {
  readonly demand: Demand['kind']
  /** `refuses-busy`: a removal proves that the runner is idle. Either the forge refuses to remove a busy runner, or our client
   *  first makes sure that the runner is idle and gets no job. */
  readonly removal: 'refuses-busy' | 'unguarded'
  /** `by-itself`: the forge ends a runner after one job. `by-cordon`: the controller must cordon the runner. */
  readonly ephemeral: 'by-itself' | 'by-cordon'
  /** A runner may begin a job this long after its cordon, in milliseconds. */
  readonly pickUpDelayMs: number
  /** How a new leader finds the records of a set: by the ids in its stored status, or by the names of its runners. */
  readonly records: 'by-id' | 'by-name'
  /** How the log of the runner container shows its jobs; undefined if the forge itself reports them at once. */
  readonly jobLog: JobLog | undefined
}

/** The first group of `started` is the UUID of the job, and of `ended` the result in the runner's words. */
export type JobLog = { readonly started: RegExp; readonly ended: RegExp }

/** A workspace and a repository of Bitbucket hold this many runners each (docs/reference/bitbucket.md#s2-4). */
export const bitbucketRunnersMax = 100

export const forgeTraits: Readonly<Record<ForgeKind, ForgeTraits>> = {
  github: {
    demand: 'assigned',
    removal: 'refuses-busy',
    ephemeral: 'by-itself',
    pickUpDelayMs: 0,
    records: 'by-id',
    jobLog: undefined,
  },
  // A runner of Bitbucket asks for a step every 30 s, and 5 s more cover the way there (docs/reference/bitbucket.md#s3-6).
  bitbucket: {
    demand: 'utilisation',
    removal: 'refuses-busy',
    ephemeral: 'by-cordon',
    pickUpDelayMs: 35_000,
    records: 'by-name',
    jobLog: {
      started: /Getting step StepId\{[^\n]*?stepUuid=\{?([0-9a-f-]{36})/,
      ended: /Completing step with result Result\{status=([A-Z_]{1,32})/,
    },
  },
}
