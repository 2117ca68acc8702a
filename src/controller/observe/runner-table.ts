// The runners of one set, with their counts by phase kept by increments: a tick's cost follows what changed, not how many there are.
import { phaseOf } from '../../core/phase.ts'
import type { Instant } from '../../lib/clock.ts'
import { DueIndex } from '../../lib/due.ts'
import type { Counts, Phase, Runner } from '../../model/runner.ts'

export type Change = { readonly before: Runner | undefined; readonly after: Runner | undefined }

export class RunnerTable {
  readonly #runners = new Map<string, Runner>()
  readonly #counts: Record<Phase, number> = { starting: 0, idle: 0, busy: 0, spent: 0, ended: 0, lost: 0 }
  /** Changed since the last look, and not under way. */
  readonly #changed = new Set<string>()
  readonly #due = new DueIndex()
  /** Names with an action whose outcome is not known yet. */
  readonly #underway = new Set<string>()

  get(name: string): Runner | undefined {
    return this.#runners.get(name)
  }

  names(): Iterable<string> {
    return this.#runners.keys()
  }

  counts(): Counts {
    return { ...this.#counts }
  }

  /** Stores, replaces (or, with undefined, removes) a runner. */
  put(name: string, after: Runner | undefined): Change {
    const before = this.#runners.get(name)
    if (before) this.#counts[phaseOf(before)]--
    if (after) {
      this.#counts[phaseOf(after)]++
      this.#runners.set(name, after)
      this.#changed.add(name)
    } else {
      this.#runners.delete(name)
      this.#changed.delete(name)
      this.#underway.delete(name)
      this.#due.delete(name)
    }
    return { before, after }
  }

  /** The runner has an action under way: nobody looks at it until `settle`. */
  begin(name: string): void {
    this.#underway.add(name)
    this.#due.delete(name)
  }

  /** The action is over; the runner is looked at again, at once or at `again`. */
  settle(name: string, again?: Instant): void {
    this.#underway.delete(name)
    if (!this.#runners.has(name)) return
    if (again === undefined) this.#changed.add(name)
    else this.#due.set(name, again)
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

  /** Takes out what changed or is due, in order of name. A runner with an action under way stays marked for afterwards. */
  takeAttention(now: Instant): readonly Runner[] {
    const names = new Set([...this.#changed, ...this.#due.take(now)])
    const taken: Runner[] = []
    for (const name of [...names].sort()) {
      const runner = this.#runners.get(name)
      if (this.#underway.has(name)) {
        this.#changed.add(name)
        continue
      }
      this.#changed.delete(name)
      if (runner) taken.push(runner)
    }
    return taken
  }

  /** The oldest runners that wait for a job and have no action under way: those that are not yet online first. */
  oldestWaiting(most: number): readonly Runner[] {
    const waiting: Runner[] = []
    for (const [name, runner] of this.#runners) {
      const phase = phaseOf(runner)
      const stands = runner.pod.is === 'present' && !this.#underway.has(name)
      if (stands && (phase === 'starting' || phase === 'idle')) waiting.push(runner)
    }
    return waiting.sort(byReadinessAndAge).slice(0, most)
  }
}

function byReadinessAndAge(left: Runner, right: Runner): number {
  const phases = phaseOf(left) === phaseOf(right) ? 0 : phaseOf(left) === 'starting' ? -1 : 1
  return phases || createdAt(left) - createdAt(right) || (left.name < right.name ? -1 : 1)
}

function createdAt(runner: Runner): Instant {
  return runner.pod.is === 'present' ? runner.pod.value.createdAt : 0
}
