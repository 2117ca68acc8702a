// Runs rules over facts. The same facts give the same hits, in the same order.
import type { Facts } from '../facts.ts'
import type { Finding, Hit } from '../finding.ts'
import type { Rule } from '../rule.ts'

export type SkippedRule = { readonly rule: string; readonly code: string; readonly reason: string }
type RuleHit = { readonly rule: Rule; readonly hit: Hit }

/** Runs the rules for the mode of the facts: files, or a live cluster. */
export function runRules(
  facts: Facts,
  rules: readonly Rule[],
): { readonly hits: readonly RuleHit[]; readonly skippedRules: readonly SkippedRule[] } {
  const mode = facts.live ? 'live' : 'static'
  const hits: RuleHit[] = []
  const skippedRules: SkippedRule[] = []
  for (const rule of rules.filter(({ modes }) => modes.includes(mode))) {
    const result = rule.check(facts)
    if ('skipped' in result) skippedRules.push({ rule: rule.slug, code: rule.code, reason: result.skipped })
    else for (const hit of result.hits) hits.push({ rule, hit })
  }
  return { hits, skippedRules }
}

/** Combines a hit with its rule. The finding has no place yet. */
export function toFinding({ rule, hit }: RuleHit): Finding {
  return {
    rule: rule.slug,
    code: rule.code,
    severity: hit.severity ?? rule.severity,
    confidence: hit.confidence ?? rule.confidence,
    object: hit.object,
    container: hit.container,
    message: hit.message,
    place: undefined,
    fix: hit.fix,
    document: hit.document,
    related: [],
  }
}
