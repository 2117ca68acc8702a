// Follows jobs from poll to poll: how one ended is not in a list of unfinished jobs, so each that leaves it is read once.
import type { Instant } from '@dayfly/kit/clock'
import type { ListedJob } from './wire.ts'

/** A reader of views that is this much behind misses no end, in milliseconds. */
const rememberMs = 10 * 60_000
const readsAtOnce = 8

/** A job that is over, and when a poll saw that first. */
export type EndedJob = ListedJob & { readonly seenAt: Instant }

export class Follower {
  readonly #read: (job: ListedJob) => Promise<ListedJob | undefined>
  #open = new Map<string, ListedJob>()
  #ended: readonly EndedJob[] = []

  /** @param read returns the job as it is now; undefined if it is gone */
  constructor(read: (job: ListedJob) => Promise<ListedJob | undefined>) {
    this.#read = read
  }

  /**
   * Compares the unfinished jobs with those of the last poll. Rejects if one that left the list cannot be read.
   * Returns the jobs that the list missed, because jobs moved between its pages, and all that ended lately.
   */
  async compare(
    listed: readonly ListedJob[],
    isFollowed: (job: ListedJob) => boolean,
    at: Instant,
  ): Promise<{ readonly missed: readonly ListedJob[]; readonly ended: readonly EndedJob[] }> {
    const ids = new Set(listed.map(({ id }) => id))
    const left = [...this.#open.values()].filter(({ id }) => !ids.has(id))
    const found: (readonly [before: ListedJob, now: ListedJob | undefined])[] = []
    for (let index = 0; index < left.length; index += readsAtOnce) {
      const part = left.slice(index, index + readsAtOnce)
      found.push(...(await Promise.all(part.map(async (job) => [job, await this.#read(job)] as const))))
    }
    const missed = found.flatMap(([, now]) => (now && now.state !== 'ended' ? [now] : []))
    const over = found.flatMap(([before, now]) => {
      if (now === undefined) return [{ ...before, state: 'ended', conclusion: 'gone' } as const]
      return now.state === 'ended' ? [now] : []
    })
    this.#open = new Map([...listed, ...missed].filter(isFollowed).map((job) => [job.id, job]))
    this.#ended = this.#ended.filter(({ seenAt }) => at - seenAt < rememberMs)
    return { missed, ended: this.add(over, at) }
  }

  /** Adds jobs that are over. Returns all that ended lately. */
  add(jobs: readonly ListedJob[], seenAt: Instant): readonly EndedJob[] {
    this.#ended = [...this.#ended, ...jobs.map((job) => ({ ...job, seenAt }))]
    return this.#ended
  }

  /** Returns whether the last poll saw a job on the runner. */
  has(runnerId: string): boolean {
    return [...this.#open.values()].some((job) => job.runnerId === runnerId)
  }

  /** Returns whether the job that the last poll saw on the runner runs on; undefined without one. */
  async stillRuns(runnerId: string): Promise<boolean | undefined> {
    const job = [...this.#open.values()].find((one) => one.runnerId === runnerId)
    if (!job) return undefined
    const now = await this.#read(job)
    return now !== undefined && now.state !== 'ended' && now.runnerId === runnerId
  }
}
