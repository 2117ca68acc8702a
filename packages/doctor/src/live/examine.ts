// Runs the rules over the facts of a cluster, and says which kinds were not examined.
import { runRules, type SkippedRule, toFinding } from '../engine/run-rules.ts'
import type { Finding } from '../finding.ts'
import { describeUnread } from '../live-facts.ts'
import type { Rule } from '../rule.ts'
import type { ClusterFacts } from './cluster.ts'

/** A kind of object that was not read. */
type UnreadKind = { readonly kind: string; readonly reason: string }

export type LiveCoverage = {
  readonly objects: number
  readonly pods: number
  /** Kinds that could not be read: findings may be missing. */
  readonly unread: readonly UnreadKind[]
  /** Optional kinds that the credential may not list. */
  readonly optional: readonly UnreadKind[]
}

export type LiveExamination = {
  readonly findings: readonly Finding[]
  readonly coverage: LiveCoverage
  readonly skippedRules: readonly SkippedRule[]
}

export function examineLive(facts: ClusterFacts, rules: readonly Rule[]): LiveExamination {
  const { hits, skippedRules } = runRules(facts, rules)
  const { unreadable, logs } = facts.live
  const kinds = (is: 'optional' | 'failed') =>
    Object.entries(unreadable).flatMap(([kind, unread]) =>
      unread.is === is ? [{ kind, reason: describeUnread(unread) }] : [],
    )
  return {
    findings: hits.map(toFinding),
    coverage: {
      objects: facts.objects.length,
      pods: facts.pods.length,
      unread: [...kinds('failed'), ...unreadLogs(logs?.unread ?? 0)],
      optional: kinds('optional'),
    },
    skippedRules,
  }
}

function unreadLogs(number: number): readonly UnreadKind[] {
  if (number === 0) return []
  const runners = number === 1 ? '1 more runner' : `${number} more runners`
  return [{ kind: 'pods/log', reason: `${runners} that may never get a job` }]
}
