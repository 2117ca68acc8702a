// Taints nodes whose kubelet reports that it is not ready, or reports nothing (Kubernetes: pkg/controller/nodelifecycle).
import { timestamp } from '@dayfly/kit/timestamp'
import { conditionOf } from '../../api/values/conditions.ts'
import { type JsonObject, objectAt, objects } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { startLoop } from '../loop.ts'
import type { NodeControllerOptions } from './node-health.ts'

const keys = { False: 'node.kubernetes.io/not-ready', Unknown: 'node.kubernetes.io/unreachable' }

/** Starts the controller. Returns a function that stops it. */
export function startNodeTaints(options: NodeControllerOptions): () => void {
  const { registry, clock } = options
  const loop = startLoop(clock, () => {
    const nodes = registry.list('nodes')
    // If no node is ready, the fault is probably not theirs: Kubernetes then evicts no pods.
    const canEvict = nodes.some(isReady)
    for (const node of nodes) if (hasLease(options, node)) taint(options, node, canEvict)
  })
  const stopNodes = registry.subscribe('nodes', () => loop.add('all'))
  return () => {
    stopNodes()
    loop.stop()
  }
}

function isReady(node: StoredObject): boolean {
  return conditionOf(node, 'Ready')?.['status'] === 'True'
}

/** A node without a Lease has no kubelet, and stays as a client wrote it. */
function hasLease({ registry }: NodeControllerOptions, { metadata }: StoredObject): boolean {
  return registry.get('leases.coordination.k8s.io', 'kube-node-lease', metadata.name) !== undefined
}

function taint({ registry, clock }: NodeControllerOptions, node: StoredObject, canEvict: boolean): void {
  const status = conditionOf(node, 'Ready')?.['status']
  const key = status === 'False' || status === 'Unknown' ? keys[status] : undefined
  const effects = key === undefined ? [] : ['NoSchedule', ...(canEvict ? ['NoExecute'] : [])]
  const isOurs = (each: JsonObject) => Object.values(keys).includes(String(each['key']))
  const isWanted = (each: JsonObject) => each['key'] === key && effects.includes(String(each['effect']))
  const before = objects(node, 'spec', 'taints')
  const kept = before.filter((each) => !isOurs(each) || isWanted(each))
  const missing = effects.filter((effect) => !kept.some((each) => each['key'] === key && each['effect'] === effect))
  if (kept.length === before.length && missing.length === 0) return
  const timeAdded = timestamp(clock.now())
  const taints = [...kept, ...missing.map((effect) => ({ key, effect, timeAdded }))]
  ignoreRefusal(() => registry.update('nodes', { ...node, spec: { ...objectAt(node, 'spec'), taints } }))
}
