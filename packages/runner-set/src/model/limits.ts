// The bounds and delays by which the core decides, in milliseconds unless the name says otherwise. failure-table.ts has those of a single reason.
export type Limits = {
  /** A start that is held up for this long is shown, though it may still succeed. */
  readonly reportDelayMs: number
  /** A start without a known cause for this long is looked up in the cluster's Events, so that its cause is shown within 45 s. */
  readonly explainMs: number
  /** How long the last failure is shown as the reason of a set with which nothing is wrong any more. */
  readonly lastReasonMs: number
  /** The runner container runs, but the forge has not seen it online. */
  readonly neverOnlineMs: number
  /** Time without a job event or a change of demand before idle runners are ended: longer than a forge's long poll. */
  readonly quietMs: number
  /** Distance between two complete lists without the registration that prove a ghost. */
  readonly ghostMs: number
  /** How often registrations are listed while a runner waits to be seen online, or may be a ghost. */
  readonly listRegistrationsMs: number
  /** The same after a failed start, and first after any start, so that a success is seen soon. */
  readonly listSoonMs: number
  /** A set lists its registrations once more this long after its last runner left. */
  readonly lastLookMs: number
  /** A forge event about a job may arrive this long after the end of its runner. */
  readonly lateEventMs: number
  /** The last status of a pod may arrive this long after the end of its runner container. */
  readonly lateStatusMs: number
  /** A job of a runner that died stays assigned at the forge for about this long. */
  readonly jobLeaseMs: number
  /** A set announces more runners only when there has been room for them for this long. */
  readonly capacityRiseMs: number
  /** A runner that has waited for a node for this long shows that the cluster is full. An autoscaler adds a node sooner. */
  readonly unplacedMs: number
  /** After a lack of room a set announces a few runners more at a time, for this long. */
  readonly roomAgainMs: number
  /** The status of a set is written at most this often. */
  readonly reportEveryMs: number
  /** A reading of the demand older than this is not used. */
  readonly demandAgeMs: number
  /** A failed call is repeated after a wait that doubles from `baseMs` up to `capMs`, or at the server's Retry-After if that is later. */
  readonly retry: { readonly baseMs: number; readonly capMs: number }
  /** No Retry-After holds a call back for longer. */
  readonly retryAfterMaxMs: number
  /** Failures are forgotten when this long has passed without another: longer than the longest back-off of a start. */
  readonly failureMemoryMs: number
  /** Number of failed starts in a row after which one runner at a time tries. */
  readonly failuresBeforeProbe: number
  /** Number of idle runners that may leave by themselves before it is shown. */
  readonly leftIdleMax: number
  /** An event that arrives this long after it happened is late, and the set shows it. */
  readonly eventsLateMs: number
  /** Jobs wait for this long while runners are online and none gets a job: the forge assigns nothing. */
  readonly unassignedMs: number
  /** Number of surplus runners that one tick ends. */
  readonly surplusPerTick: number
  /** Number of runners that one tick starts. */
  readonly startsPerTick: number
  /** Number of ended runners of one set that are kept for debugging. Further ones are removed at once. */
  readonly keptMax: number
  /** Number of jobs that the status remembers. */
  readonly jobsShown: number
  /** A pod that is still there this long after its deletion deadline is stuck. It is shown, and counts no longer against `max`. */
  readonly terminationMs: number
  /** A container that runs this long after its job is stuck in the same sense. */
  readonly lingerMs: number
  /** After a pod has ended, its room in a quota is free at once or a little later: a refused template is checked again after these times. */
  readonly freedAgainMs: readonly number[]
  /** A template whose refusal only a change can end is checked again this often, and the first time this soon. */
  readonly templateAgainMs: number
  readonly templateSoonMs: number
  /** A deletion that the API server accepted is sent again after this long without an event of the pod. */
  readonly deleteAgainMs: number
  /** The end of a runner's version is announced this long ahead, and again when it is near. */
  readonly versionEndsSoonMs: number
  readonly versionEndsNowMs: number
}

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

export const defaultLimits: Limits = {
  reportDelayMs: 30 * second,
  explainMs: 15 * second,
  lastReasonMs: 60 * second,
  neverOnlineMs: 2 * minute,
  quietMs: minute,
  ghostMs: 2 * minute,
  listRegistrationsMs: minute,
  listSoonMs: 10 * second,
  lastLookMs: 10 * minute,
  lateEventMs: 5 * second,
  lateStatusMs: 5 * second,
  jobLeaseMs: 15 * minute,
  capacityRiseMs: 2 * second,
  unplacedMs: 2 * minute,
  roomAgainMs: 10 * minute,
  reportEveryMs: second,
  demandAgeMs: 5 * minute,
  retry: { baseMs: second, capMs: minute },
  retryAfterMaxMs: 60 * minute,
  failureMemoryMs: 15 * minute,
  failuresBeforeProbe: 3,
  leftIdleMax: 3,
  eventsLateMs: 2 * minute,
  unassignedMs: 10 * minute,
  surplusPerTick: 10,
  startsPerTick: 100,
  keptMax: 10,
  jobsShown: 50,
  terminationMs: 30 * second,
  lingerMs: 10 * minute,
  freedAgainMs: [0, second, 3 * second],
  templateAgainMs: minute,
  templateSoonMs: 15 * second,
  deleteAgainMs: 2 * minute,
  versionEndsSoonMs: 14 * day,
  versionEndsNowMs: 7 * day,
}
