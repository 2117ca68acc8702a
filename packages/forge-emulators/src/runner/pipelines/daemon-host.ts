// The types that the life of a Bitbucket runner and its steps share, and the form of its log.
import type { Connection } from '../connection.ts'
import type { RunnerHost } from '../session.ts'
import type { Stopper } from '../stopper.ts'

/** `stopper` ends the runner after its step. */
export type DaemonHost = RunnerHost & {
  /** Stopped when the step must end at once, too. */
  readonly force: Stopper
}

export type StepLink = {
  readonly connection: Connection
  /** The beginning of every URL, with a slash at the end. */
  readonly base: string
  /** The interval in which the runner reports that its step goes on. */
  readonly renewMs: number
}

/** Prints a line in the form of the real runner's log. */
export function print({ clock, print: write }: RunnerHost, text: string): void {
  const [day, time = ''] = new Date(clock.now()).toISOString().split('T')
  write(`[${day} ${time.replace('.', ',').replace('Z', '')}] ${text}\n`)
}
