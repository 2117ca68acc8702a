// An embedded cluster on a virtual clock with scripted containers. It records the states of its pods as short lines that tests can compare.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { field, isObject } from './api/values/json.ts'
import { type ClusterOptions, createCluster } from './cluster.ts'
import type { Script } from './runtime/scripted/scripted-runtime.ts'
import { createScriptedRuntime, type ScriptedRuntimeOptions } from './runtime/scripted/scripted-runtime.ts'
import type { StoredObject } from './store/object.ts'

export type PodStageOptions = {
  /** Scripts by container name. A container without a script runs until it is stopped. */
  readonly scripts?: Readonly<Record<string, Script | ((attempt: number) => Script)>>
  readonly refuseImage?: ScriptedRuntimeOptions['refuseImage']
  readonly cluster?: Partial<ClusterOptions>
}

export function openPodStage({ scripts = {}, refuseImage, cluster: more }: PodStageOptions = {}) {
  const clock = virtualClock()
  const start = clock.now()
  const script: ScriptedRuntimeOptions['script'] = ({ id }) => {
    const found = scripts[id.name] ?? {}
    return typeof found === 'function' ? found(id.attempt) : found
  }
  const runtime = createScriptedRuntime({ clock, script, remembers: true, ...(refuseImage ? { refuseImage } : {}) })
  const cluster = createCluster({ clock, random: seededRandom(1), runtime, ...more })
  const { registry } = cluster
  const seen: string[] = []
  const seconds = () => `${(clock.now() - start) / 1000}s`
  registry.subscribe('pods', ({ type, object }) => {
    const line = `${type === 'DELETED' ? 'gone' : podLine(object)}`
    if (seen.at(-1)?.replace(/^\S+ /, '') !== line) seen.push(`${seconds()} ${line}`)
  })
  return {
    clock,
    cluster,
    registry,
    runtime,
    /** Each change of a pod that `podLine` shows, with its time. */
    seen,
    /** The actions on containers, for example `2s term runner`. */
    actions: () =>
      runtime.actions.map(({ at, what, container }) => `${(at - start) / 1000}s ${what} ${container.split('/')[1]}`),
    /** Events about pods, as `reason xCOUNT: message`. */
    events: () =>
      registry
        .list('events')
        .map(({ reason, message, count }) => `${reason} x${count}: ${message}`)
        .sort(),
    create: (spec: object, name = 'p') => registry.create('pods', podOf(spec, name)),
    pod: (name = 'p') => registry.get('pods', 'default', name),
  }
}

/** Returns a pod in the default namespace. Its default restart policy is Never. */
export function podOf(spec: object, name = 'p') {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { restartPolicy: 'Never', ...spec },
  }
}

export function containerOf(name: string, more: object = {}) {
  return { name, image: 'busybox', command: [name], ...more }
}

/** Describes a pod, for example `Running docker=running,started runner=Completed(0)`. `!` after the phase means that the pod is being deleted. */
export function podLine(pod: { readonly metadata: object }): string {
  const states = [
    ...list(field(pod, 'status', 'initContainerStatuses')),
    ...list(field(pod, 'status', 'containerStatuses')),
  ]
  const containers = states.map((status) => `${status['name']}=${stateWord(status)}`)
  const deleted = 'deletionTimestamp' in pod.metadata ? '!' : ''
  return [`${field(pod, 'status', 'phase')}${deleted}`, ...containers].join(' ')
}

/** Describes the pod's conditions, for example `Ready=False/PodCompleted`. */
export function conditionLine(pod: StoredObject | undefined): string {
  return list(field(pod, 'status', 'conditions'))
    .map(({ type, status, reason }) => `${type}=${status}${reason === undefined ? '' : `/${reason}`}`)
    .join(' ')
}

function stateWord(status: Readonly<Record<string, unknown>>): string {
  const waiting = field(status, 'state', 'waiting', 'reason')
  const ended = field(status, 'state', 'terminated')
  const restarts = status['restartCount'] === 0 ? '' : `#${status['restartCount']}`
  if (typeof waiting === 'string') return `${waiting}${restarts}`
  if (isObject(ended)) return `${ended['reason']}(${ended['exitCode']})${restarts}`
  const flags = [status['started'] && 'started', status['ready'] && 'ready'].filter(Boolean)
  return `${['running', ...flags].join(',')}${restarts}`
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
