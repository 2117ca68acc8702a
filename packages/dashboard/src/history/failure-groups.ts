// Failures by set and reason. The table of failures bounds the groups of a set.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { FailureGroup } from '../model/life.ts'
import { wordsOf } from './followed.ts'

export type FailureReport = {
  readonly set: string
  readonly failure: Failure
  readonly at: Instant
  /** Null if no runner failed so. */
  readonly runner: string | null
  /** The failure was counted before, as what delays the runner. */
  readonly isRepeated: boolean
}

export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>()

  get(id: string): FailureGroup | undefined {
    return this.#groups.get(id)
  }

  all(): readonly FailureGroup[] {
    return [...this.#groups.values()]
  }

  /** Adds what an earlier process counted. */
  restore(group: FailureGroup): void {
    const now = this.#groups.get(group.id)
    const count = (now?.count ?? 0) + group.count
    this.#groups.set(group.id, { ...group, ...now, count, firstAt: group.firstAt })
  }

  /** Counts a failure. Returns the id of its group. */
  count({ set, failure, at, runner, isRepeated }: FailureReport): string {
    const id = `${set} ${failure.reason}`
    const before = this.#groups.get(id)
    this.#groups.set(id, {
      ...wordsOf(failure),
      id,
      set,
      count: (before?.count ?? 0) + (isRepeated && before ? 0 : 1),
      firstAt: Math.min(before?.firstAt ?? at, at),
      lastAt: Math.max(before?.lastAt ?? at, at),
      runner: runner ?? before?.runner ?? null,
    })
    return id
  }

  /** Removes the groups of a set, or the ones without a failure since an instant. Returns their ids. */
  remove(which: { readonly set: string } | { readonly before: Instant }): readonly string[] {
    const ids = this.all()
      .filter(({ set, lastAt }) => ('set' in which ? set === which.set : lastAt < which.before))
      .map(({ id }) => id)
    for (const id of ids) this.#groups.delete(id)
    return ids
  }
}
