// The columns of the table of failures.

/** Where in a life a failure belongs. The pod of class `template` would be refused for every runner of the set. */
type FailureClass = 'template' | 'start' | 'run' | 'end' | 'forge'

/** When Dayfly tries again by itself. */
export type Retry =
  /** Not before the RunnerSet changes. */
  | { readonly is: 'never' }
  /** After a wait that doubles with each failure, from `baseMs` up to `capMs`. */
  | { readonly is: 'backoff'; readonly baseMs: number; readonly capMs: number }
  /** At a steady pace: the cause passes by itself. */
  | { readonly is: 'every'; readonly everyMs: number }

/** How long a reason may hold a start up. It counts from the first evidence of the `cause`, or from the last `progress` of the pod. */
export type Deadline = { readonly from: 'cause' | 'progress'; readonly ms: number }

/** `sentence` says what happened, `next` what the operator can do. */
export type FailureInfo = {
  readonly class: FailureClass
  readonly sentence: string
  readonly next: string
  readonly retry: Retry
  /** When a start with this reason is given up. Reasons that no start can have need none. */
  readonly deadline?: Deadline
  /** The cluster itself reports the cause only after repeats, so it is shown without a delay. */
  readonly shownAtOnce?: true
  /** It has not happened yet: the operator can still avoid it, and nothing is held up by it. */
  readonly ahead?: true
  /** The `reason` of a waiting or failed container by which the kubelet shows it. */
  readonly containerReasons?: readonly string[]
  /** The `reason` of an Event of the pod by which the cluster shows it. */
  readonly eventReasons?: readonly string[]
  /** The `reason` of an ended container or pod. */
  readonly endReasons?: readonly string[]
}
