// The other members of a set's pool. A set that left its pool, because it was deleted or cannot be read, is one while runners of it live.
import type { PoolMember, PoolPart } from '@dayfly/runner-set/model/pool'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { PodCache } from './pod-cache.ts'
import type { PoolMate } from './pool-tie.ts'

type Place = { readonly uid: string; readonly namespace: string; readonly pool: PoolPart | undefined }

/** @property worker that has not ended: it may still start a runner, which its own count includes */
type Former = Place & { readonly worker: Worker | undefined }

/** The worker of a set that this process has read. */
type Worker = PoolMate & { readonly set: RunnerSet }

export class PoolMates {
  readonly #pods: PodCache
  readonly #workers: () => readonly Worker[]
  /** The UID of a set that left leads to its pool. A new process does not know those that were deleted before it began. */
  readonly #left = new Map<string, Former>()

  /** @param workers returns those that are at work */
  constructor(pods: PodCache, workers: () => readonly Worker[]) {
    this.#pods = pods
    this.#workers = workers
    pods.watchOthers((uid) => this.#wake(uid))
  }

  matesOf(set: RunnerSet): readonly PoolMate[] {
    return this.#matesAt(placeOf(set))
  }

  /** The worker begins to end. */
  left(worker: Worker): void {
    this.#add({ ...placeOf(worker.set), worker })
  }

  ended(uid: string): void {
    const former = this.#left.get(uid)
    if (former) this.#add({ ...former, worker: undefined })
  }

  /** @param place of a set that cannot be read, as far as its pool can. One that could be read before keeps that pool. */
  unread(place: Place): void {
    if (!this.#left.has(place.uid)) this.#add({ ...place, worker: undefined })
  }

  cameBack(uid: string): void {
    this.#left.delete(uid)
  }

  #add(former: Former): void {
    if (former.pool) this.#left.set(former.uid, former)
    this.#wake(former.uid)
  }

  #matesAt(place: Place): readonly PoolMate[] {
    if (!place.pool) return []
    return [...this.#workers().filter(({ set }) => areMates(place, placeOf(set))), ...this.#formerMates(place)]
  }

  #wake(uid: string): void {
    const former = this.#left.get(uid)
    if (former) for (const mate of this.#matesAt(former)) mate.look()
  }

  /** Forgets the former members without a runner. */
  #formerMates(place: Place): readonly PoolMate[] {
    const mates: PoolMate[] = []
    for (const [uid, former] of this.#left) {
      const occupied = former.worker ? former.worker.poolMember()?.occupied : this.#pods.occupiedBy(uid)
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
