// What the forge did against the protocol, or against what we asked, and we could live with: told and counted, never swallowed.
import type { PortError } from '../../model/port-error.ts'

export type OddityKind =
  | 'message-unreadable'
  | 'message-repeated'
  | 'message-unhandled'
  | 'acknowledge-failed'
  | 'acquire-failed'
  | 'answer-empty'
  | 'statistics-missing'
  | 'session-left'
  | 'scale-set-adopted'
  | 'scale-set-differs'
  | 'update-not-disabled'

export type Oddity = {
  readonly kind: OddityKind
  readonly set: string
  /** One sentence, without secrets. */
  readonly sentence: string
  /** How many of this kind this set has seen since it was opened, this one included. */
  readonly count: number
  /** Of the error behind it, if any: status, GitHub's correlation ids. */
  readonly details: PortError['details']
}

/** Told of every oddity, at once. Never throws. */
export type OddityLog = (oddity: Oddity) => void

export type Oddities = (kind: OddityKind, sentence: string, details?: PortError['details']) => void

/** Counts for one set and tells `log`. */
export function countOddities(set: string, log: OddityLog): Oddities {
  const counts = new Map<OddityKind, number>()
  return (kind, sentence, details = {}) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    log({ kind, set, sentence, count, details })
  }
}
