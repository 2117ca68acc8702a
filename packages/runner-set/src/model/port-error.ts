// The one error with which a forge fails a call.
import type { Instant } from '@dayfly/kit/clock'

export type PortErrorKind =
  | 'not-found'
  | 'unauthorized'
  | 'rate-limited'
  | 'conflict'
  | 'unavailable'
  | 'bad-response'
  | 'bad-config'

/** A call failed. `details` are for the log and never hold a secret. */
export class PortError extends Error {
  readonly kind: PortErrorKind
  /** The forge: `github`, … */
  readonly port: string
  /** The server asks for no further call before this time. */
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
