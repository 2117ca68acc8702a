// What can go wrong with the API server, by who must act.
import type { Instant } from '../lib/clock.ts'

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
  /** 5xx, or no usable answer. `perhapsDone` tells whether the request may have been carried out. */
  | 'unavailable'

export type StatusCause = { readonly reason: string; readonly field: string; readonly message: string }

export class KubernetesError extends Error {
  readonly kind: KubernetesErrorKind
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly causes: readonly StatusCause[]
  /** The name of the object that the server speaks of, where it says so: tells "no such object" from "no such path". */
  readonly about: string | undefined
  /** Do not try again before this time: the server's Retry-After. */
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
