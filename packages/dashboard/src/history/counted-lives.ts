// The lives with their sums: a life counts once it is over, and only while this process leads. A process that does not lead sees the same lives.
import type { Instant } from '@dayfly/kit/clock'
import { contributionOf } from './contribution.ts'
import { type Followed, isOver } from './followed.ts'
import { Hours } from './hours.ts'
import { Lives, type LivesBounds } from './lives.ts'
import type { Past } from './past-window.ts'
import type { StepName } from './steps.ts'

/** A longer pause, in which this process counted nothing, makes the history incomplete. After a shorter one the messages come again. */
const gapMs = 15 * 60_000

/** Without a store, nobody takes them. Many are dropped together: the first key of a map is slow to find after deletions. */
const unsavedMax = 5_000

/** How far the sums of an earlier process reach. */
export type Reach = { readonly since: Instant | null; readonly countedUntil: Instant | null }

export class CountedLives {
  readonly lives: Lives
  readonly hours = new Hours()
  /** Lives that are over and not stored yet, as they are now. */
  readonly #unsaved = new Map<string, Followed>()
  #isLeading = false
  #since: Instant | null = null
  #countedUntil: Instant | null = null

  constructor(bounds: LivesBounds) {
    this.lives = new Lives(bounds)
  }

  get isLeading(): boolean {
    return this.#isLeading
  }

  leads(at: Instant): void {
    this.#isLeading = true
    if (this.#countedUntil === null || at - this.#countedUntil > gapMs) this.#since = at
    this.#countedUntil = at
  }

  leadsNoMore(): void {
    this.#isLeading = false
  }

  /** Notes that this process still counts. */
  goesOn(at: Instant): void {
    if (this.#isLeading) this.#countedUntil = at
  }

  reach(): Reach {
    return { since: this.#since, countedUntil: this.#countedUntil }
  }

  past(): Past {
    const living = this.#isLeading ? [...this.lives.living()].filter((followed) => !isOver(followed)) : []
    return { hours: this.hours, living, since: this.#since }
  }

  /** Stores a life in place of what it was. Returns the ids of the lives that it displaces. */
  put(before: Followed | undefined, folded: Followed, at: Instant): readonly string[] {
    this.#countQueue(before, folded, at)
    const after = this.#counted(before, folded, at)
    if (isOver(after)) this.#save(after)
    return this.lives.put(after)
  }

  /** Returns the lives that are over and changed since the last call. */
  takeUnsaved(): readonly Followed[] {
    const lives = [...this.#unsaved.values()]
    this.#unsaved.clear()
    return lives
  }

  restoreReach({ since, countedUntil }: Reach): void {
    const isNear = countedUntil !== null && this.#since !== null && this.#since - countedUntil <= gapMs
    if (this.#since === null || isNear) this.#since = since ?? this.#since
    this.#countedUntil ??= countedUntil
  }

  /**
   * Takes back a life that an earlier process stored. One that lives now is newer.
   * @param isCounted the stored sums have it already; @param queuesUntil the stored sums have the queue times up to here
   */
  restore(kept: Followed, { isCounted, queuesUntil, at }: Restoring): void {
    const { id, phase, steps, job, set } = kept.life
    const before = this.lives.get(id)
    if (before && before.life.phase !== 'gone') return
    const isLost = phase !== 'gone'
    const after = isLost
      ? { ...kept, lostAt: kept.lostAt ?? steps.ended ?? at, life: { ...kept.life, phase: 'gone' as const } }
      : kept
    this.lives.put(after)
    if (isCounted) return
    const taken = before && contribution(before, at)
    if (taken) this.hours.contribute(taken, -1)
    const added = contribution(after, at)
    if (added) this.hours.contribute(added, 1)
    if (before || after.countedFrom === null || !job || steps.queued === null || steps.jobStarted === null) return
    if (steps.jobStarted <= queuesUntil) return
    this.hours.queued(steps.jobStarted, set, job.repository, steps.jobStarted - steps.queued)
  }

  #save(life: Followed): void {
    this.#unsaved.set(life.life.id, life)
    if (this.#unsaved.size <= unsavedMax) return
    for (const oldest of this.#unsaved.keys()) {
      this.#unsaved.delete(oldest)
      if (this.#unsaved.size <= unsavedMax * 0.9) break
    }
  }

  /** A queue time counts once, when it becomes known. */
  #countQueue(before: Followed | undefined, after: Followed, at: Instant): void {
    const { job, set, steps } = after.life
    if (!this.#isLeading || !job || steps.queued === null || steps.jobStarted === null) return
    if (before?.life.job?.id === job.id && before.life.steps.queued !== null) return
    this.hours.queued(at, set, job.repository, steps.jobStarted - steps.queued)
  }

  /** If more of a life that is over becomes known, it counts again in place of what it was. */
  #counted(before: Followed | undefined, after: Followed, at: Instant): Followed {
    const countedFrom = isOver(after) ? (after.countedFrom ?? (this.#isLeading ? this.#since : null)) : null
    const counted = countedFrom === after.countedFrom ? after : { ...after, countedFrom }
    if (before && countsAlike(before, counted)) return counted
    const taken = before && contribution(before, at)
    if (taken) this.hours.contribute(taken, -1)
    const added = contribution(counted, at)
    if (added) this.hours.contribute(added, 1)
    return counted
  }
}

export type Restoring = { readonly isCounted: boolean; readonly queuesUntil: Instant; readonly at: Instant }

function contribution(followed: Followed, at: Instant) {
  return followed.countedFrom === null ? null : contributionOf(followed, followed.countedFrom, at)
}

/** Most lives change once more after their end: they are gone, which changes no sum. */
function countsAlike(before: Followed, after: Followed): boolean {
  const { life: one, ...first } = before
  const { life: other, ...next } = after
  const isSame = (name: StepName) => one.steps[name] === other.steps[name]
  return (
    first.countedFrom === next.countedFrom &&
    first.lostAt === next.lostAt &&
    first.problemIs === next.problemIs &&
    first.earlierJobs === next.earlierJobs &&
    first.priceLabel === next.priceLabel &&
    one.job === other.job &&
    one.requests === other.requests &&
    countedSteps.every(isSame) &&
    (one.steps.ended !== null || isSame('gone'))
  )
}

const countedSteps: readonly StepName[] = ['created', 'started', 'online', 'jobStarted', 'jobFinished', 'ended']
