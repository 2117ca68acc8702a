// The other members of a set's pool. A set that left its pool, because it was deleted or cannot be read, is one while runners of it live.
import type { PoolMember, PoolPart } from '@dayfly/runner-set/model/pool'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { PodCache } from './pod-cache.ts'
import type { PoolMate } from './pool-tie.ts'

type Place = { readonly uid: string; readonly namespace: string; readonly pool: PoolPart | undefined }

/** A set that this process has read. */
type ReadMate = PoolMate & { readonly set: RunnerSet }

export class PoolMates {
  readonly #pods: PodCache
  readonly #readMates: () => readonly ReadMate[]
  /** The UID of a set that left leads to its pool. A new process does not know those that were deleted before it began. */
  readonly #left = new Map<string, Place>()

  constructor(pods: PodCache, readMates: () => readonly ReadMate[]) {
    this.#pods = pods
    this.#readMates = readMates
    pods.watchOthers((uid) => {
      const place = this.#left.get(uid)
      if (place) this.#wake(place)
    })
  }

  of(set: RunnerSet): readonly PoolMate[] {
    return this.#of(placeOf(set))
  }

  /** The set has no worker any more. */
  left(set: RunnerSet): void {
    this.unread(placeOf(set))
    this.#wake(placeOf(set))
  }

  /** @param place of a set that cannot be read, as far as its pool can */
  unread(place: Place): void {
    if (place.pool) this.#left.set(place.uid, place)
  }

  cameBack(uid: string): void {
    this.#left.delete(uid)
  }

  #of(place: Place): readonly PoolMate[] {
    if (!place.pool) return []
    return [...this.#readMates().filter(({ set }) => areMates(place, placeOf(set))), ...this.#formerMates(place)]
  }

  #wake(place: Place): void {
    for (const mate of this.#of(place)) mate.look()
  }

  /** Forgets the former members without a runner. */
  #formerMates(place: Place): readonly PoolMate[] {
    const mates: PoolMate[] = []
    for (const [uid, former] of this.#left) {
      const occupied = this.#pods.occupiedBy(uid)
      if (occupied === 0) this.#left.delete(uid)
      else if (former.pool && areMates(place, former)) mates.push(mateOf(former.pool, occupied))
    }
    return mates
  }
}

/** It keeps the places that it has, and asks for no other. */
function mateOf({ max, weight }: PoolPart, occupied: number | undefined): PoolMate {
  const member: PoolMember = { max, weight, floor: 0, occupied, jobs: occupied ?? 0, asked: occupied ?? 0 }
  return { poolMember: () => member, look: () => {} }
}

function placeOf({ uid, namespace, scale: { pool } }: RunnerSet): Place {
  return { uid, namespace, pool }
}

function areMates(one: Place, other: Place): boolean {
  return one.uid !== other.uid && one.namespace === other.namespace && one.pool?.name === other.pool?.name
}
