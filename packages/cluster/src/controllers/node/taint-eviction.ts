// Deletes the pods of nodes with a NoExecute taint, at once or when the time that they tolerate it is over (Kubernetes: pkg/controller/tainteviction).
import type { Instant, Timer } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { withCondition } from '../../api/values/conditions.ts'
import { type JsonObject, objects } from '../../api/values/json.ts'
import { nodeOf } from '../../api/values/pod-state.ts'
import { eventRecorder } from '../../event-recorder.ts'
import type { StoredObject } from '../../store/object.ts'
import { ignoreRefusal } from '../ignore-refusal.ts'
import { tolerates } from '../tolerations.ts'
import type { NodeControllerOptions } from './node-health.ts'

const component = 'taint-eviction-controller'

/** Starts the controller. Returns a function that stops it. */
export function startTaintEviction(options: NodeControllerOptions): () => void {
  const { registry, clock } = options
  const timers = new Map<string, Timer>()
  const cancel = (uid: string, pod?: StoredObject) => {
    const timer = timers.get(uid)
    timers.delete(uid)
    timer?.cancel()
    if (timer && pod) report(options, pod, `Cancelling deletion of Pod ${pathOf(pod)}`)
  }
  const consider = (pod: StoredObject, taints: readonly JsonObject[]) => {
    const { uid, deletionTimestamp } = pod.metadata
    const due = deletionTimestamp === undefined ? evictionTime(pod, taints, clock.now()) : undefined
    if (due === undefined) return cancel(uid, pod)
    if (timers.has(uid)) return
    const fire = () => {
      timers.delete(uid)
      evict(options, pod)
    }
    timers.set(uid, clock.after(Math.max(0, due - clock.now()), fire))
  }
  const seePod = (pod: StoredObject) => {
    const node = nodeOf(pod) === '' ? undefined : registry.get('nodes', undefined, nodeOf(pod))
    const taints = node ? objects(node, 'spec', 'taints').filter(isNoExecute) : []
    if (taints.length > 0 || timers.has(pod.metadata.uid)) consider(pod, taints)
  }
  const stopPods = registry.subscribe('pods', ({ type, object }) => {
    if (type === 'DELETED') cancel(object.metadata.uid)
    else seePod(object)
  })
  const stopNodes = registry.subscribe('nodes', ({ object, before }) => {
    if (![object, ...(before ? [before] : [])].some((node) => objects(node, 'spec', 'taints').some(isNoExecute))) return
    for (const pod of registry.list('pods')) if (nodeOf(pod) === object.metadata.name) seePod(pod)
  })
  return () => {
    stopPods()
    stopNodes()
    for (const uid of [...timers.keys()]) cancel(uid)
  }
}

function isNoExecute({ effect }: JsonObject): boolean {
  return effect === 'NoExecute'
}

/** Returns when the pod must go, or undefined if it tolerates all taints without a limit. */
function evictionTime(pod: StoredObject, taints: readonly JsonObject[], now: Instant): Instant | undefined {
  const tolerations = objects(pod, 'spec', 'tolerations')
  const times = taints.map((taint) => {
    const since = Date.parse(String(taint['timeAdded'] ?? '')) || now
    const matching = tolerations.filter((toleration) => tolerates(toleration, taint))
    if (matching.length === 0) return since
    const limits = matching.flatMap(({ tolerationSeconds }) =>
      typeof tolerationSeconds === 'number' ? tolerationSeconds : [],
    )
    return limits.length === 0 ? Number.POSITIVE_INFINITY : since + Math.max(0, Math.min(...limits)) * 1_000
  })
  const first = Math.min(...times)
  return Number.isFinite(first) ? first : undefined
}

function evict(options: NodeControllerOptions, { metadata }: StoredObject): void {
  const { registry, clock } = options
  const { namespace, name, uid } = metadata
  const pod = registry.get('pods', namespace, name)
  if (pod?.metadata.uid !== uid) return
  report(options, pod, `Marking for deletion Pod ${pathOf(pod)}`)
  const why = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' }
  const target = { type: 'DisruptionTarget', status: 'True', ...why, lastTransitionTime: timestamp(clock.now()) }
  ignoreRefusal(() => {
    registry.update('pods', withCondition(pod, target), { subresource: 'status' })
    registry.delete('pods', namespace, name, { preconditions: { uid } })
  })
}

function report(options: NodeControllerOptions, pod: StoredObject, message: string): void {
  eventRecorder(pod, { ...options, component }).record('Normal', 'TaintManagerEviction', message)
}

function pathOf({ metadata }: StoredObject): string {
  return `${metadata.namespace}/${metadata.name}`
}
