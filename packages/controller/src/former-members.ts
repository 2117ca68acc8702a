// Sets that left their pool, because they were deleted or cannot be read, while runners of theirs live: those still take places.
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { PodCache } from './pod-cache.ts'
import type { PoolMate } from './pool-tie.ts'

/** Returns whether two sets share a pool. */
export function areMates(one: RunnerSet, other: RunnerSet): boolean {
  const { pool } = one.scale
  const isNear = one.uid !== other.uid && one.namespace === other.namespace
  return isNear && pool !== undefined && pool.name === other.scale.pool?.name
}

export class FormerMembers {
  readonly #pods: PodCache
  /** The UID of a set leads to it. A new process does not know those that left before it began. */
  readonly #sets = new Map<string, RunnerSet>()

  /** @param onChange is called with a former member when one of its pods changes */
  constructor(pods: PodCache, onChange: (set: RunnerSet) => void) {
    this.#pods = pods
    pods.watchOthers((uid) => {
      const set = this.#sets.get(uid)
      if (set) onChange(set)
    })
  }

  left(set: RunnerSet): void {
    if (set.scale.pool) this.#sets.set(set.uid, set)
  }

  cameBack(uid: string): void {
    this.#sets.delete(uid)
  }

  /** Returns those that were in the pool of the set, and forgets the ones without a runner. */
  matesOf(one: RunnerSet): readonly PoolMate[] {
    const mates: PoolMate[] = []
    for (const [other, set] of this.#sets) {
      const occupied = this.#pods.occupiedBy(other)
      if (occupied === 0) this.#sets.delete(other)
      else if (set.scale.pool && areMates(one, set)) {
        const { max, weight } = set.scale.pool
        const member = { max, weight, floor: 0, occupied, jobs: occupied ?? 0, asked: occupied ?? 0 }
        mates.push({ poolMember: () => member, look: () => {} })
      }
    }
    return mates
  }
}
