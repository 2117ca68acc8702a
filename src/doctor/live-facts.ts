// What a live rule needs of the cluster, and the reason for which it is skipped when that was not read.
import type { Facts, LiveFacts } from './facts.ts'
import type { Hit } from './finding.ts'
import type { RuleResult } from './rule.ts'

/** Runs a live check when every kind that it needs could be read; else it is skipped, never passed. */
export function withLive(
  facts: Facts,
  kinds: readonly string[],
  check: (live: LiveFacts) => readonly Hit[],
): RuleResult {
  const live = facts.live
  if (!live) return { skipped: 'it looks at a live cluster (--live)' }
  const missing = kinds.find((kind) => live.unreadable[kind] !== undefined)
  if (missing !== undefined) return { skipped: `${missing} could not be read: ${live.unreadable[missing]}` }
  return { hits: check(live) }
}
