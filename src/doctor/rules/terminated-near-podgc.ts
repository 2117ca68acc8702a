// Finished pods near the number at which the garbage collector begins to delete the oldest of the whole cluster (incident S2).

import { textAt } from '../../lib/read-json.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../objects/by-kind.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'terminated-near-podgc',
  code: 'LIV304',
  title: 'Finished pods come near the threshold of the pod garbage collector',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check,
}

/** Shares of the threshold: from the first on it is said, from the second on with high confidence whatever the threshold is. */
const shares = { warn: 0.6, near: 0.85 }

function check(facts: Facts): RuleResult {
  if (facts.live?.namespaces)
    return { skipped: 'the threshold counts the pods of all namespaces, and not all were read' }
  return withLive(facts, ['Pod'], (live) => judge(facts, live))
}

function judge(facts: Facts, live: LiveFacts): readonly Hit[] {
  const ended = objectsOf(facts, 'Pod').filter(isOver)
  const { value, assumed } = live.podGcThreshold
  if (value <= 0 || ended.length < value * shares.warn) return []
  const [namespace, most] = fullest(ended)
  const fact = objectsOf(facts, 'Namespace').find(({ object }) => object.name === namespace)
  return [
    {
      object: fact?.object ?? { apiVersion: 'v1', kind: 'Namespace', namespace: undefined, name: namespace },
      document: fact?.document,
      path: ['metadata', 'name'],
      confidence: !assumed || ended.length >= value * shares.near ? 'high' : 'medium',
      message: `${ended.length} pods of the cluster have ended and are still there, most of them (${most}) here; at ${value}${assumed ? ' (the default, assumed)' : ''} the garbage collector deletes the oldest, with their logs and exit codes${when(ended.length, value, live)}. Give Jobs a TTL.`,
    },
  ]
}

function isOver({ object, raw }: ObjectFact): boolean {
  return object.kind === 'Pod' && /^(Succeeded|Failed)$/.test(textAt(raw, 'status', 'phase') ?? '')
}

function fullest(ended: readonly ObjectFact[]): readonly [string, number] {
  const counts = new Map<string, number>()
  for (const { object } of ended) counts.set(object.namespace ?? '', (counts.get(object.namespace ?? '') ?? 0) + 1)
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0] as const)
}

/** Reached when, if it goes on as since the earlier look. */
function when(now: number, threshold: number, live: LiveFacts): string {
  if (!live.earlier) return ''
  const grown = now - live.earlier.objects.filter(isOver).length
  const passed = live.at - live.earlier.at
  if (grown <= 0 || passed <= 0 || now >= threshold) return ''
  return `, in about ${durationText(((threshold - now) / grown) * passed)} at today's rate`
}
