// PodDisruptionBudgets: which pods they cover, and the condition that says whether one may be disrupted. A controller keeps
// their status, and evictions count it down.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/staging/src/k8s.io/component-helpers/apps/poddisruptionbudget/helpers.go
import type { Instant } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { StoredObject } from '../../store/object.ts'
import { conditionOf, withCondition } from './conditions.ts'
import { field, integer, objectAt } from './json.ts'
import { matchesLabels } from './match-labels.ts'

export const budgets = 'poddisruptionbudgets.policy'

/** The reason of the condition if the pods of a budget cannot be counted. */
export const syncFailed = 'SyncFailed'

export function coversPod(budget: StoredObject, { metadata }: StoredObject): boolean {
  return matchesLabels(field(budget, 'spec', 'selector'), metadata.labels)
}

/** Returns the pods whose eviction the API server has granted, with the time. They may still exist. */
export function disruptedPodsOf(budget: StoredObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectAt(budget, 'status', 'disruptedPods')).map(([name, time]) => [name, String(time)]),
  )
}

/** Returns the budget with the condition that its status implies. @param failure why its pods cannot be counted. */
export function withDisruptionCondition(budget: StoredObject, now: Instant, failure?: string): StoredObject {
  const isAllowed = integer(budget, 'status', 'disruptionsAllowed') > 0
  const status = isAllowed ? 'True' : 'False'
  const reason = failure === undefined ? (isAllowed ? 'SufficientPods' : 'InsufficientPods') : syncFailed
  const before = conditionOf(budget, 'DisruptionAllowed')
  return withCondition(budget, {
    type: 'DisruptionAllowed',
    ...{ status, reason, message: failure ?? '' },
    observedGeneration: integer(budget, 'status', 'observedGeneration'),
    lastTransitionTime: before?.['status'] === status ? before['lastTransitionTime'] : timestamp(now),
  })
}
