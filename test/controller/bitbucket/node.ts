// Plays the nodes of the cluster: pods start after a while, runners connect to the emulated Bitbucket, and what belongs to a pod ends with it.
import type { createRegistry } from '@dayfly/cluster/api/create-registry'
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { Control } from '@dayfly/forge-emulators/bitbucket/control'
import { timestamp } from '@dayfly/kit/timestamp'
import type { VirtualClock } from '@dayfly/kit/virtual-clock'
import type { RunnerLogs } from './logs.ts'

export type Registry = ReturnType<typeof createRegistry>

export type NodeOptions = {
  readonly clock: VirtualClock
  readonly registry: Registry
  readonly control: Control
  /** From the pod's creation to the start of its container, and from there until its runner is online, in milliseconds. */
  readonly startMs: () => number
  readonly connectMs: () => number
  /** Absent if nobody may read them. */
  readonly logs: RunnerLogs | undefined
}

/** `running`: its process works. `silent`: it works, but Bitbucket does not hear of it. */
export type ProcessState = 'none' | 'running' | 'silent' | 'gone'

export type Node = {
  readonly processes: Map<string, ProcessState>
  /** The connection of a runner breaks for a while. */
  blip(name: string, ms: number): void
  /** The container of a runner is killed. */
  die(name: string): void
  /** The pod is gone without a trace, as after the loss of its node. */
  lose(name: string): void
}

export function startNode(options: NodeOptions): Node {
  const { clock, registry, control, logs } = options
  const processes = new Map<string, ProcessState>()
  const pod = (name: string) => podNamed(registry, name)
  const stop = (name: string) => {
    processes.set(name, 'gone')
    logs?.end(name)
    control.stub.vanish(name)
  }
  const connect = (name: string) => {
    const object = pod(name)
    if (!object || processes.get(name) === 'gone') return
    processes.set(name, 'running')
    control.stub.online(name)
  }
  const started = ({ metadata: { name, namespace = '' } }: StoredObject) => {
    const object = pod(name)
    if (!object || object.metadata.deletionTimestamp !== undefined) return
    // The kubelet waits for the Secret.
    if (!registry.list('secrets', namespace).some(({ metadata }) => metadata.name === name)) {
      clock.after(5_000, () => started(object))
      return
    }
    // The API server reads the log of a pod on the node that the pod is bound to.
    if (logs) registry.bind(namespace, name, 'node')
    const at = timestamp(clock.now())
    setStatus(registry, object, { phase: 'Running', containerStatuses: [container({ running: { startedAt: at } })] })
    clock.after(options.connectMs(), () => connect(name))
  }
  const deleted = ({ metadata: { name, namespace = '' } }: StoredObject) => {
    stop(name)
    clock.after(1_000, () => {
      if (pod(name)) registry.delete('pods', namespace, name, { gracePeriodSeconds: 0 })
    })
  }
  registry.subscribe('pods', ({ type, object }) => {
    const { name, namespace = '', deletionTimestamp } = object.metadata
    if (type === 'DELETED') {
      stop(name)
      const own = registry.list('secrets', namespace).some(({ metadata }) => metadata.name === name)
      if (own) registry.delete('secrets', namespace, name)
    } else if (type === 'ADDED') {
      processes.set(name, 'none')
      clock.after(options.startMs(), () => started(object))
    } else if (deletionTimestamp !== undefined && processes.get(name) !== 'gone') {
      // The registry has not finished the write that it reports.
      processes.set(name, 'gone')
      clock.after(0, () => deleted(object))
    }
  })
  return {
    processes,
    blip: (name, ms) => {
      if (processes.get(name) !== 'running') return
      processes.set(name, 'silent')
      control.stub.vanish(name)
      clock.after(ms, () => {
        if (processes.get(name) === 'silent') connect(name)
      })
    },
    die: (name) => {
      const object = pod(name)
      if (!object || processes.get(name) !== 'running') return
      stop(name)
      const at = timestamp(clock.now())
      const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: at, finishedAt: at }
      setStatus(registry, object, { phase: 'Failed', containerStatuses: [container({ terminated })] })
    },
    lose: (name) => {
      const object = pod(name)
      if (object) registry.delete('pods', object.metadata.namespace ?? '', name, { gracePeriodSeconds: 0 })
    },
  }
}

export function podNamed(registry: Registry, name: string): StoredObject | undefined {
  return registry.list('pods').find(({ metadata }) => metadata.name === name)
}

function setStatus(registry: Registry, { metadata: { name, namespace = '' } }: StoredObject, status: object): void {
  const object = registry.get('pods', namespace, name)
  registry.update('pods', { ...object, status }, { subresource: 'status' })
}

function container(state: object) {
  return { name: 'runner', image: 'x', imageID: '', ready: 'running' in state, restartCount: 0, state }
}
