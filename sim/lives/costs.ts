// The cost of folds and decisions, by kind of input. It times a sample, because reading the clock costs as much as a small fold.
import { performance } from 'node:perf_hooks'
import type { Input } from '@dayfly/runner-set/model/input'

type Cost = { calls: number; timed: number; readonly samples: Float64Array }

export type CostRow = {
  readonly kind: string
  readonly calls: number
  /** The median of one call: a collection of garbage, or another process on the processor, does not move it. */
  readonly nanoseconds: number
}

/** One call of this many is timed, and each of the first few: some kinds are rare. */
const sampledEvery = 32
const alwaysTimed = 64
/** The samples of a kind that are kept: the last ones. */
const samplesMax = 1_024

export class Costs {
  readonly memory = { byKind: new Map<string, Cost>() }

  /** Returns the kind of an input by which its cost is counted. */
  kindOf(input: Input): string {
    if (input.kind === 'outcome') return input.outcome.action
    return input.kind === 'forge-event' ? input.event.kind : input.kind
  }

  /** Returns when the call began; undefined if it is not timed. */
  begin(kind: string): number | undefined {
    const cost = this.memory.byKind.get(kind) ?? this.#add(kind)
    cost.calls++
    return cost.calls > alwaysTimed && cost.calls % sampledEvery !== 0 ? undefined : performance.now()
  }

  end(kind: string, began: number | undefined): void {
    const cost = began === undefined ? undefined : this.memory.byKind.get(kind)
    if (cost && began !== undefined) cost.samples[cost.timed++ % samplesMax] = performance.now() - began
  }

  /** Returns each kind, the most expensive sum first. */
  table(): readonly CostRow[] {
    return [...this.memory.byKind]
      .map(([kind, cost]) => ({ kind, calls: cost.calls, nanoseconds: Math.round(medianOf(cost) * 1e6) }))
      .sort((left, right) => right.calls * right.nanoseconds - left.calls * left.nanoseconds)
  }

  #add(kind: string): Cost {
    const cost = { calls: 0, timed: 0, samples: new Float64Array(samplesMax) }
    this.memory.byKind.set(kind, cost)
    return cost
  }
}

function medianOf({ samples, timed }: Cost): number {
  const sorted = samples.slice(0, Math.min(timed, samplesMax)).sort()
  return sorted[sorted.length >> 1] ?? 0
}
