// The part of the demo that differs by forge: an emulator on 127.0.0.1, the clients with which runner sets use it, and the work to run.
import type { AnomalyLog } from '@dayfly/forges/github/session/protocol-anomaly'
import type { Clock } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { Forge, ForgeAccess } from '@dayfly/runner-set/forge/forge'
import type { SecretEntries } from '@dayfly/runner-set/model/credential'
import type { ForgeSource } from '@dayfly/runner-set/model/runner-set'
import type { Scorekeeper } from './score.ts'

/** One runner set of the demo. */
export type DemoSet = {
  readonly name: string
  readonly min: number
  /** Fields of the spec besides `scale`. */
  readonly spec: Readonly<Record<string, unknown>>
}

export interface DemoForge {
  /** The URL of the account of the demo's sets. */
  readonly url: string
  /** The Secret with the credential. Sets that the operator adds can use it, too. */
  readonly secret: { readonly name: string; readonly entries: SecretEntries }
  readonly sets: readonly DemoSet[]
  /** Returns the client for a set. Throws a `PortError` for any other forge, so that the demo never leaves this machine. */
  forgeFor(source: ForgeSource, access: ForgeAccess): Forge
  /** Returns the names of all registered runners. */
  registrations(): readonly string[]
  close(): Promise<void>
}

export type DemoForgeOptions = {
  readonly clock: Clock
  readonly random: Random
  readonly userAgent: string
  /** Receives the forge's protocol anomalies. */
  readonly onAnomaly: AnomalyLog
}

/** One workflow or pipeline that has ended. */
export type PlayedRun = {
  readonly workflow: string
  readonly file: string
  readonly conclusion: string
  readonly jobs: readonly PlayedJob[]
}

type PlayedJob = {
  readonly name: string
  readonly conclusion: string
  /** Why the job never started, in the forge's words; null if it did. */
  readonly note: string | null
  readonly steps: readonly { readonly name: string; readonly conclusion: string; readonly outcome: string }[]
}

/** The work of one demo, on the forge that it opens. */
export interface Show<Opened extends DemoForge = DemoForge> {
  /** The number of jobs that are known before the start. */
  readonly jobs: number
  open(options: DemoForgeOptions): Promise<Opened>
  /** Starts a run every `intervalMs` and resolves when all have ended. Rejects with the signal's reason if that comes first. */
  play(forge: Opened, stage: PlayStage, until: AbortSignal): Promise<readonly PlayedRun[]>
  /** Returns the last lines of a job's log, without colours. */
  log(forge: Opened, jobId: string): readonly string[]
  /** Returns the figures that only this forge has. */
  figures(forge: Opened): Readonly<Record<string, number>>
}

export type PlayStage = { readonly clock: Clock; readonly score: Scorekeeper; readonly intervalMs: number }
