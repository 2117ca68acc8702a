// The runners of one set. Counts are kept by increments, so that a tick's cost follows what changed and not how many runners there are.
import type { Instant } from '@dayfly/kit/clock'
import { DueIndex } from '@dayfly/kit/due'
import type { LastingFailure } from '../../model/failure.ts'
import type { Counts, Phase, Runner } from '../../model/runner.ts'
import type { Delays, SetWorld } from '../../model/world.ts'
import { isUnproved, occupies, phaseOf } from '../phase.ts'
import { HeldUp } from './held-up.ts'

export class RunnerTable {
  readonly #runners = new Map<string, Runner>()
  readonly #phases: Record<Phase, number> = { starting: 0, idle: 0, busy: 0, spent: 0, ended: 0 }
  #occupied = 0
  #unproved = 0
  #requested = 0
  /** Runners whose slow start, whose long step, and whose stuck end is shown. */
  readonly #delays = new HeldUp()
  readonly #underWay = new HeldUp()
  readonly #stuck = new HeldUp()
  readonly #unplaced = new HeldUp()
  /** Runners whose pod exists and that start or wait for a job. */
  readonly #waiting = new Map<string, Runner>()
  /** Idle runners that will be replaced. */
  readonly #outdated = new Map<string, Runner>()
  /** Changed since the last tick, without an action under way. */
  readonly #changed = new Set<string>()
  readonly #due = new DueIndex()
  /** Names with an action whose outcome is not known yet. */
  readonly #underway = new Set<string>()

  get(name: string): Runner | undefined {
    return this.#runners.get(name)
  }

  all(): Iterable<Runner> {
    return this.#runners.values()
  }

  counts(): Counts {
    return { ...this.#phases, occupied: this.#occupied, unproved: this.#unproved, requested: this.#requested }
  }

  /** Runners whose start is held up for long enough to be shown. */
  delays(): Delays | undefined {
    return this.#delays.summary()
  }

  /** Runners whose start is within a long step that the operator configured. */
  underWay(): Delays | undefined {
    return this.#underWay.summary()
  }

  /** Runners that have waited for a node for long enough to be shown. */
  unplaced(): Delays | undefined {
    return this.#unplaced.summary()
  }

  /** Runners whose end is proved stuck. */
  stuck(): Delays | undefined {
    return this.#stuck.summary()
  }

  /** Stores or replaces a runner. Returns what it replaced. */
  put(after: Runner): Runner | undefined {
    const before = this.#runners.get(after.name)
    if (before) this.#count(before, -1)
    this.#count(after, 1)
    this.#runners.set(after.name, after)
    if (isWaiting(after)) this.#waiting.set(after.name, after)
    else this.#waiting.delete(after.name)
    if (after.outdated && phaseOf(after) === 'idle') this.#outdated.set(after.name, after)
    else this.#outdated.delete(after.name)
    if (!this.#underway.has(after.name)) this.#changed.add(after.name)
    this.#note(after.name, before?.delay, after.delay)
    this.#stuck.note(after.name, before?.stuck, after.stuck)
    return before
  }

  remove(name: string): void {
    const before = this.#runners.get(name)
    if (!before) return
    this.#count(before, -1)
    this.#note(name, before.delay, undefined)
    this.#stuck.note(name, before.stuck, undefined)
    this.#runners.delete(name)
    this.#waiting.delete(name)
    this.#outdated.delete(name)
    this.#changed.delete(name)
    this.#underway.delete(name)
    this.#due.delete(name)
  }

  /** An action on the runner begins: no tick looks at it until `settle`. */
  begin(name: string): void {
    this.#underway.add(name)
    this.#changed.delete(name)
    this.#due.delete(name)
  }

  /** The action is over. The next tick looks at the runner. */
  settle(name: string): void {
    this.#underway.delete(name)
    if (this.#runners.has(name)) this.#changed.add(name)
  }

  /** No action is under way any more. The next tick looks at every runner. */
  settleAll(): void {
    this.#underway.clear()
    for (const name of this.#runners.keys()) this.#changed.add(name)
  }

  /** The next tick looks at every runner without an action under way. */
  lookAtAll(): void {
    for (const name of this.#runners.keys()) if (!this.#underway.has(name)) this.#changed.add(name)
  }

  isUnderway(name: string): boolean {
    return this.#underway.has(name)
  }

  lookAgain(name: string, at: Instant): void {
    if (this.#runners.has(name) && !this.#underway.has(name)) this.#due.set(name, at)
  }

  nextDue(): Instant | undefined {
    return this.#due.next()
  }

  /** Takes out the runners that changed or are due, in order of name. Runners with an action under way are not among them: they change when it settles. */
  takeAttention(now: Instant): readonly Runner[] {
    const names = new Set([...this.#changed, ...this.#due.take(now)])
    this.#changed.clear()
    const taken: Runner[] = []
    for (const name of [...names].sort()) {
      const runner = this.#runners.get(name)
      if (runner) taken.push(runner)
    }
    return taken
  }

  /** The idle runners that will be replaced. While an action on one is under way, there is no next one. */
  outdated(): SetWorld['outdated'] {
    let next: Runner | undefined
    for (const runner of this.#outdated.values()) {
      if (this.#underway.has(runner.name)) return { count: this.#outdated.size, next: undefined }
      next ??= runner
    }
    return { count: this.#outdated.size, next }
  }

  /** Returns runners that wait for a job and have no action under way: those that have not started first, then the oldest. Looks at every waiting runner. */
  oldestWaiting(most: number): readonly Runner[] {
    const chosen: Runner[] = []
    for (const runner of this.#waiting.values()) {
      const last = chosen[most - 1]
      if ((last && !goesBefore(runner, last)) || this.#underway.has(runner.name)) continue
      const at = chosen.findIndex((other) => goesBefore(runner, other))
      chosen.splice(at < 0 ? chosen.length : at, 0, runner)
      if (chosen.length > most) chosen.pop()
    }
    return chosen
  }

  #note(name: string, before: LastingFailure | undefined, after: LastingFailure | undefined): void {
    const isStep = (delay: LastingFailure | undefined) => delay?.reason === 'start-under-way'
    this.#delays.note(name, isStep(before) ? undefined : before, isStep(after) ? undefined : after)
    this.#underWay.note(name, isStep(before) ? before : undefined, isStep(after) ? after : undefined)
    const waits = (delay: LastingFailure | undefined) => (delay?.reason === 'unschedulable' ? delay : undefined)
    this.#unplaced.note(name, waits(before), waits(after))
  }

  #count(runner: Runner, by: 1 | -1): void {
    this.#phases[phaseOf(runner)] += by
    if (occupies(runner)) this.#occupied += by
    if (isUnproved(runner)) this.#unproved += by
    if (runner.pod.is === 'requested') this.#requested += by
  }
}

function isWaiting(runner: Runner): boolean {
  if (runner.pod.is !== 'present') return false
  const phase = phaseOf(runner)
  return phase === 'starting' || phase === 'idle'
}

/** Returns whether the first of two waiting runners is ended before the second. */
function goesBefore(left: Runner, right: Runner): boolean {
  if (left.pod.is !== 'present' || right.pod.is !== 'present') return false
  const { createdAt, startedAt } = left.pod.value
  const other = right.pod.value
  if ((startedAt === undefined) !== (other.startedAt === undefined)) return startedAt === undefined
  if (createdAt !== other.createdAt) return createdAt < other.createdAt
  return left.name < right.name
}
