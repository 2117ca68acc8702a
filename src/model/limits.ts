// Every bound and delay by which the core decides, with its unit and its reason. All in milliseconds.

export type Limits = {
  /** No node takes the pod: not an error while an autoscaler or a quota can still help. */
  readonly unschedulableMs: number
  /** The kubelet has tried to pull twice by then. */
  readonly imageMissingMs: number
  /** A missing ConfigMap or Secret may be on its way: not longer than a slow write. */
  readonly configMissingMs: number
  /** Sandbox, volume, init container, hook or sidecar. */
  readonly startMs: number
  /** No cause is known, and the runner still has not started. */
  readonly startMaxMs: number
  /** A trouble that lasts so long is told, though it may still pass. */
  readonly tellMs: number
  /** After this long without a start the cause is looked up, so that it is told well before 45 s. */
  readonly explainMs: number
  /** The runner container runs, but the forge never saw it online. */
  readonly neverOnlineMs: number
  /** No job event and no change of demand for this long before idle runners are ended: more than a forge's long poll. */
  readonly quietMs: number
  /** Two complete answers without the registration must lie this far apart. */
  readonly ghostMs: number
  /** How often registrations are asked for while a runner waits to be seen online or may be a ghost. */
  readonly registrationsEveryMs: number
  /** A registration that the forge calls busy is tried again after this. */
  readonly dropRetryMs: number
  /** A job of a runner that died stays assigned at the forge for about this long. */
  readonly jobLeaseMs: number
  /** The status of a set is written at most this often. */
  readonly reportEveryMs: number
  /** A reading of the demand older than this is not believed. */
  readonly demandAgeMs: number
  /** The first wait after a failed start, doubled each time, and its cap. */
  readonly startBackoffMs: { readonly baseMs: number; readonly capMs: number }
  /** Deletions of surplus runners in one tick. */
  readonly surplusPerTick: number
  /** Runners started in one tick. */
  readonly startsPerTick: number
  /** Ended runners of one set that are kept for debugging; further ones are removed at once. */
  readonly keptMax: number
  /** How long after its deadline a deletion may still take before it is told as stuck. */
  readonly terminationMs: number
}

const second = 1_000
const minute = 60 * second

export const defaultLimits: Limits = {
  unschedulableMs: 5 * minute,
  imageMissingMs: 30 * second,
  configMissingMs: 5 * second,
  startMs: 2 * minute,
  startMaxMs: 10 * minute,
  tellMs: 30 * second,
  explainMs: 15 * second,
  neverOnlineMs: 2 * minute,
  quietMs: minute,
  ghostMs: 2 * minute,
  registrationsEveryMs: minute,
  dropRetryMs: 30 * second,
  jobLeaseMs: 15 * minute,
  reportEveryMs: second,
  demandAgeMs: 5 * minute,
  startBackoffMs: { baseMs: 2 * second, capMs: 5 * minute },
  surplusPerTick: 10,
  startsPerTick: 100,
  keptMax: 10,
  terminationMs: 30 * second,
}
