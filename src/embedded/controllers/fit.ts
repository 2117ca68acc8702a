// Decides whether a pod fits on a node. If it does not, the reasons are in the scheduler's own words.
import { field, isObject } from '../api/json.ts'
import { parseQuantity } from '../api/quantity.ts'
import type { StoredObject } from '../store/object.ts'
import { passing } from './affinity.ts'
import { matchesExpressions } from './match-labels.ts'
import { tolerates } from './tolerations.ts'

/** Requested or used amounts by resource name. `pods` is one of the names. */
export type Amounts = Readonly<Record<string, number>>

/** The reasons why the pod does not fit; empty if it fits. */
export function obstacles(pod: StoredObject, node: StoredObject, used: Amounts): readonly string[] {
  if (field(node, 'spec', 'unschedulable') === true) return ['node(s) were unschedulable']
  const taint = untoleratedTaint(pod, node)
  if (taint) return [`node(s) had untolerated taint {${taint['key']}: ${taint['value'] ?? ''}}`]
  if (!matchesSelector(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  const offered = field(node, 'status', 'allocatable')
  const requested = requestsOf(pod)
  return Object.keys(requested).flatMap((name) => {
    const free = (isObject(offered) ? amountOf(offered[name]) : 0) - (used[name] ?? 0)
    if ((requested[name] ?? 0) <= free) return []
    return [name === 'pods' ? 'Too many pods' : `Insufficient ${name}`]
  })
}

/** Whether the obstacle stays when another pod ends. */
export function isPermanent(obstacle: string): boolean {
  return obstacle.startsWith('node(s)') && !passing.includes(obstacle)
}

/** The requests of a pod: the sum of regular containers and sidecars, or an init container with the sidecars before it if that is larger. */
export function requestsOf(pod: StoredObject): Amounts {
  const sidecars: Record<string, number> = {}
  const highest: Record<string, number> = {}
  for (const container of objects(field(pod, 'spec', 'initContainers'))) {
    const requested = containerRequests(container)
    if (container['restartPolicy'] === 'Always') addTo(sidecars, requested)
    else raiseTo(highest, plus(requested, sidecars))
  }
  const regular: Record<string, number> = { ...sidecars }
  for (const container of objects(field(pod, 'spec', 'containers'))) addTo(regular, containerRequests(container))
  raiseTo(highest, regular)
  return { pods: 1, ...highest }
}

function containerRequests(container: object): Amounts {
  const requests = field(container, 'resources', 'requests')
  const amounts: Record<string, number> = {}
  for (const [name, value] of Object.entries(isObject(requests) ? requests : {})) amounts[name] = amountOf(value)
  return amounts
}

/** A quantity as a number; 0 if there is none or it is not valid. */
function amountOf(quantity: unknown): number {
  return Number(parseQuantity(String(quantity ?? 0))?.nano ?? 0n) / 1e9
}

function addTo(sum: Record<string, number>, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount
}

function raiseTo(highest: Record<string, number>, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) highest[name] = Math.max(highest[name] ?? 0, amount)
}

function plus(left: Amounts, right: Amounts): Amounts {
  const sum = { ...left }
  addTo(sum, right)
  return sum
}

function matchesSelector(pod: StoredObject, node: StoredObject): boolean {
  const selector = field(pod, 'spec', 'nodeSelector')
  const labels = node.metadata.labels ?? {}
  const areEqual = Object.entries(isObject(selector) ? selector : {}).every(([name, value]) => labels[name] === value)
  const when = 'requiredDuringSchedulingIgnoredDuringExecution'
  const affinity = field(pod, 'spec', 'affinity', 'nodeAffinity', when)
  return (
    areEqual && (!isObject(affinity) || objects(affinity['nodeSelectorTerms']).some((term) => matchesTerm(term, node)))
  )
}

/** A term without any expression matches no node. */
function matchesTerm(term: object, node: StoredObject): boolean {
  const [byLabel, byField] = ['matchExpressions', 'matchFields'].map((name) => objects(field(term, name)))
  if (byLabel?.length === 0 && byField?.length === 0) return false
  const fields = { 'metadata.name': node.metadata.name }
  return matchesExpressions(byLabel, node.metadata.labels ?? {}) && matchesExpressions(byField, fields)
}

function untoleratedTaint(pod: StoredObject, node: StoredObject): Readonly<Record<string, unknown>> | undefined {
  const tolerations = objects(field(pod, 'spec', 'tolerations'))
  return objects(field(node, 'spec', 'taints'))
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
}

function objects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
