// The other members of a set's pool. A set that cannot be read keeps its floor, and a deleted one the places of its runners.
import { restingMember } from '@dayfly/runner-set/core/pool'
import type { PoolPart } from '@dayfly/runner-set/model/pool'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { PodCache } from './pod-cache.ts'
import type { PoolMate } from './pool-tie.ts'

type Place = { readonly uid: string; readonly namespace: string; readonly pool: PoolPart | undefined }

/**
 * A set without a worker at work.
 * @property worker that has not ended: it may still start a runner, which its own count includes
 * @property exists and cannot be read, or waits for the end of its earlier worker
 */
type Resting = Place & { readonly worker: Worker | undefined; readonly exists: boolean }

/** The worker of a set that this process has read. */
type Worker = PoolMate & { readonly set: RunnerSet }

export class PoolMates {
  readonly #pods: PodCache
  readonly #workers: () => readonly Worker[]
  /** The UID leads to the set. A new process does not know those that were deleted before it began. */
  readonly #resting = new Map<string, Resting>()

  /** @param workers returns those that are at work */
  constructor(pods: PodCache, workers: () => readonly Worker[]) {
    this.#pods = pods
    this.#workers = workers
    pods.watchOthers((uid) => this.#wake(uid))
  }

  matesOf(set: RunnerSet): readonly PoolMate[] {
    return this.#matesAt(placeOf(set))
  }

  /** The worker begins to end, and its set still exists until it is gone. */
  left(worker: Worker): void {
    this.#add({ ...placeOf(worker.set), worker, exists: true })
  }

  ended(uid: string): void {
    const resting = this.#resting.get(uid)
    if (resting) this.#add({ ...resting, worker: undefined })
  }

  /** @param place of a set that cannot be read. If its pool cannot be read either, it stays in the last one. */
  unread({ pool, ...place }: Place): void {
    const { worker, pool: last } = this.#resting.get(place.uid) ?? {}
    this.#add({ ...place, pool: pool ?? last, worker, exists: true })
  }

  /** The set is deleted, or has no runners of its own any more. */
  gone(uid: string): void {
    const resting = this.#resting.get(uid)
    if (resting) this.#add({ ...resting, exists: false })
  }

  cameBack(uid: string): void {
    this.#resting.delete(uid)
  }

  #add(resting: Resting): void {
    if (resting.pool) this.#resting.set(resting.uid, resting)
    this.#wake(resting.uid)
  }

  #matesAt(place: Place): readonly PoolMate[] {
    if (!place.pool) return []
    return [...this.#workers().filter(({ set }) => areMates(place, placeOf(set))), ...this.#restingMates(place)]
  }

  #wake(uid: string): void {
    const resting = this.#resting.get(uid)
    if (resting) for (const mate of this.#matesAt(resting)) mate.look()
  }

  /** Forgets the deleted sets without a runner. */
  #restingMates(place: Place): readonly PoolMate[] {
    const mates: PoolMate[] = []
    for (const [uid, resting] of this.#resting) {
      const { worker, pool, exists } = resting
      const occupied = worker ? worker.poolMember()?.occupied : this.#pods.occupiedBy(uid)
      if (occupied === 0 && !exists) this.#resting.delete(uid)
      else if (pool && areMates(place, resting))
        mates.push(mateOf(uid, exists ? pool : { ...pool, floor: 0 }, occupied))
    }
    return mates
  }
}

function mateOf(uid: string, pool: PoolPart, occupied: number | undefined): PoolMate {
  return { poolMember: () => restingMember(uid, pool, occupied), look: () => {} }
}

function placeOf({ uid, namespace, scale: { pool } }: RunnerSet): Place {
  return { uid, namespace, pool }
}

function areMates(one: Place, other: Place): boolean {
  return one.uid !== other.uid && one.namespace === other.namespace && one.pool?.name === other.pool?.name
}
