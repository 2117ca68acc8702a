// A rule: one pure function over the facts, beside a page of the same name whose code blocks are its fixtures.
import type { Facts } from './facts.ts'
import type { Confidence, Hit, Severity } from './finding.ts'

export type Rule = {
  /** Names the problem; never changes meaning. */
  readonly slug: string
  /** Kept for search: `POD101`. */
  readonly code: string
  readonly title: string
  readonly severity: Severity
  readonly confidence: Confidence
  readonly modes: readonly ('static' | 'live')[]
  readonly fix: 'safe' | 'unsafe' | 'guided' | 'none'
  readonly check: (facts: Facts) => RuleResult
}

/** `skipped`: a fact is missing; never taken for passed. */
export type RuleResult = { readonly hits: readonly Hit[] } | { readonly skipped: string }
