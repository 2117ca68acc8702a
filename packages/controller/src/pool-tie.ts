// The tie of a set to the other members of its pool.
import type { PoolMember } from '@dayfly/runner-set/model/pool'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

/** Another set of the pool. */
export type PoolMate = {
  /** Returns what it has and asks for; undefined if it is no member any more. */
  poolMember(): PoolMember | undefined
  /** Lets it decide again soon. */
  look(): void
}

/** Finds the other sets of a set's pool. */
export type FindMates = (set: RunnerSet) => readonly PoolMate[]

export class PoolTie {
  readonly #find: FindMates
  /** The state of this member that the others have decided by. */
  #known: string | undefined

  constructor(find: FindMates) {
    this.#find = find
  }

  others(set: RunnerSet): readonly PoolMember[] {
    return this.#find(set).flatMap((mate) => mate.poolMember() ?? [])
  }

  /** A member that has or asks for another number of runners changes the places that the others may have. */
  decided(set: RunnerSet, member: PoolMember | undefined): void {
    const state = JSON.stringify(member)
    if (state === this.#known) return
    this.#known = state
    for (const mate of this.#find(set)) mate.look()
  }
}
