// The jobs that wait for a runner. A lost message must not leave a job here forever, so the forge's own count corrects the list.
import type { Instant } from '@dayfly/kit/clock'
import type { WaitingJob } from '../model/life.ts'

/** How long the forge must count no waiting job, or fewer than the list has, before the list is corrected. */
const noneMs = 5_000
const surplusMs = 60_000

type Listed = { readonly job: WaitingJob; readonly addedAt: Instant }
type Doubt = { readonly noneSince: Instant | null; readonly surplusSince: Instant | null }

export class WaitingJobs {
  readonly #most: number
  readonly #listed = new Map<string, Listed>()
  readonly #ofSet = new Map<string, Set<string>>()
  readonly #doubts = new Map<string, Doubt>()

  constructor(most: number) {
    this.#most = most
  }

  get(id: string): WaitingJob | undefined {
    return this.#listed.get(id)?.job
  }

  all(): readonly WaitingJob[] {
    return [...this.#listed.values()].map(({ job }) => job)
  }

  /** Adds a job once. The oldest ones matter most: a full list takes no more. Returns whether the list changed. */
  add(job: WaitingJob, at: Instant): boolean {
    const before = this.#listed.get(job.id)
    if (before ? before.job.set === job.set : this.#listed.size >= this.#most) return false
    this.remove(job.id)
    this.#listed.set(job.id, { job, addedAt: at })
    const same = this.#ofSet.get(job.set) ?? new Set<string>()
    this.#ofSet.set(job.set, same.add(job.id))
    return true
  }

  remove(id: string): boolean {
    const found = this.#listed.get(id)
    if (!found) return false
    this.#listed.delete(id)
    const same = this.#ofSet.get(found.job.set)
    same?.delete(id)
    if (same?.size === 0) this.#ofSet.delete(found.job.set)
    return true
  }

  /** Removes the jobs of a set, or all. Returns their ids. */
  clear(set?: string): readonly string[] {
    const ids = set === undefined ? [...this.#listed.keys()] : [...(this.#ofSet.get(set) ?? [])]
    for (const id of ids) this.remove(id)
    if (set === undefined) this.#doubts.clear()
    else this.#doubts.delete(set)
    return ids
  }

  /**
   * Compares the list of a set with the number of jobs that wait at the forge; null if that is unknown. Returns the ids of
   * the jobs that it removes. A job that was added since the doubt began stays: the number may be older.
   */
  reconcile(set: string, waiting: number | null, now: Instant): readonly string[] {
    const listed = this.#ofSet.get(set)?.size ?? 0
    const before = this.#doubts.get(set)
    const noneSince = waiting === 0 && listed > 0 ? (before?.noneSince ?? now) : null
    const surplusSince = waiting !== null && waiting < listed ? (before?.surplusSince ?? now) : null
    if (surplusSince === null) this.#doubts.delete(set)
    else this.#doubts.set(set, { noneSince, surplusSince })
    if (noneSince !== null && now - noneSince > noneMs) return this.#removeOldest(set, listed, noneSince)
    if (waiting === null || surplusSince === null || now - surplusSince <= surplusMs) return []
    return this.#removeOldest(set, listed - waiting, surplusSince)
  }

  #removeOldest(set: string, count: number, before: Instant): readonly string[] {
    const ids = [...(this.#ofSet.get(set) ?? [])]
      .flatMap((id) => this.#listed.get(id) ?? [])
      .filter(({ addedAt }) => addedAt <= before)
      .sort((one, other) => one.job.queuedAt - other.job.queuedAt)
      .slice(0, count)
      .map(({ job }) => job.id)
    for (const id of ids) this.remove(id)
    this.#doubts.delete(set)
    return ids
  }
}
