// The error of every failed call to the API server, classified by what the caller can do.
import type { Instant } from '@dayfly/kit/clock'

export type KubernetesErrorKind =
  | 'not-found'
  | 'already-exists'
  | 'conflict'
  | 'invalid'
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'quota'
  | 'rate-limited'
  /** The resourceVersion is too old (410). */
  | 'expired'
  /** The server answered 5xx, or there is no usable answer. `perhapsDone` is true if the server may have carried out the request. */
  | 'unavailable'

export type StatusCause = { readonly reason: string; readonly field: string; readonly message: string }

export class KubernetesError extends Error {
  readonly kind: KubernetesErrorKind
  /** The HTTP status, or 0 if there was no answer. */
  readonly status: number
  readonly causes: readonly StatusCause[]
  /** The object name in the server's Status, if it has one. It distinguishes a missing object from a wrong path. */
  readonly about: string | undefined
  /** The earliest time for the next attempt, from the server's Retry-After. Undefined: the usual back-off applies. */
  readonly retryAt: Instant | undefined
  readonly perhapsDone: boolean

  constructor(
    kind: KubernetesErrorKind,
    message: string,
    more: {
      readonly status?: number
      readonly causes?: readonly StatusCause[]
      readonly about?: string | undefined
      readonly retryAt?: Instant | undefined
      readonly perhapsDone?: boolean
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'KubernetesError'
    this.kind = kind
    this.status = more.status ?? 0
    this.causes = more.causes ?? []
    this.about = more.about
    this.retryAt = more.retryAt
    this.perhapsDone = more.perhapsDone ?? false
  }
}
