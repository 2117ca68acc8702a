// Runs rules over facts. The same facts give the same hits, in the same order.
import type { Facts } from '../facts.ts'
import type { Finding, Hit } from '../finding.ts'
import type { Rule, RuleResult } from '../rule.ts'
import { factsByPlace } from './facts-by-place.ts'

export type SkippedRule = { readonly rule: string; readonly code: string; readonly reason: string }
type RuleHit = { readonly rule: Rule; readonly hit: Hit }

/** Runs the rules for the mode of the facts: files, or a live cluster. */
export function runRules(
  facts: Facts,
  rules: readonly Rule[],
): { readonly hits: readonly RuleHit[]; readonly skippedRules: readonly SkippedRule[] } {
  const mode = facts.live ? 'live' : 'static'
  const places = facts.live ? [facts] : factsByPlace(facts)
  const hits: RuleHit[] = []
  const skippedRules: SkippedRule[] = []
  for (const rule of rules.filter(({ modes }) => modes.includes(mode))) {
    const results = (rule.isCrossObject ? places : [facts]).map((each) => rule.check(each))
    hits.push(...mergeHits(results).map((hit) => ({ rule, hit })))
    const reason = skippedBy(results)
    if (reason !== undefined) skippedRules.push({ rule: rule.slug, code: rule.code, reason })
  }
  return { hits, skippedRules }
}

/** A base of several clusters gets a finding once, although the rule sees it in each of them. */
function mergeHits(results: readonly RuleResult[]): readonly Hit[] {
  const seen = new Set<string>()
  return results.flatMap((result) => {
    if ('skipped' in result) return []
    if (results.length === 1) return result.hits
    const fresh = result.hits.filter((hit) => !seen.has(keyOf(hit)))
    for (const hit of fresh) seen.add(keyOf(hit))
    return fresh
  })
}

function keyOf({ document, path, container }: Hit): string {
  return JSON.stringify([document, path, container])
}

/** Returns why the rule was skipped, if no place has what it needs. A place where it ran shows that the input has it. */
function skippedBy(results: readonly RuleResult[]): string | undefined {
  const reasons = results.flatMap((result) => ('skipped' in result ? [result.skipped] : []))
  return reasons.length === results.length ? reasons[0] : undefined
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
