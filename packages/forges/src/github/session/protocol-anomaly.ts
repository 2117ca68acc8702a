// Deviations of the forge from the protocol, or from our request, that do not stop us. Each is reported and counted.
import type { PortError } from '@dayfly/runner-set/model/port-error'

export type AnomalyKind =
  | 'message-unreadable'
  | 'message-repeated'
  | 'message-unhandled'
  | 'acknowledge-failed'
  | 'acquire-failed'
  | 'answer-empty'
  | 'statistics-missing'
  | 'refresh-failed'
  | 'session-left'
  | 'scale-set-adopted'
  | 'scale-set-differs'
  | 'update-not-disabled'

export type ProtocolAnomaly = {
  readonly kind: AnomalyKind
  readonly set: string
  /** A description for the operator, without secrets. */
  readonly sentence: string
  /** The number of anomalies of this kind since the set was opened, this one included. */
  readonly count: number
  /** Details of the error behind it, if any: the status and GitHub's correlation ids. */
  readonly details: PortError['details']
}

/** Receives every anomaly at once. Must not throw. */
export type AnomalyLog = (anomaly: ProtocolAnomaly) => void

export type ReportAnomaly = (kind: AnomalyKind, sentence: string, details?: PortError['details']) => void

/** Returns a function that counts the anomalies of one set and passes them to `log`. */
export function countAnomalies(set: string, log: AnomalyLog): ReportAnomaly {
  const counts = new Map<AnomalyKind, number>()
  return (kind, sentence, details = {}) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    log({ kind, set, sentence, count, details })
  }
}
