// Folds the journal into what the page shows of the past and of each runner. Its memory is bounded.
import type { Instant } from '@dayfly/kit/clock'
import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
import type { FailureGroup, JobShown, Life, Mark, WaitingJob } from '../model/life.ts'
import type { Costs, Prices, Trends, WindowName } from '../model/trends.ts'
import { costsOf } from './costs.ts'
import { CountedLives, type Restoring } from './counted-lives.ts'
import { dumpText, type ReadDump } from './dump.ts'
import { FailureGroups, type FailureReport } from './failure-groups.ts'
import { foldLife, type RunnerEvent } from './fold-life.ts'
import { type Followed, newFollowed, settled } from './followed.ts'
import { fineMs, hourMs } from './hours.ts'
import { bounded, jobShown } from './job-shown.ts'
import type { Lives, LivesBounds } from './lives.ts'
import { Marks } from './marks.ts'
import { type SeedLife, seeded } from './seed.ts'
import type { SetFacts } from './set-facts.ts'
import { type Touched, TouchedIds } from './touched.ts'
import { trendsOf } from './trends.ts'
import { WaitingJobs } from './waiting-jobs.ts'

export type HistoryBounds = LivesBounds & { readonly waiting: number; readonly marks: number }

export const historyBounds: HistoryBounds = { endedOfSet: 500, ended: 20_000, waiting: 10_000, marks: 500 }

/** A failure that did not occur for so long is no longer listed. */
const failuresKeptMs = 7 * 86_400_000

type SetEvent = Extract<JournalEvent, { readonly namespace: string }>

export class History {
  readonly #counted: CountedLives
  readonly #lives: Lives
  readonly #jobs: WaitingJobs
  readonly #failures = new FailureGroups()
  readonly #marks: Marks
  readonly #facts = new Map<string, SetFacts>()
  readonly #touched = new TouchedIds()

  constructor(bounds: HistoryBounds = historyBounds) {
    this.#counted = new CountedLives(bounds)
    this.#lives = this.#counted.lives
    this.#jobs = new WaitingJobs(bounds.waiting)
    this.#marks = new Marks(bounds.marks)
  }

  /** Says what the journal does not say of a set. */
  describe(facts: SetFacts): void {
    this.#facts.set(facts.id, facts)
    this.#marks.describe(facts.id, facts.paused)
  }

  /** Folds one event of the journal. It may be missing, come twice, or come late. */
  take(entry: Entry): void {
    const { at, event } = entry
    this.#counted.goesOn(at)
    this.#marks.take(entry)
    if (event.kind === 'leadership-gained') this.#counted.leads(at)
    else if (event.kind === 'leadership-lost') this.#lost()
    else if ('namespace' in event) this.#takeOfSet(at, event)
  }

  /** Takes over the lives that were there before this process. */
  seed(seeds: Iterable<SeedLife>, at: Instant): void {
    for (const seed of seeds) {
      const before = this.#lives.get(`${seed.namespace}/${seed.runner}`)
      this.#put(before, seeded(before, seed, { at, facts: this.#facts.get(`${seed.namespace}/${seed.set}`) }), at)
    }
  }

  /** Compares the jobs that wait in a set with the forge's own number of them; null if it is unknown. */
  reconcile(set: string, waiting: number | null, now: Instant): void {
    for (const id of this.#jobs.reconcile(set, waiting, now)) this.#touched.add('jobs', id)
    for (const id of this.#failures.remove({ before: now - failuresKeptMs })) this.#touched.add('failures', id)
  }

  /** Returns what changed since the last call. An id whose entity is undefined now is gone. */
  touched(): Touched {
    return this.#touched.take()
  }

  life(id: string): Life | undefined {
    return this.#lives.get(id)?.life
  }

  /** Returns the life of the runner that had a job. */
  lifeOfJob(job: string): Life | undefined {
    return this.#lives.ofJob(bounded(job))?.life
  }

  *lives(): Iterable<Life> {
    for (const { life } of this.#lives.all()) yield life
  }

  /** The last lives of a set that ended, the oldest first. */
  endedLives(set: string): readonly Life[] {
    return this.#lives.endedOf(set)
  }

  job(id: string): WaitingJob | undefined {
    return this.#jobs.get(id)
  }

  jobs(): readonly WaitingJob[] {
    return this.#jobs.all()
  }

  failure(id: string): FailureGroup | undefined {
    return this.#failures.get(id)
  }

  failures(): readonly FailureGroup[] {
    return this.#failures.all()
  }

  marks(): readonly Mark[] {
    return this.#marks.all()
  }

  /** From when on everything is known; null if this process never led. */
  since(): Instant | null {
    return this.#counted.reach().since
  }

  /** @param sees the sets that the viewer may see */
  trends(window: WindowName, now: Instant, sees: (set: string) => boolean = () => true): Trends {
    const objectiveOf = (set: string) => this.#facts.get(set)?.objectiveMs ?? null
    return trendsOf(this.#counted.past(), { window, now, waiting: this.jobs(), objectiveOf, sees })
  }

  /** @param sees the sets that the viewer may see */
  costs(window: WindowName, now: Instant, prices: Prices | null, sees: (set: string) => boolean = () => true): Costs {
    return costsOf(this.#counted.past(), { window, now, prices, sees })
  }

  /** Returns the lives that are over and changed since the last call, for a file. */
  takeUnsaved(): readonly Followed[] {
    return this.#counted.takeUnsaved()
  }

  /** Returns the sums, failures and marks, for a file. @param number the number of the last life that the sums have */
  dump(at: Instant, number: number): string {
    this.#counted.goesOn(at)
    const parts = { number, at, reach: this.#counted.reach(), failures: this.failures(), marks: this.marks() }
    return dumpText(parts, this.#counted.hours)
  }

  /** Adds what an earlier process dumped. */
  restore({ reach, failures, marks, fine, hours }: ReadDump): void {
    this.#counted.restoreReach(reach)
    for (const group of failures) this.#failures.restore(group)
    this.#marks.restore(marks)
    for (const bucket of fine) this.#counted.hours.restore(bucket, fineMs)
    for (const bucket of hours) this.#counted.hours.restore(bucket, hourMs)
    this.#touched.everything()
  }

  /** Takes back a life that an earlier process stored. */
  restoreLife(kept: Followed, restoring: Restoring): void {
    this.#counted.restore(kept, restoring)
    this.#touched.everything()
  }

  /** The next leader gets the messages about jobs from now on. */
  #lost(): void {
    this.#counted.leadsNoMore()
    for (const id of this.#jobs.clear()) this.#touched.add('jobs', id)
  }

  #takeOfSet(at: Instant, event: SetEvent): void {
    const set = `${event.namespace}/${event.set}`
    if (event.kind === 'set-removed') this.#removed(set, at)
    else if (event.kind === 'job-waits') this.#waits(at, set, event)
    else if (event.kind === 'job-dropped') this.#waitsNoMore(bounded(event.job))
    if ('failure' in event) this.#failed(at, set, event)
    if ('runner' in event) this.#takeOfRunner(at, set, event)
  }

  #removed(set: string, at: Instant): void {
    this.#facts.delete(set)
    for (const id of this.#jobs.clear(set)) this.#touched.add('jobs', id)
    for (const id of this.#failures.remove({ set })) this.#touched.add('failures', id)
    for (const followed of [...this.#lives.living()]) {
      if (followed.life.set === set) this.#put(followed, { ...followed, lostAt: at }, at)
    }
  }

  /** The forge may repeat this after a runner took the job. */
  #waits(at: Instant, set: string, { job, queuedAt }: Extract<SetEvent, { kind: 'job-waits' }>): void {
    const shown = jobShown(job, this.#facts.get(set))
    if (this.#lives.ofJob(shown.id)) return
    if (this.#jobs.add({ ...shown, set, queuedAt }, at)) this.#touched.add('jobs', shown.id)
  }

  #waitsNoMore(job: string): void {
    if (this.#jobs.remove(job)) this.#touched.add('jobs', job)
  }

  #failed(at: Instant, set: string, event: Extract<SetEvent, { failure: unknown }>): void {
    if (!this.#counted.isLeading) return
    const { failure } = event
    const runner = 'runner' in event ? event.runner : 'name' in event ? event.name : null
    const known = runner === null ? undefined : this.#lives.get(`${event.namespace}/${runner}`)?.life.problem
    const isRepeated = event.kind === 'runner-failed' && known?.reason === failure.reason
    const report: FailureReport = { set, failure, at, runner, isRepeated }
    this.#touched.add('failures', this.#failures.count(report))
  }

  #takeOfRunner(at: Instant, set: string, event: RunnerEvent): void {
    const before = this.#lives.get(`${event.namespace}/${event.runner}`)
    // The end of a runner that nobody saw says nothing: a start that the forge did not allow yet ends so.
    if (!before && event.kind === 'runner-gone') return
    const knownJob = (id: string): JobShown | undefined => shownOnly(this.#jobs.get(bounded(id)))
    const facts = this.#facts.get(set)
    const after = foldLife(before ?? newFollowed(event, at), event, { at, facts, knownJob })
    this.#put(before, after, at)
    if (event.kind === 'job-started') this.#waitsNoMore(bounded(event.job.id))
    if (event.kind === 'job-finished') this.#waitsNoMore(bounded(event.job))
  }

  #put(before: Followed | undefined, folded: Followed, at: Instant): void {
    const after = settled(folded, this.#facts.get(folded.life.set))
    if (after === before) return
    for (const displaced of this.#counted.put(before, after, at)) this.#touched.add('lives', displaced)
    this.#touched.add('lives', after.life.id)
  }
}

function shownOnly(job: WaitingJob | undefined): JobShown | undefined {
  if (!job) return undefined
  const { set: _set, queuedAt: _queuedAt, ...shown } = job
  return shown
}
