// Since when each condition of a set has its present status (`lastTransitionTime`, an API timestamp).
import type { Condition } from '../../model/status.ts'

/** The parts of a set's stored status that are read back. */
export type StoredStatus = {
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly lastTransitionTime: string
  }[]
  readonly forge?: Readonly<Record<string, string>>
}

export class ConditionTimes {
  readonly #times = new Map<string, { readonly status: string; readonly since: string }>()

  /** What an earlier leader wrote. */
  seed(conditions: NonNullable<StoredStatus['conditions']>): void {
    for (const { type, status, lastTransitionTime } of conditions) {
      this.#times.set(type, { status, since: lastTransitionTime })
    }
  }

  since(condition: Pick<Condition, 'type' | 'status'>, now: string): string {
    const known = this.#times.get(condition.type)
    if (known?.status === condition.status) return known.since
    this.#times.set(condition.type, { status: condition.status, since: now })
    return now
  }
}
