// The options of the room, and its interface.
import type { Clock } from '@dayfly/kit/clock'
import type { Entry } from '@dayfly/runner-set/model/event'

export interface Telemetry {
  /** Reads the journal. It makes no call and never throws. */
  readonly reader: (entry: Entry) => void
  /** Sends what is left. Takes at most 3 s. */
  close(): Promise<void>
}

export type TelemetryOptions = {
  readonly version: string
  /** The identity of this process. */
  readonly instance: string
  /** The clock of the journal. */
  readonly clock: Clock
  /** Returns the sets, or none if this process does not lead. Called for each export, and when lives end. */
  readonly sets: () => readonly SetCounts[]
  /** Receives the reason why an export failed, at most once a minute for each signal. */
  readonly onFailure: (message: string) => void
}

/** The counts of one set, and its forge. */
export type SetCounts = {
  readonly namespace: string
  readonly set: string
  /** The address of the forge, as the set names it. */
  readonly forge: string
  /** Runners by phase; undefined while unknown. */
  readonly phases: Readonly<Record<'starting' | 'idle' | 'busy' | 'spent' | 'ended', number>> | undefined
  /** Jobs that wait or run; undefined while unknown. */
  readonly jobs: number | undefined
}
