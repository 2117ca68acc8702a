// The frame of a controller that brings the objects of one kind to their wanted state: it follows these objects and those that
// they control, and keeps the recorder of each object's Events.
import type { Clock } from '@dayfly/kit/clock'
import { ApiError } from '../api/errors.ts'
import type { Registry } from '../api/registry.ts'
import { type EventRecorder, eventRecorder } from '../event-recorder.ts'
import type { ResourceKey, StoredObject } from '../store/object.ts'
import { startLoop } from './loop.ts'
import { controllerOf } from './owners.ts'

/** The delay before a refused write is tried again. */
export const retryMs = 1_000

export type Reconciliation = {
  readonly registry: Registry
  readonly clock: Clock
  /** Records Events about the object. */
  readonly events: EventRecorder
  /** Reconciles the object again in `ms` milliseconds. */
  readonly again: (ms: number) => void
}

type ObjectLoopOptions = {
  readonly registry: Registry
  readonly clock: Clock
  readonly resource: ResourceKey
  readonly kind: string
  /** The name of the controller in its Events. */
  readonly component: string
  /** The kinds of the objects that it controls. A change of one wakes its owner. */
  readonly owned: readonly ResourceKey[]
  /** Called again after a delay if the API server refuses one of its writes. */
  readonly reconcile: (context: Reconciliation, object: StoredObject) => void
}

export interface ObjectLoop {
  /** Reconciles the object soon, if it exists. */
  wake(namespace: string | undefined, name: string): void
  stop(): void
}

export function startObjectLoop(options: ObjectLoopOptions): ObjectLoop {
  const { registry, clock, resource, kind, component, owned, reconcile } = options
  const recorders = new Map<string, EventRecorder>()
  const loop = startLoop(clock, (key) => {
    // The reconciliation itself asks for the next one. An earlier request is out of date.
    loop.forget(key)
    const [namespace, name = ''] = key.split('/')
    const object = registry.get(resource, namespace, name)
    if (object === undefined) return
    const { uid } = object.metadata
    const events = recorders.get(uid) ?? eventRecorder(object, { registry, clock, component })
    recorders.set(uid, events)
    try {
      reconcile({ registry, clock, events, again: (ms) => loop.after(key, ms) }, object)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      loop.after(key, retryMs)
    }
  })
  const wake: ObjectLoop['wake'] = (namespace, name) => loop.add(`${namespace}/${name}`)
  const stops = owned.map((each) =>
    registry.subscribe(each, ({ object, before }) => {
      const owner = controllerOf(object, kind)
      const last = before && controllerOf(before, kind)
      for (const one of owner?.uid === last?.uid ? [owner] : [owner, last]) {
        if (one) wake(object.metadata.namespace, one.name)
      }
    }),
  )
  const stopObjects = registry.subscribe(resource, ({ type, object }) => {
    const { namespace, name, uid } = object.metadata
    if (type === 'DELETED') {
      loop.forget(`${namespace}/${name}`)
      recorders.delete(uid)
    } else wake(namespace, name)
  })
  const stop = (): void => {
    for (const stopOwned of stops) stopOwned()
    stopObjects()
    loop.stop()
  }
  return { wake, stop }
}
