// The lives that the history keeps: all that live, and the last ones that ended.
import type { Life } from '../model/life.ts'
import type { Followed } from './followed.ts'

export type LivesBounds = {
  /** Ended lives of one set. */
  readonly endedOfSet: number
  /** Ended lives of all sets. */
  readonly ended: number
}

export class Lives {
  readonly #bounds: LivesBounds
  readonly #living = new Map<string, Followed>()
  /** The one that ended first comes first. */
  readonly #ended = new Map<string, Followed>()
  readonly #endedOf = new Map<string, Set<string>>()
  /** The runner of each job that a kept life shows. */
  readonly #byJob = new Map<string, string>()

  constructor(bounds: LivesBounds) {
    this.#bounds = bounds
  }

  get(id: string): Followed | undefined {
    return this.#living.get(id) ?? this.#ended.get(id)
  }

  ofJob(job: string): Followed | undefined {
    const id = this.#byJob.get(job)
    return id === undefined ? undefined : this.get(id)
  }

  /** Stores a life. Returns the ids of the ones that it displaces. */
  put(after: Followed): readonly string[] {
    const { id, job, set } = after.life
    const before = this.get(id)?.life.job
    if (before && before.id !== job?.id) this.#forgetJob(before.id, id)
    if (job) this.#byJob.set(job.id, id)
    // A message of the forge about a runner without a pod is bounded like an end: nothing would ever remove it.
    if (after.hasPod && after.life.phase !== 'gone') {
      this.#removeEnded(id, set)
      this.#living.set(id, after)
      return []
    }
    this.#living.delete(id)
    this.#ended.set(id, after)
    const same = this.#endedOf.get(set) ?? new Set<string>()
    this.#endedOf.set(set, same.add(id))
    return this.#displaced(same)
  }

  living(): Iterable<Followed> {
    return this.#living.values()
  }

  *all(): Iterable<Followed> {
    yield* this.#living.values()
    yield* this.#ended.values()
  }

  /** The ended lives of a set, the oldest first. */
  endedOf(set: string): readonly Life[] {
    return [...(this.#endedOf.get(set) ?? [])].flatMap((id) => this.#ended.get(id)?.life ?? [])
  }

  #displaced(same: ReadonlySet<string>): readonly string[] {
    const ids: string[] = []
    const drop = (oldestFirst: Iterable<string>, size: () => number, most: number) => {
      for (const id of oldestFirst) {
        this.#drop(id)
        ids.push(id)
        if (size() <= most) break
      }
    }
    const { endedOfSet, ended } = this.#bounds
    if (same.size > endedOfSet) drop(same, () => same.size, endedOfSet)
    // The first key of a large map is slow to find after deletions, so some go together.
    if (this.#ended.size > ended) drop(this.#ended.keys(), () => this.#ended.size, Math.floor(ended * 0.99))
    return ids
  }

  #drop(id: string): void {
    const life = this.#ended.get(id)?.life
    if (!life) return
    if (life.job) this.#forgetJob(life.job.id, id)
    this.#removeEnded(id, life.set)
  }

  #removeEnded(id: string, set: string): void {
    this.#ended.delete(id)
    const same = this.#endedOf.get(set)
    same?.delete(id)
    if (same?.size === 0) this.#endedOf.delete(set)
  }

  #forgetJob(job: string, life: string): void {
    if (this.#byJob.get(job) === life) this.#byJob.delete(job)
  }
}
