// A PodDisruptionBudget over ARC's runner pods, which protects nothing.

import { listAt, textAt, textsAt } from '../../lib/read-json.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { objectsOf } from '../objects/by-kind.ts'
import { labelsAt } from '../objects/labels.ts'
import type { PodView } from '../pod-view.ts'
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
  const requirements = requirementsOf(budget)
  if (requirements.length === 0) return []
  const selectsArc = requirements.some(
    ({ label, operator }) =>
      (operator === 'In' || operator === 'Exists') &&
      (label.startsWith('actions.github.com/') || label === 'actions-ephemeral-runner'),
  )
  const isBroad = requirements.every(({ operator }) => operator !== 'In')
  const selected = runners.find(
    ({ object, labels }) =>
      (object.namespace === budget.object.namespace || (object.namespace === undefined && !isBroad)) &&
      requirements.every((requirement) => isMet(requirement, labels)),
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

type Requirement = { readonly label: string; readonly operator: string; readonly values: readonly string[] }

/** Kubernetes: LabelSelector; a label and its value are a requirement as well. */
function requirementsOf({ raw }: ObjectFact): readonly Requirement[] {
  const labels = Object.entries(labelsAt(raw, 'spec', 'selector', 'matchLabels'))
  return [
    ...labels.map(([label, value]) => ({ label, operator: 'In', values: [value] })),
    ...listAt(raw, 'spec', 'selector', 'matchExpressions').map((each) => ({
      label: textAt(each, 'key') ?? '',
      operator: textAt(each, 'operator') ?? '',
      values: textsAt(each, 'values'),
    })),
  ]
}

function isMet({ label, operator, values }: Requirement, labels: PodView['labels']): boolean {
  const value = labels[label]
  if (operator === 'Exists') return value !== undefined
  // ARC: its controller adds labels of its own to the pods, so that their absence from the template says nothing.
  if (operator !== 'In' && /^(actions-ephemeral-runner$|actions\.github\.com\/|app\.kubernetes\.io\/)/.test(label))
    return false
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  return operator === 'In' && value !== undefined && values.includes(value)
}
