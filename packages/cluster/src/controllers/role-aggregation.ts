// Fills the rules of ClusterRoles that have an aggregation rule: they get the rules of all ClusterRoles that their selectors match.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go
import type { Clock } from '@dayfly/kit/clock'
import { clusterRoles } from '../api/default-roles.ts'
import type { Registry } from '../api/registry.ts'
import { field, list, sameJson } from '../api/values/json.ts'
import { matchesLabels } from '../api/values/match-labels.ts'
import type { StoredObject } from '../store/object.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { startLoop } from './loop.ts'

/** Starts it. Returns a function that stops it. */
export function startRoleAggregation({ registry, clock }: { readonly registry: Registry; readonly clock: Clock }) {
  const loop = startLoop(clock, (name) => {
    const role = registry.get(clusterRoles, undefined, name)
    if (role === undefined || !isAggregated(role)) return
    const rules = joinedRules(role, byName(registry.list(clusterRoles)))
    if (!sameJson(role['rules'], rules)) ignoreRefusal(() => void registry.update(clusterRoles, { ...role, rules }))
  })
  // There are few roles, and any change may concern each aggregated one.
  const wakeAll = () => {
    for (const role of registry.list(clusterRoles)) if (isAggregated(role)) loop.add(role.metadata.name)
  }
  const stopRoles = registry.subscribe(clusterRoles, wakeAll)
  wakeAll()
  return () => {
    stopRoles()
    loop.stop()
  }
}

function isAggregated(role: StoredObject): boolean {
  return field(role, 'aggregationRule') !== undefined
}

function joinedRules(role: StoredObject, roles: readonly StoredObject[]): readonly unknown[] {
  const others = roles.filter(({ metadata }) => metadata.name !== role.metadata.name)
  const rules: unknown[] = []
  for (const selector of list(role, 'aggregationRule', 'clusterRoleSelectors')) {
    for (const other of others.filter(({ metadata }) => matchesLabels(selector, metadata.labels))) {
      for (const rule of list(other, 'rules')) if (!rules.some((known) => sameJson(known, rule))) rules.push(rule)
    }
  }
  return rules
}

/** Kubernetes joins the rules in the order of the roles' names. */
function byName(roles: readonly StoredObject[]): readonly StoredObject[] {
  return [...roles].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
}
