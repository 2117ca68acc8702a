// Decides whether a pod fits on a node. If it does not, the reasons are in the scheduler's own words.
import { podAmounts, withOverhead } from '../api/rules/pod/pod-amounts.ts'
import { specOf } from '../api/rules/pod/pod-spec.ts'
import { field, isObject, objects } from '../api/values/json.ts'
import { matchesExpressions } from '../api/values/match-labels.ts'
import { parseQuantity } from '../api/values/quantity.ts'
import type { StoredObject } from '../store/object.ts'
import { passing } from './affinity.ts'
import { tolerates } from './tolerations.ts'

/** Requested or used amounts by resource name. `pods` is one of the names. */
export type Amounts = Readonly<Record<string, number>>

/** The resources of a node: those that it offers, and those that its pods request. */
type Room = { readonly offered: Amounts; readonly used: Amounts }

/** The reasons why the pod does not fit; empty if it fits. @param requested what the pod requests */
export function obstacles(pod: StoredObject, requested: Amounts, node: StoredObject, room: Room): readonly string[] {
  if (field(node, 'spec', 'unschedulable') === true && !toleratesAny(pod, cordon)) return ['node(s) were unschedulable']
  const taint = untoleratedTaint(pod, node)
  if (taint) return [`node(s) had untolerated taint {${taint['key']}: ${taint['value'] ?? ''}}`]
  if (!matchesSelector(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  return Object.keys(requested).flatMap((name) => {
    const free = (room.offered[name] ?? 0) - (room.used[name] ?? 0)
    if ((requested[name] ?? 0) <= free) return []
    return [name === 'pods' ? 'Too many pods' : `Insufficient ${name}`]
  })
}

/** Whether the obstacle stays when another pod ends. */
export function isPermanent(obstacle: string): boolean {
  return obstacle.startsWith('node(s)') && !passing.includes(obstacle)
}

/** Returns the requests of a pod, with what its RuntimeClass needs. */
export function requestsOf(pod: StoredObject): Amounts {
  const spec = specOf(pod)
  const requested = withOverhead(podAmounts(spec, 'requests'), spec, 'requests')
  return { pods: 1, ...Object.fromEntries([...requested].map(([name, { nano }]) => [name, Number(nano) / 1e9])) }
}

/** Returns the resources that a node offers to pods. */
export function offeredBy(node: StoredObject): Amounts {
  const offered = field(node, 'status', 'allocatable')
  const entries = isObject(offered) ? Object.entries(offered) : []
  return Object.fromEntries(entries.map(([name, quantity]) => [name, amountOf(quantity)]))
}

/** A quantity as a number; 0 if there is none or it is not valid. */
function amountOf(quantity: unknown): number {
  return Number(parseQuantity(String(quantity ?? 0))?.nano ?? 0n) / 1e9
}

/** Returns whether the node matches the node selector and the required node affinity of the pod. */
function matchesSelector(pod: object, node: StoredObject): boolean {
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
  const [byLabel, byField] = ['matchExpressions', 'matchFields'].map((name) => objects(term, name))
  if (byLabel?.length === 0 && byField?.length === 0) return false
  const fields = { 'metadata.name': node.metadata.name }
  return matchesExpressions(byLabel, node.metadata.labels ?? {}) && matchesExpressions(byField, fields)
}

/** Returns a taint of the node that keeps the pod away. */
function untoleratedTaint(pod: object, node: StoredObject): Fields | undefined {
  return objects(node, 'spec', 'taints')
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .find((taint) => !toleratesAny(pod, taint))
}

type Fields = Readonly<Record<string, unknown>>

/** A node that is cordoned counts as tainted in this way. */
const cordon: Fields = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

function toleratesAny(pod: object, taint: Fields): boolean {
  return objects(pod, 'spec', 'tolerations').some((toleration) => tolerates(toleration, taint))
}
