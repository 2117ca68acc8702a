// Whether a pod fits on a node, and if not, why, in the scheduler's own words.
import { field, isObject } from '../api/json.ts'
import type { StoredObject } from '../store/object.ts'
import { parseQuantity } from './quantity.ts'

/** What a pod asks for, or what is in use: by resource name, `pods` among them. */
export type Amounts = Readonly<Record<string, number>>

/** The reasons against, none where it fits. */
export function obstacles(pod: StoredObject, node: StoredObject, used: Amounts): readonly string[] {
  if (field(node, 'spec', 'unschedulable') === true) return ['node(s) were unschedulable']
  const taint = untoleratedTaint(pod, node)
  if (taint) return [`node(s) had untolerated taint {${taint['key']}: ${taint['value'] ?? ''}}`]
  if (!matchesSelector(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  const offered = field(node, 'status', 'allocatable')
  const asked = requestsOf(pod)
  return Object.keys(asked).flatMap((name) => {
    const room = (parseQuantity(isObject(offered) ? (offered[name] ?? 0) : 0) ?? 0) - (used[name] ?? 0)
    if ((asked[name] ?? 0) <= room) return []
    return [name === 'pods' ? 'Too many pods' : `Insufficient ${name}`]
  })
}

/** Another pod's end cannot help against these. */
export function isLasting(obstacle: string): boolean {
  return obstacle.startsWith('node(s)')
}

/** Kubernetes: the larger of all regular containers with all sidecars, and of each init container with the sidecars before it. */
export function requestsOf(pod: StoredObject): Amounts {
  const sidecars: Record<string, number> = {}
  const highest: Record<string, number> = {}
  for (const container of objects(field(pod, 'spec', 'initContainers'))) {
    const asked = containerRequests(container)
    if (container['restartPolicy'] === 'Always') addTo(sidecars, asked)
    else raiseTo(highest, plus(asked, sidecars))
  }
  const regular: Record<string, number> = { ...sidecars }
  for (const container of objects(field(pod, 'spec', 'containers'))) addTo(regular, containerRequests(container))
  raiseTo(highest, regular)
  return { pods: 1, ...highest }
}

function containerRequests(container: object): Amounts {
  const requests = field(container, 'resources', 'requests')
  const amounts: Record<string, number> = {}
  for (const [name, value] of Object.entries(isObject(requests) ? requests : {}))
    amounts[name] = parseQuantity(value) ?? 0
  return amounts
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
  return Object.entries(isObject(selector) ? selector : {}).every(([name, value]) => labels[name] === value)
}

function untoleratedTaint(pod: StoredObject, node: StoredObject): Readonly<Record<string, unknown>> | undefined {
  const tolerations = objects(field(pod, 'spec', 'tolerations'))
  return objects(field(node, 'spec', 'taints'))
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
}

function tolerates(toleration: Readonly<Record<string, unknown>>, taint: Readonly<Record<string, unknown>>): boolean {
  const { effect = '', key = '', operator = 'Equal', value = '' } = toleration
  if (effect !== '' && effect !== taint['effect']) return false
  if (key !== '' && key !== taint['key']) return false
  if (operator === 'Exists') return true
  return operator === 'Equal' && key !== '' && value === (taint['value'] ?? '')
}

function objects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
