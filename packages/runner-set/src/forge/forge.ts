// The forge port: everything that the controller asks of GitHub, Bitbucket or Gitea. No method is optional; the forges
// differ in their traits (packages/runner-set/src/model/forge-traits.ts).
import type { Instant } from '@dayfly/kit/clock'
import type { TransportError } from '@dayfly/kit/http'
import type { Credential, SecretEntries } from '../model/credential.ts'
import type { ForgeEvent, ForgeState } from '../model/forge-event.ts'
import type { ForgeTraits } from '../model/forges/traits.ts'
import type { ForgeJob, Note } from '../model/rerun.ts'
import type { Registration } from '../model/runner.ts'
import type { RunnerImage } from '../model/runner-version.ts'

/** The part of a runner set that the forge needs to know. */
export type ForgeSet = {
  /** The name at the forge. At GitHub it is also a label that jobs can ask for. Does not change while the link is open. */
  readonly name: string
  /**
   * The beginning of the names of the set's runners, and of no other set's. A forge without records of sets finds the
   * set's registrations by it.
   */
  readonly runnerPrefix: string
  readonly labels: readonly string[]
  /** The runner group; undefined for the forge's default group. */
  readonly group: string | undefined
  /** See `ForgeSource.jobImage`. */
  readonly jobImage?: string
  /** How long Kubernetes waits for the end of the set's pods, in seconds. Absent: 30 s, its default. */
  readonly graceSeconds?: number
  /** The image of the runner, and the version that its name proves. Absent at a forge that ends no version of its runner. */
  readonly runner?: RunnerImage
  /** The most runners that the set can have now, announced to a forge that gives it jobs at once. At least 1: to pause a set, close its link. */
  readonly max: number
}

/**
 * The events of one message, in order. The next batch follows only after this one is acknowledged. A batch that is not
 * acknowledged is delivered again, up to three times in all. Acknowledge a batch with `state` only after the state is
 * stored where a new leader finds it. The forge's record is created after that, so a crash leaves no record that a new
 * leader cannot recognise.
 */
export type ForgeEventBatch = { readonly events: readonly ForgeEvent[]; ack(): void }

/**
 * Why no registration is allowed before `until`. This is no error: the set waits for the forge's limit.
 * `ceiling`: the documented limit of registrations for this organization, repository or enterprise is reached.
 * `asked`: the forge asked us to wait. `budget`: the request budget of every credential is spent.
 */
export type ForgeLimit = { readonly reason: 'ceiling' | 'asked' | 'budget'; readonly until: Instant }

/** How many registrations are allowed now. `nextAt` and `limit` are set if none is. */
export type Allowance = {
  readonly now: number
  readonly nextAt: Instant | undefined
  readonly limit: ForgeLimit | undefined
  /** The time between two polls as it is now, in milliseconds; absent at a forge that sends its events at once. */
  readonly pollMs?: number
}

export type RegisterOutcome =
  | { readonly is: 'registered'; readonly registration: Registration; readonly credential: Credential }
  /** The forge's limit is reached. Try again at `until`. */
  | ({ readonly is: 'limited' } & ForgeLimit)

/** The contents of the objects that a set names for its way to the forge. No message repeats a Secret's entries. */
export type ForgeAccess = {
  readonly credential: SecretEntries
  /** The entries of the proxy's Secret: `username` and `password`. */
  readonly proxyCredential?: SecretEntries | undefined
  /** Certificates in PEM that are trusted besides the system's. */
  readonly ca?: string | undefined
}

/** The purpose of a request to a forge. */
export type ForgeOperation =
  | 'find-installation'
  | 'create-installation-token'
  | 'create-registration-token'
  | 'create-token'
  | 'find-account'
  | 'connect'
  | 'find-group'
  | 'find-set'
  | 'read-set'
  | 'create-set'
  | 'change-set'
  | 'delete-set'
  | 'open-session'
  | 'refresh-session'
  | 'close-session'
  | 'poll'
  | 'acknowledge'
  | 'acquire'
  | 'register'
  | 'list-registrations'
  | 'find-registration'
  | 'cordon'
  | 'deregister'
  | 'read-version'
  | 'read-run'
  | 'end-run'
  | 'repeat-jobs'
  | 'notify'
  | 'other'

/** One request to a forge and its result, for metrics. Each attempt of a repeated request counts. */
export type ForgeExchange = {
  readonly operation: ForgeOperation
  /** The HTTP status, or why there was no response. */
  readonly code: number | TransportError['kind'] | 'aborted'
  readonly ms: number
  /** The request budget that the response stated, and the account that it belongs to. */
  readonly budget: { readonly account: string; readonly remaining: number } | undefined
}

/** An account at a forge: a URL and a credential. Owns everything that is limited or shared per account: tokens and pacing. */
export interface Forge {
  readonly traits: ForgeTraits
  /**
   * Connects a set. Rejects with a `PortError` only for a configuration that cannot work: `bad-config`, `unauthorized`,
   * `conflict`. Any other failure is retried by the link, which reports it as `failing`.
   */
  open(set: ForgeSet, remembered: ForgeState | undefined, until: AbortSignal): Promise<Link>
  /** Asks the forge soon, because something may have changed there. Does nothing where the forge sends its events at once. */
  hasten(): void
}

/** The runs of an account, as far as a broken job needs it. Each method rejects with a `PortError`. */
export interface Runs {
  /** Returns each job of the run in its latest attempt. */
  jobs(repository: string, run: string): Promise<readonly ForgeJob[]>
  /** Ends a run at once that waits for a dead runner. `running`: it is over already. */
  end(repository: string, run: string): Promise<'accepted' | 'running'>
  /** Runs a job again, and those that need it. `running`: its run is not over, and nothing was done. */
  repeat(repository: string, job: string): Promise<'accepted' | 'running'>
  /** The same for every job of the run that failed or was cancelled. */
  repeatFailed(repository: string, run: string): Promise<'accepted' | 'running'>
  /** Shows the note at its commit. It is shown once, also if this is repeated. */
  notify(note: Note): Promise<void>
}

/**
 * The connection of one runner set. Its methods reject with a `PortError`, whose `retryAt` is set if the forge says when
 * to try again. The stream of events never ends because of an error.
 */
export interface Link {
  /** Can be consumed once. Ends only when the link is closed or its signal is aborted. */
  events(): AsyncIterable<ForgeEventBatch>
  /** Announces a new maximum at once, and changes labels and runner group at the forge; the result is a `settings` event. */
  update(set: ForgeSet): void
  /** Returns how many registrations are allowed now. If none is, says why and when the next one will be. */
  allowance(): Allowance
  /** Registers a runner. Rejects with `conflict` if the name is taken, and with `unavailable` while the set is not connected. */
  register(name: string): Promise<RegisterOutcome>
  /** Keeps the forge from giving the runner another job. */
  cordon(registration: Registration): Promise<void>
  /**
   * Removes a registration. After `removed` and after `absent` the runner gets no job. `busy`: the runner has a job, and
   * its registration stays. Where the forge itself would remove a busy runner, this takes as long as the pick-up delay:
   * the runner is cordoned first. A rejection proves nothing: `unauthorized`, `rate-limited`, `unavailable`, `bad-response`.
   */
  deregister(registration: Registration): Promise<'removed' | 'absent' | 'busy'>
  /** Returns every registration of the set. Rejects if the list is not complete. */
  registrations(): Promise<readonly Registration[]>
  /** Its calls about jobs that ran before; undefined at a forge that repeats none by itself. */
  readonly runs: Runs | undefined
  /** `pause` gives up the session and keeps the set's records at the forge; `remove` also removes the records. Takes at most 30 s. */
  close(how: 'pause' | 'remove'): Promise<void>
}
