// The forge port: what the controller asks of GitHub, Bitbucket, Gitea. Nothing is optional; differences are traits (data).
import type { Instant } from '../lib/clock.ts'
import type { Credential } from '../model/credential.ts'
import type { Demand } from '../model/demand.ts'
import type { ForgeEvent, ForgeState } from '../model/forge-event.ts'
import type { Registration } from '../model/runner.ts'

export type { ForgeEvent, ForgeState } from '../model/forge-event.ts'

export type Traits = {
  readonly demand: Demand['kind']
  /** Whether removing a registration refuses while the runner is busy, and so proves idleness. */
  readonly removal: 'refuses-busy' | 'unguarded'
  /** Whether the forge ends a runner after one job by itself. */
  readonly ephemeral: 'by-itself' | 'by-cordon'
  /** How long after a cordon a step may still be handed out, in milliseconds. */
  readonly pickUpDelayMs: number
}

/** One runner set as the forge needs to know it. */
export type ForgeSet = {
  /** The name at the forge; the label by which jobs ask for it. */
  readonly name: string
  readonly labels: readonly string[]
  readonly group: string | undefined
  /** The ceiling that is announced. Never 0: a paused set closes its link. */
  readonly max: number
}

/** What one message held, in order; acknowledged as a whole, before the next is asked for: a batch that was not comes again, three times in all.
 *  A batch that holds `state` is acknowledged when the state is stored where a new leader finds it: GitHub's scale set is created only after that,
 *  so that a crash between creating and remembering leaves a set that is known to be ours. */
export type ForgeEventBatch = { readonly events: readonly ForgeEvent[]; ack(): void }

export type RegisterOutcome =
  | { readonly is: 'registered'; readonly registration: Registration; readonly credential: Credential }
  | { readonly is: 'limited'; readonly until: Instant }

/** One account at a forge: a URL and a credential. It owns what is limited or shared per account: tokens, pacing, one poll for many sets. */
export interface Forge {
  readonly traits: Traits
  /** Connects a set. Rejects with a `PortError` only for a configuration that cannot work (`bad-config`, `unauthorized`, `conflict`); an unreachable forge is retried within, and told as `trouble`. */
  open(set: ForgeSet, remembered: ForgeState | undefined, until: AbortSignal): Promise<Link>
}

/** One runner set's connection. Its methods reject with `PortError`; the stream of events never ends by one. */
export interface Link {
  /** Consumed once. Ends only when the link is closed or its signal is aborted. */
  events(): AsyncIterable<ForgeEventBatch>
  /** A new ceiling or labels. */
  update(set: ForgeSet): void
  /** How many registrations are allowed now. */
  allowance(): { readonly now: number; readonly nextAt: Instant | undefined }
  register(name: string): Promise<RegisterOutcome>
  cordon(registration: Registration): Promise<void>
  deregister(registration: Registration): Promise<'removed' | 'absent' | 'busy'>
  /** Every registration of the set: complete, or an error. */
  registrations(): Promise<readonly Registration[]>
  /** `pause` gives the session back and keeps the scale set; `remove` removes the set's records at the forge too. Bounded by 30 s. */
  close(how: 'pause' | 'remove'): Promise<void>
}
