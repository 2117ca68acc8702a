// How a scripted container behaves.
import type { ContainerEnd, NetworkTarget } from '../runtime.ts'

/** Everything may be left out: then the container runs until it is told to end, and ends at once with code 143. Times are milliseconds. */
export type Script = {
  /** Ends by itself this long after its start. */
  readonly endsAfterMs?: number
  readonly exitCode?: number
  readonly reason?: ContainerEnd['reason']
  /** What SIGTERM does: the end this much later, or nothing. */
  readonly onTerm?: { readonly afterMs: number; readonly exitCode: number } | 'ignored'
  /** The command cannot be run. */
  readonly startError?: string
  /** Printed at the start. */
  readonly output?: string
  /** What a probe or hook gives, by its command and how long the container has run. */
  readonly exec?: (command: readonly string[], elapsedMs: number) => ExecScript
  /** How it answers on the network, by how long the container has run; 200 at once unless given. */
  readonly network?: (target: NetworkTarget, elapsedMs: number) => NetworkScript
}

/** An HTTP status, or none over a bare connection. */
export type NetworkScript = { readonly status?: number; readonly afterMs?: number } | 'refused' | 'hangs'

export type ExecScript = { readonly exitCode: number; readonly afterMs?: number; readonly output?: string } | 'hangs'
