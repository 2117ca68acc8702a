// The second port of a forge: the registrations of an account, for an observer that has no runner set of its own
// (docs/decisions/0006-forge-account.md).
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeTraits } from '../model/forges/traits.ts'
import type { Registration } from '../model/runner.ts'

export type AccountRegistration = Registration & {
  /** The id of its set at the forge; undefined for a runner without a set. */
  readonly set: string | undefined
  /** Absent if the forge does not say. */
  readonly labels?: readonly string[]
  /** When it was registered, or a later time at which it was registered already; undefined if the forge shows neither. */
  readonly createdAt: Instant | undefined
}

export type AccountSet = {
  readonly id: string
  readonly name: string
  /** The jobs that are assigned to the set, waiting or running; undefined if the forge does not say. */
  readonly assignedJobs?: number | undefined
  /** The runners that are registered for the set; undefined if the forge does not say. */
  readonly registeredRunners?: number | undefined
}

/** Every method rejects with a `PortError` or with the signal's reason. After a rejection the answer is unknown. */
export interface ForgeAccount {
  /** The account's URL in the form that runner sets use. */
  readonly url: string
  readonly removal: ForgeTraits['removal']
  /** Returns every registration of the account, of all sets. Rejects if the list is not complete. */
  registrations(signal?: AbortSignal): Promise<readonly AccountRegistration[]>
  /**
   * Returns undefined if a complete response shows no registration of this name.
   * @param id chooses one of several registrations of this name, where the forge allows that
   */
  find(name: string, signal?: AbortSignal, id?: string): Promise<AccountRegistration | undefined>
  /** Returns undefined if the set is gone. */
  set(id: string, signal?: AbortSignal): Promise<AccountSet | undefined>
  /** Returns undefined if a complete response shows no set of this name. @param group the runner group; undefined for the default one */
  findSet(name: string, group: string | undefined, signal?: AbortSignal): Promise<AccountSet | undefined>
  /** Removes a set. Rejects while one of its runners has a job. */
  removeSet(id: string, signal?: AbortSignal): Promise<void>
  /** Removes a registration, with the same results and errors as `Link.deregister`. */
  deregister(id: string, signal?: AbortSignal): Promise<'removed' | 'absent' | 'busy'>
}
