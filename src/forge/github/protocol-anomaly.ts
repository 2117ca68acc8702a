// What the forge did against the protocol, or against what we asked, and we could live with: told and counted, never swallowed.
import type { PortError } from '../../model/port-error.ts'

export type AnomalyKind =
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

export type ProtocolAnomaly = {
  readonly kind: AnomalyKind
  readonly set: string
  /** One sentence, without secrets. */
  readonly sentence: string
  /** How many of this kind this set has seen since it was opened, this one included. */
  readonly count: number
  /** Of the error behind it, if any: status, GitHub's correlation ids. */
  readonly details: PortError['details']
}

/** Told of every anomaly, at once. Never throws. */
export type AnomalyLog = (anomaly: ProtocolAnomaly) => void

export type ReportAnomaly = (kind: AnomalyKind, sentence: string, details?: PortError['details']) => void

/** Counts for one set and tells `log`. */
export function countAnomalies(set: string, log: AnomalyLog): ReportAnomaly {
  const counts = new Map<AnomalyKind, number>()
  return (kind, sentence, details = {}) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    log({ kind, set, sentence, count, details })
  }
}
