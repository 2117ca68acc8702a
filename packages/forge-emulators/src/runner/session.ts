// The types that the runner's lifecycle and its job share: the host program, the session at the forge, and the time limits.
import type { Clock } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { Connection } from './connection.ts'
import type { RunnerCredential } from './credential.ts'
import type { Stopper } from './stopper.ts'

export type RunnerHost = {
  readonly clock: Clock
  readonly random: Random
  /** Stopped with `shutdown` when this program must end. */
  readonly stopper: Stopper
  /** This program's variables, without its credential. */
  readonly inherited: Readonly<Record<string, string>>
  /** The directory in which the work folder is created. */
  readonly directory: string
  /** Prints text. Returns a promise while the output is congested. */
  print(text: string): Promise<void> | undefined
}

export type Session = {
  readonly credential: RunnerCredential
  readonly connection: Connection
  readonly sessionId: string
}

export type JobRequest = {
  readonly id: string
  /** The URL of the job's calls, with a slash at the end. */
  readonly url: string
  readonly acknowledge: boolean
}

export const waitLimits = {
  /** The interval and the total time of attempts while another runner holds the session. */
  conflictEveryMs: 30_000,
  conflictMs: 240_000,
  /** The time after which the runner gives up an unreachable forge. */
  unreachableMs: 600_000,
  /** The timeout of a poll; it must exceed the forge's own. */
  pollMs: 90_000,
} as const

/** Formats the time as the real listener does. */
export function stamp(clock: Clock): string {
  return new Date(clock.now())
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
}
