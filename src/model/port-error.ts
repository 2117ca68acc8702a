// The one error by which a forge or a cluster fails us (style guide 5.4).
import type { Instant } from '../lib/clock.ts'

export type PortErrorKind =
  | 'not-found'
  | 'unauthorized'
  | 'rate-limited'
  | 'conflict'
  | 'unavailable'
  | 'bad-response'
  | 'bad-config'

/** The world failed. `details` are for the log: never a secret. */
export class PortError extends Error {
  readonly kind: PortErrorKind
  /** Which port: `github`, `kubernetes`, … */
  readonly port: string
  readonly retryAt: Instant | undefined
  readonly details: Readonly<Record<string, string | number | undefined>>

  constructor(
    port: string,
    kind: PortErrorKind,
    message: string,
    more: {
      readonly retryAt?: Instant | undefined
      readonly details?: PortError['details']
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'PortError'
    this.port = port
    this.kind = kind
    this.retryAt = more.retryAt
    this.details = more.details ?? {}
  }
}
