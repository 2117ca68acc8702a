// Marks a node as unknown when its kubelet no longer renews its Lease (Kubernetes: pkg/controller/nodelifecycle).
// A node without a Lease is an object of a client that has no kubelet, and stays as it was written.
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Registry } from '../../api/registry.ts'
import { conditionOf } from '../../api/values/conditions.ts'
import { objectAt, objects } from '../../api/values/json.ts'
import { nodeOf } from '../../api/values/pod-state.ts'
import { eventRecorder } from '../../event-recorder.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'

/** The `node-monitor-grace-period` of kube-controller-manager. */
const graceMs = 50_000

/** A timer that is later than this says nothing about the kubelet, because both run in this process. */
const lateMs = 5_000

const component = 'node-controller'
const leases = 'leases.coordination.k8s.io'
const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

export type NodeControllerOptions = { readonly registry: Registry; readonly clock: Clock }

/** Starts the watch over the nodes' Leases. Returns a function that stops it. */
export function startNodeHealth(options: NodeControllerOptions): () => void {
  const { registry, clock } = options
  const timers = new Map<string, Timer>()
  const forget = (node: string) => {
    timers.get(node)?.cancel()
    timers.delete(node)
  }
  const expect = (node: string) => {
    forget(node)
    const due: Instant = clock.now() + graceMs
    const expire = () => {
      timers.delete(node)
      if (clock.now() > due + lateMs) expect(node)
      else lose(options, node)
    }
    timers.set(node, clock.after(graceMs, expire))
  }
  const see = ({ metadata }: StoredObject) => {
    if (metadata.namespace === 'kube-node-lease') expect(metadata.name)
  }
  for (const lease of registry.list(leases)) see(lease)
  const stopLeases = registry.subscribe(leases, ({ type, object }) => {
    if (type === 'DELETED') forget(object.metadata.name)
    else see(object)
  })
  return () => {
    stopLeases()
    for (const node of [...timers.keys()]) forget(node)
  }
}

function lose(options: NodeControllerOptions, name: string): void {
  const { registry, clock } = options
  const node = registry.get('nodes', undefined, name)
  if (!node || conditionOf(node, 'Ready')?.['status'] === 'Unknown') return
  const now = timestamp(clock.now())
  const unknown = { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
  const conditions = objects(node, 'status', 'conditions').map((condition) =>
    reported.includes(String(condition['type'])) ? { ...condition, ...unknown, lastTransitionTime: now } : condition,
  )
  const status = { ...objectAt(node, 'status'), conditions }
  registry.update('nodes', { ...node, status }, { subresource: 'status' })
  eventRecorder(node, { ...options, component }).record(
    'Normal',
    'NodeNotReady',
    `Node ${name} status is now: NodeNotReady`,
  )
  for (const pod of registry.list('pods')) if (nodeOf(pod) === name) markNotReady(options, pod, now)
}

/** Sets the pod's condition Ready to false. Its reason and its phase stay, because nobody knows what became of the containers. */
function markNotReady(options: NodeControllerOptions, pod: StoredObject, now: string): void {
  if (conditionOf(pod, 'Ready')?.['status'] !== 'True') return
  const conditions = objects(pod, 'status', 'conditions').map((condition) =>
    condition['type'] === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: now } : condition,
  )
  const status = { ...objectAt(pod, 'status'), conditions }
  ignoreRefusal(() => options.registry.update('pods', { ...pod, status }, { subresource: 'status' }))
  eventRecorder(pod, { ...options, component }).record('Warning', 'NodeNotReady', 'Node is not ready')
}
