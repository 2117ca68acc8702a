// The columns of `kubectl get pods`. The rows follow Kubernetes' printPod exactly, because scripts parse the STATUS
// column.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/printers/internalversion/printers.go
import type { Instant } from '@dayfly/kit/clock'
import { field, integer, isObject, type JsonObject, list, text } from '../../api/values/json.ts'
import { age } from './age.ts'
import { ageColumn, column, nameColumn, type Printer } from './column.ts'

export const podPrinter: Printer = {
  columns: [
    nameColumn,
    column('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
    column('Status', 'The aggregate status of the containers in this pod.'),
    column('Restarts', 'The number of container restarts, and the time since the last one.'),
    ageColumn,
    column('IP', 'The address allocated to the pod.', 1),
    column('Node', 'The node the pod runs on.', 1),
    column('Nominated Node', 'The node that the scheduler has nominated for the pod.', 1),
    column('Readiness Gates', 'The number of passed readiness gates.', 1),
  ],
  cells: (pod, now) => {
    const summary = summarize(pod)
    return [
      pod.metadata.name,
      `${summary.ready}/${summary.containers}`,
      summary.status,
      restartsCell(summary.restarts, now),
      age(pod.metadata.creationTimestamp, now),
      text(list(pod, 'status', 'podIPs')[0], 'ip') || '<none>',
      text(pod, 'spec', 'nodeName') || '<none>',
      text(pod, 'status', 'nominatedNodeName') || '<none>',
      readinessGates(pod),
    ]
  },
}

type Restarts = { readonly count: number; readonly last: string }
type Containers = { readonly ready: number; readonly restarts: Restarts; readonly reason: string | undefined }

function summarize(pod: JsonObject): { ready: number; containers: number; status: string; restarts: Restarts } {
  const conditions = list(pod, 'status', 'conditions')
  const gated = conditions.some(
    (condition) => text(condition, 'type') === 'PodScheduled' && text(condition, 'reason') === 'SchedulingGated',
  )
  const base = gated ? 'SchedulingGated' : text(pod, 'status', 'reason') || text(pod, 'status', 'phase')
  const sidecars = new Set(
    list(pod, 'spec', 'initContainers')
      .filter((container) => text(container, 'restartPolicy') === 'Always')
      .map((container) => text(container, 'name')),
  )
  const init = initContainers(pod, sidecars)
  let { reason, restarts, ready } = init
  if (reason === undefined || isTrue(conditions, 'Initialized')) {
    const main = mainContainers(pod, reason ?? base, isTrue(conditions, 'Ready'))
    reason = main.reason
    restarts = add(init.sidecarRestarts, main.restarts)
    ready += main.ready
  }
  return {
    ready,
    containers: list(pod, 'spec', 'containers').length + sidecars.size,
    status: deleting(pod) ?? reason ?? base,
    restarts,
  }
}

/** Summarizes the init containers. `reason` is undefined when initialization is complete. */
function initContainers(pod: JsonObject, sidecars: ReadonlySet<string>): Containers & { sidecarRestarts: Restarts } {
  const total = list(pod, 'spec', 'initContainers').length
  let restarts: Restarts = { count: 0, last: '' }
  let sidecarRestarts: Restarts = { count: 0, last: '' }
  let ready = 0
  for (const [index, status] of list(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = sidecars.has(text(status, 'name'))
    restarts = add(restarts, restartsOf(status))
    if (sidecar) sidecarRestarts = add(sidecarRestarts, restartsOf(status))
    const terminated = field(status, 'state', 'terminated')
    if (isObject(terminated) && integer(terminated, 'exitCode') === 0) continue
    if (sidecar && field(status, 'started') === true) {
      if (field(status, 'ready') === true) ready++
      continue
    }
    const waiting = text(status, 'state', 'waiting', 'reason')
    let reason = `Init:${index}/${total}`
    if (isObject(terminated)) reason = `Init:${endReason(terminated)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') reason = `Init:${waiting}`
    return { ready, restarts, sidecarRestarts, reason }
  }
  return { ready, restarts, sidecarRestarts, reason: undefined }
}

function mainContainers(pod: JsonObject, before: string, podReady: boolean): Containers & { reason: string } {
  let restarts: Restarts = { count: 0, last: '' }
  let ready = 0
  let reason = before
  let failure = ''
  for (const status of list(pod, 'status', 'containerStatuses').toReversed()) {
    restarts = add(restarts, restartsOf(status))
    const terminated = field(status, 'state', 'terminated')
    const waiting = text(status, 'state', 'waiting', 'reason')
    if (waiting !== '') {
      reason = waiting
    } else if (isObject(terminated)) {
      reason = endReason(terminated)
      if (integer(terminated, 'exitCode') !== 0) failure = reason
    } else if (field(status, 'ready') === true && isObject(field(status, 'state', 'running'))) {
      ready++
    }
  }
  if (reason === 'Completed') {
    if (ready > 0 && podReady) reason = 'Running'
    else if (failure !== '') reason = failure
    else if (ready > 0) reason = 'NotReady'
  }
  return { ready, restarts, reason }
}

function deleting(pod: JsonObject): string | undefined {
  if (text(pod, 'metadata', 'deletionTimestamp') === '') return undefined
  if (text(pod, 'status', 'reason') === 'NodeLost') return 'Unknown'
  const phase = text(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed' ? undefined : 'Terminating'
}

function endReason(terminated: JsonObject): string {
  const signal = integer(terminated, 'signal')
  return (
    text(terminated, 'reason') || (signal !== 0 ? `Signal:${signal}` : `ExitCode:${integer(terminated, 'exitCode')}`)
  )
}

function restartsOf(status: unknown): Restarts {
  return { count: integer(status, 'restartCount'), last: text(status, 'lastState', 'terminated', 'finishedAt') }
}

function add(one: Restarts, other: Restarts): Restarts {
  return { count: one.count + other.count, last: later(one.last, other.last) }
}

/** Returns the later of two timestamps of the same format. An empty string is the earliest. */
function later(one: string, other: string): string {
  if (one > other) return one
  return other
}

function restartsCell(restarts: Restarts, now: Instant): string {
  if (restarts.count === 0 || restarts.last === '') return String(restarts.count)
  return `${restarts.count} (${age(restarts.last, now)} ago)`
}

function isTrue(conditions: readonly unknown[], type: string): boolean {
  return conditions.some((condition) => text(condition, 'type') === type && text(condition, 'status') === 'True')
}

function readinessGates(pod: JsonObject): string {
  const gates = list(pod, 'spec', 'readinessGates')
  if (gates.length === 0) return '<none>'
  const conditions = list(pod, 'status', 'conditions')
  const passed = gates.filter((gate) => isTrue(conditions, text(gate, 'conditionType')))
  return `${passed.length}/${gates.length}`
}
