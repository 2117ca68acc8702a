// The scheduler binds each pod to the first node it fits on. If there is none, it reports why.
import type { Clock } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import type { Registry } from '../api/registry.ts'
import { conditionOf, withCondition } from '../api/values/conditions.ts'
import { field } from '../api/values/json.ts'
import { hasEnded, nodeOf } from '../api/values/pod-state.ts'
import { type EventRecorder, eventRecorder } from '../event-recorder.ts'
import type { StoreEvent } from '../store/event-ring.ts'
import type { StoredObject } from '../store/object.ts'
import {
  affinityObstacle,
  keepsApart,
  type Placed,
  preferenceFor,
  type Surroundings,
  wantsNeighbour,
} from './affinity.ts'
import { type Amounts, isPermanent, obstacles, offeredBy, requestsOf } from './fit.ts'
import { ignoreRefusal } from './ignore-refusal.ts'
import { startLoop } from './loop.ts'

const name = 'default-scheduler'

export type SchedulerOptions = { readonly registry: Registry; readonly clock: Clock }

/** Starts the scheduler. Returns a function that stops it. */
export function startScheduler(options: SchedulerOptions): () => void {
  const { registry, clock } = options
  const usage = nodeUsage()
  /** Pods without a node, by key. They are tried again when another pod frees its resources. */
  const pending = new Map<string, { readonly events: EventRecorder; readonly wantsNeighbour: boolean }>()
  const recorderOf = (pod: StoredObject) =>
    pending.get(keyOf(pod))?.events ?? eventRecorder(pod, { ...options, component: name })
  const schedule = (key: string) => {
    const pod = find(registry, key)
    if (!pod || !wantsNode(pod)) return void pending.delete(key)
    const events = recorderOf(pod)
    const verdict = place(registry, pod, usage)
    if (verdict.is === 'placed') {
      pending.delete(key)
      bind(registry, pod, verdict.node, events)
    } else {
      pending.set(key, { events, wantsNeighbour: wantsNeighbour(pod) })
      refuse(registry, clock, pod, verdict.message)
      events.record('Warning', 'FailedScheduling', verdict.message)
    }
  }
  const loop = startLoop(clock, schedule)
  const retryAll = () => {
    for (const key of pending.keys()) loop.add(key)
  }
  const retryLonely = () => {
    for (const [key, waiting] of pending) if (waiting.wantsNeighbour) loop.add(key)
  }
  const see = (event: Pick<StoreEvent, 'type' | 'object'>) => {
    const freed = usage.see(event)
    if (event.type !== 'DELETED' && wantsNode(event.object)) loop.add(keyOf(event.object))
    if (freed) retryAll()
    else if (event.type !== 'DELETED' && !wantsNode(event.object)) retryLonely()
  }
  const stopPods = registry.subscribe('pods', (event) => {
    // A change of the status alone does not change the verdict. Most of them are the scheduler's own refusals.
    if (event.before && wantsNode(event.object) && event.before['spec'] === event.object['spec']) return
    see(event)
  })
  const stopNodes = registry.subscribe('nodes', retryAll)
  for (const object of registry.list('pods')) see({ type: 'ADDED', object })
  return () => {
    stopPods()
    stopNodes()
    loop.stop()
  }
}

function keyOf({ metadata }: StoredObject): string {
  return `${metadata.namespace}/${metadata.name}`
}

function find(registry: Registry, key: string): StoredObject | undefined {
  const [namespace, pod = ''] = key.split('/')
  return registry.get('pods', namespace, pod)
}

function wantsNode(pod: StoredObject): boolean {
  const gates = field(pod, 'spec', 'schedulingGates')
  return (
    nodeOf(pod) === '' &&
    (field(pod, 'spec', 'schedulerName') ?? name) === name &&
    pod.metadata.deletionTimestamp === undefined &&
    !hasEnded(pod) &&
    !(Array.isArray(gates) && gates.length > 0)
  )
}

type Placement = { readonly is: 'placed'; readonly node: string } | { readonly is: 'refused'; readonly message: string }

function place(registry: Registry, pod: StoredObject, usage: NodeUsage): Placement {
  const nodes = registry.list('nodes')
  const around: Surroundings = {
    node: (node) => registry.get('nodes', undefined, node),
    namespaceLabels: (namespace) => registry.get('namespaces', undefined, namespace)?.metadata.labels ?? {},
    placed: usage.placed,
    apart: usage.apart,
  }
  const fitting: StoredObject[] = []
  if (nodes.length === 0) return { is: 'refused', message: 'no nodes available to schedule pods' }
  const counts = new Map<string, number>()
  const requested = requestsOf(pod)
  for (const node of nodes) {
    const unfit = obstacles(pod, requested, node, { offered: usage.offered(node), used: usage.of(node.metadata.name) })
    const found = unfit.length > 0 ? unfit : [affinityObstacle(pod, node, around)].filter((each) => each !== undefined)
    if (found.length === 0) fitting.push(node)
    for (const obstacle of found) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1)
  }
  const best = bestOf(fitting, (node) => preferenceFor(pod, node, around))
  if (best) return { is: 'placed', node: best.metadata.name }
  const reasons = [...counts].map(([obstacle, count]) => `${count} ${obstacle}`).sort()
  const help = [...counts.keys()].every(isPermanent)
    ? 'Preemption is not helpful for scheduling.'
    : 'No preemption victims found for incoming pod.'
  const all = `0/${nodes.length} nodes are available`
  return {
    is: 'refused',
    message: `${all}: ${reasons.join(', ')}. no new claims to deallocate, preemption: ${all}: ${nodes.length} ${help}`,
  }
}

/** Returns the first of the nodes with the highest score. */
function bestOf(nodes: readonly StoredObject[], score: (node: StoredObject) => number): StoredObject | undefined {
  if (nodes.length < 2) return nodes[0]
  const scores = nodes.map(score)
  return nodes[scores.indexOf(Math.max(...scores))]
}

function bind(registry: Registry, pod: StoredObject, node: string, events: EventRecorder): void {
  const { namespace = '', name: podName } = pod.metadata
  ignoreRefusal(() => {
    registry.bind(namespace, podName, node)
    events.record('Normal', 'Scheduled', `Successfully assigned ${namespace}/${podName} to ${node}`)
  })
}

function refuse(registry: Registry, clock: Clock, pod: StoredObject, message: string): void {
  const known = conditionOf(pod, 'PodScheduled')
  if (known?.['status'] === 'False' && known['message'] === message) return
  const since = known?.['status'] === 'False' ? known['lastTransitionTime'] : timestamp(clock.now())
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }
  const next = withCondition(pod, { ...condition, lastProbeTime: null, lastTransitionTime: since })
  registry.update('pods', next, { subresource: 'status' })
}

interface NodeUsage {
  /** Records which resources a pod takes or frees. Returns whether it freed any. */
  see(event: Pick<StoreEvent, 'type' | 'object'>): boolean
  of(node: string): Amounts
  /** Returns what the node offers. */
  offered(node: StoredObject): Amounts
  /** The pods that hold a node. */
  placed(): Iterable<Placed>
  /** Those of them that keep others away. */
  apart(): Iterable<Placed>
}

/** Tracks what the pods on each node request. A pod holds its resources until it has ended or its object is gone. */
function nodeUsage(): NodeUsage {
  const held = new Map<string, Placed & { readonly requested: Amounts }>()
  const apart = new Map<string, Placed>()
  const used = new Map<string, Record<string, number>>()
  /** A stored object never changes, so that it is read once. */
  const offered = new WeakMap<StoredObject, Amounts>()
  const add = (node: string, requested: Amounts, sign: 1 | -1) => {
    const sum = used.get(node) ?? {}
    for (const [resource, amount] of Object.entries(requested)) sum[resource] = (sum[resource] ?? 0) + sign * amount
    used.set(node, sum)
  }
  return {
    see: ({ type, object }) => {
      const { uid } = object.metadata
      const node = nodeOf(object)
      const holds = type !== 'DELETED' && node !== '' && !hasEnded(object)
      const known = held.get(uid)
      if (holds) {
        const placed = { pod: object, node, requested: known?.requested ?? requestsOf(object) }
        held.set(uid, placed)
        if (keepsApart(object)) apart.set(uid, placed)
        if (!known) add(node, placed.requested, 1)
      }
      if (holds || !known) return false
      held.delete(uid)
      apart.delete(uid)
      add(known.node, known.requested, -1)
      return true
    },
    of: (node) => used.get(node) ?? {},
    offered: (node) => {
      const known = offered.get(node) ?? offeredBy(node)
      offered.set(node, known)
      return known
    },
    placed: () => held.values(),
    apart: () => apart.values(),
  }
}
