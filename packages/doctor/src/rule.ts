// A rule is one pure function over the facts. Its page has the same name, and code blocks that are its fixtures.
import type { Facts } from './facts.ts'
import type { Confidence, Hit, Severity } from './finding.ts'

export type Rule = {
  /** The name of the problem. It never changes its meaning. */
  readonly slug: string
  /** A short code for search: `POD101`. */
  readonly code: string
  readonly title: string
  readonly severity: Severity
  readonly confidence: Confidence
  readonly modes: readonly ('static' | 'live')[]
  readonly fix: 'safe' | 'unsafe' | 'guided' | 'none'
  /**
   * The rule reads several objects of files together. It runs once for each cluster of the input, with the facts of that cluster.
   * Any other rule judges each object alone, and runs once.
   */
  readonly isCrossObject?: true
  readonly check: (facts: Facts) => RuleResult
}

/** `skipped`: the reason why a fact is missing. A skipped rule never counts as passed. */
export type RuleResult = { readonly hits: readonly Hit[] } | { readonly skipped: string }
