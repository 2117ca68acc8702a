// Finds clusters whose number of finished pods is near the threshold at which the garbage collector deletes the oldest ones.
import { textAt } from '@dayfly/kit/read-json'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'terminated-near-podgc',
  code: 'LIV304',
  title: 'The number of finished pods is near the threshold of the pod garbage collector',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check,
}

/** Shares of the threshold: the rule reports from `warn` on. From `near` on its confidence is high, even with an assumed threshold. */
const shares = { warn: 0.6, near: 0.85 }

function check(facts: Facts): RuleResult {
  if (facts.live?.namespaces)
    return { skipped: 'the threshold counts the pods of all namespaces, but not all namespaces were read' }
  return withLive(facts, ['Pod'], (live) => judge(facts, live))
}

function judge(facts: Facts, live: LiveFacts): readonly Hit[] {
  const ended = objectsOf(facts, 'Pod').filter(isFinished)
  const { value, assumed } = live.podGcThreshold
  if (value <= 0 || ended.length < value * shares.warn) return []
  const [namespace, most] = largestNamespace(ended)
  const fact = objectsOf(facts, 'Namespace').find(({ object }) => object.name === namespace)
  return [
    {
      object: fact?.object ?? { apiVersion: 'v1', kind: 'Namespace', namespace: undefined, name: namespace },
      document: fact?.document,
      path: ['metadata', 'name'],
      confidence: !assumed || ended.length >= value * shares.near ? 'high' : 'medium',
      message: `${ended.length} finished pods are still in the cluster, most of them (${most}) in this namespace. Above ${value}${assumed ? ' (the assumed default)' : ''} the garbage collector deletes the oldest, with their logs and exit codes${forecast(ended.length, value, live)}. Give Jobs a TTL.`,
    },
  ]
}

function isFinished({ object, raw }: ObjectFact): boolean {
  return object.kind === 'Pod' && /^(Succeeded|Failed)$/.test(textAt(raw, 'status', 'phase') ?? '')
}

function largestNamespace(ended: readonly ObjectFact[]): readonly [string, number] {
  const counts = new Map<string, number>()
  for (const { object } of ended) counts.set(object.namespace ?? '', (counts.get(object.namespace ?? '') ?? 0) + 1)
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0] as const)
}

/** Returns when the threshold is reached if the number grows as it has since the earlier read. */
function forecast(now: number, threshold: number, live: LiveFacts): string {
  if (!live.earlier) return ''
  const grown = now - live.earlier.objects.filter(isFinished).length
  const passed = live.at - live.earlier.at
  if (grown <= 0 || passed <= 0 || now >= threshold) return ''
  return `, in about ${durationText(((threshold - now) / grown) * passed)} at the current rate`
}
