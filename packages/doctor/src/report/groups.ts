// Orders findings for people: by rule, the worst first.
import { type Finding, severities } from '../finding.ts'

/** The findings of one rule, the most severe first. */
export type Group = { readonly rule: string; readonly code: string; readonly findings: readonly Finding[] }

/** Returns the findings, the most severe first. Those of one severity stay in their order. */
export function worstFirst(findings: readonly Finding[]): readonly Finding[] {
  return severities.flatMap((severity) => findings.filter((finding) => finding.severity === severity))
}

/** Returns the rules by their most severe finding, then by the number of their findings. */
export function groupByRule(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of worstFirst(findings)) {
    const group = groups.get(finding.code)
    if (group) group.push(finding)
    else groups.set(finding.code, [finding])
  }
  const rank = (group: readonly Finding[]) => severities.indexOf(group[0]?.severity ?? 'info')
  return [...groups]
    .sort(([, left], [, right]) => rank(left) - rank(right) || right.length - left.length)
    .map(([code, all]) => ({ code, rule: all[0]?.rule ?? '', findings: all }))
}
