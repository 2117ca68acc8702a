// What a runner's life and its job share: the program round them, the session at the forge, the limits of waiting.
import type { Clock } from '../../lib/clock.ts'
import type { Random } from '../../lib/random.ts'
import type { Connection } from './connection.ts'
import type { RunnerCredential } from './credential.ts'
import type { Stopper } from './stopper.ts'

export type RunnerHost = {
  readonly clock: Clock
  readonly random: Random
  /** Stopped with `shutdown`: this program is to end. */
  readonly stopper: Stopper
  /** This program's variables, without its credential. */
  readonly inherited: Readonly<Record<string, string>>
  /** Where the work folder is made. */
  readonly directory: string
  /** A promise while the output is congested. */
  print(text: string): Promise<void> | undefined
}

export type Session = {
  readonly credential: RunnerCredential
  readonly connection: Connection
  readonly sessionId: string
}

export type JobRequest = {
  readonly id: string
  /** With a slash at the end. */
  readonly url: string
  readonly acknowledge: boolean
}

export const lifeLimits = {
  /** A session that somebody else holds is asked for again this often, this long. */
  conflictEveryMs: 30_000,
  conflictMs: 240_000,
  /** A forge that cannot be reached is given up after this. */
  unreachableMs: 600_000,
  /** Longer than the forge holds a poll. */
  pollMs: 90_000,
} as const

/** As the real listener prints times. */
export function stamp(clock: Clock): string {
  return new Date(clock.now())
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
}
