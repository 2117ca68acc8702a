// Finds PodDisruptionBudgets that select ARC's runner pods. Such a budget protects nothing.
import { listAt, textAt, textsAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { labelsAt } from '../read/objects/labels.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'pdb-on-arc-runners',
  code: 'POD117',
  title: "A PodDisruptionBudget cannot protect ARC's runners",
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  isCrossObject: true,
  check,
}

function check(facts: Facts): RuleResult {
  // Only ARC's few pods are compared: comparing many budgets with every pod of a repository would be slow.
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
        'The budget selects runner pods of ARC. Their owner, the EphemeralRunner, has no scale subresource, so the budget cannot count the pods and protects none of them. Use the annotation of your node autoscaler instead.',
    },
  ]
}

type Requirement = { readonly label: string; readonly operator: string; readonly values: readonly string[] }

/** Returns all requirements of the LabelSelector. A label with its value is also a requirement. */
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
  // ARC's controller adds its own labels to the pods, so their absence from the template proves nothing.
  if (operator !== 'In' && /^(actions-ephemeral-runner$|actions\.github\.com\/|app\.kubernetes\.io\/)/.test(label))
    return false
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  return operator === 'In' && value !== undefined && values.includes(value)
}
