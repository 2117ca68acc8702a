// The second port of a forge: an account as one who examines it sees it, without a runner set of their own (docs/decisions/0006-forge-account.md).
import type { Instant } from '../lib/clock.ts'
import type { Registration } from '../model/runner.ts'
import type { Traits } from './forge.ts'

export type AccountRegistration = Registration & {
  /** The id of its set at the forge; undefined for a runner of none. */
  readonly set: string | undefined
  /** When it was registered, where the forge says so. */
  readonly createdAt: Instant | undefined
}

export type AccountSet = { readonly id: string; readonly name: string }

/** Every method rejects with a `PortError`, or with the signal's reason: what was not answered is not known. */
export interface ForgeAccount {
  /** As runner sets name it. */
  readonly url: string
  readonly removal: Traits['removal']
  /** Every registration of the account, of whatever set: complete, or an error. */
  registrations(signal?: AbortSignal): Promise<readonly AccountRegistration[]>
  /** Undefined when none has this name, by a complete answer. */
  find(name: string, signal?: AbortSignal): Promise<AccountRegistration | undefined>
  /** Undefined when the set is gone. */
  set(id: string, signal?: AbortSignal): Promise<AccountSet | undefined>
  deregister(id: string, signal?: AbortSignal): Promise<'removed' | 'absent' | 'busy'>
}
