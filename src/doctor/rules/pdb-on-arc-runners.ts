// A PodDisruptionBudget over ARC's runner pods, which protects nothing.
import type { Facts, ObjectFact } from '../facts.ts'
import { valueAt } from '../fields.ts'
import type { Hit } from '../finding.ts'
import { objectsOf } from '../live-pod.ts'
import type { PodView } from '../pod-view.ts'
import { asTexts } from '../raw.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'pdb-on-arc-runners',
  code: 'POD117',
  title: "A PodDisruptionBudget cannot protect ARC's runners",
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  check,
}

function check(facts: Facts): RuleResult {
  // Of the few pods of ARC, so that many budgets are not held against every pod of a repository.
  const runners = facts.pods.filter(({ owner }) => owner === 'arc')
  return { hits: objectsOf(facts, 'PodDisruptionBudget').flatMap((budget) => checkBudget(budget, runners)) }
}

function checkBudget(budget: ObjectFact, runners: readonly PodView[]): readonly Hit[] {
  const selector = asTexts(valueAt(budget.raw, 'spec', 'selector', 'matchLabels'))
  if (Object.keys(selector).length === 0) return []
  const selectsArc = Object.keys(selector).some(
    (label) => label.startsWith('actions.github.com/') || label === 'actions-ephemeral-runner',
  )
  const selected = runners.find(
    (pod) =>
      (pod.object.namespace === budget.object.namespace || pod.object.namespace === undefined) &&
      Object.entries(selector).every(([label, value]) => pod.labels[label] === value),
  )
  if (!selectsArc && !selected) return []
  return [
    {
      object: budget.object,
      document: budget.document,
      path: ['spec', 'selector'],
      message:
        'It selects runner pods of ARC. Their owner, the EphemeralRunner, has no scale, so the budget cannot count them and protects none. Use the annotation of your node autoscaler instead.',
    },
  ]
}
