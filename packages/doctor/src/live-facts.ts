// Runs the live part of a rule, or skips it with the reason if a kind that it needs was not read.
import type { Facts, LiveFacts, Unread } from './facts.ts'
import type { Hit } from './finding.ts'
import type { RuleResult } from './rule.ts'

/** Runs a live check if every kind that it needs was read. Otherwise the rule is skipped. */
export function withLive(
  facts: Facts,
  kinds: readonly string[],
  check: (live: LiveFacts) => readonly Hit[],
): RuleResult {
  const live = facts.live
  if (!live) return { skipped: 'it looks at a live cluster (--live)' }
  const missing = kinds.find((kind) => live.unreadable[kind] !== undefined)
  if (missing !== undefined)
    return { skipped: `${missing} could not be read: ${describeUnread(live.unreadable[missing])}` }
  return { hits: check(live) }
}

/** Returns the end of a sentence; undefined if the kind was read. */
export function describeUnread(unread: Unread): string
export function describeUnread(unread: Unread | undefined): string | undefined
export function describeUnread(unread: Unread | undefined): string | undefined {
  return unread?.is === 'optional' ? 'not looked at without the right to list it' : unread?.why
}
