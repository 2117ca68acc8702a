// Records Kubernetes Events about one object: one Event for each distinct message, with a count.
import type { Clock } from '@dayfly/kit/clock'
import { timestamp } from '@dayfly/kit/timestamp'
import { ApiError } from './api/errors.ts'
import type { Registry } from './api/registry.ts'
import type { StoredObject } from './store/object.ts'

type EventSource = {
  readonly registry: Registry
  readonly clock: Clock
  /** The reporting component: `kubelet`, `default-scheduler`. */
  readonly component: string
  readonly host?: string
}

export interface EventRecorder {
  /** @param field the part of the object that the Event concerns, for example `spec.containers{main}`. */
  record(type: 'Normal' | 'Warning', reason: string, message: string, field?: string): void
}

/**
 * Creates a recorder that remembers what it recorded: keep it as long as its subject. Events are best effort. A
 * refused Event is dropped, as in Kubernetes, for example in a namespace that is being deleted.
 */
export function eventRecorder(subject: StoredObject, source: EventSource): EventRecorder {
  const names = new Map<string, string>()
  const { registry, clock, component, host } = source
  const namespace = subject.metadata.namespace ?? 'default'
  const repeat = (name: string | undefined): boolean => {
    const event = name === undefined ? undefined : registry.get('events', namespace, name)
    if (!event) return false
    registry.update('events', { ...event, count: Number(event['count']) + 1, lastTimestamp: timestamp(clock.now()) })
    return true
  }
  const record: EventRecorder['record'] = (type, reason, message, field) => {
    const key = `${reason}\n${field}\n${message}`
    try {
      if (repeat(names.get(key))) return
      const at = timestamp(clock.now())
      const created = registry.create('events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: `${subject.metadata.name}.${nameSuffix(source)}`, namespace },
        involvedObject: { ...reference(subject), ...(field === undefined ? {} : { fieldPath: field }) },
        reason,
        message,
        type,
        source: { component, ...(host === undefined ? {} : { host }) },
        firstTimestamp: at,
        lastTimestamp: at,
        count: 1,
        eventTime: null,
        reportingComponent: component,
        reportingInstance: host ?? '',
      })
      names.set(key, created.metadata.name)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return { record }
}

function reference({ apiVersion, kind, metadata }: StoredObject): object {
  const { name, namespace, uid, resourceVersion } = metadata
  return { kind, ...(namespace === undefined ? {} : { namespace }), name, uid, apiVersion, resourceVersion }
}

/**
 * Returns the suffix of an Event's name. Kubernetes uses the time in nanoseconds, so that names sort by time. Ours has
 * milliseconds, followed by the store's revision.
 */
function nameSuffix({ clock, registry }: EventSource): string {
  return (BigInt(clock.now()) * 1_000_000n + BigInt(registry.revision() % 1_000_000)).toString(16)
}
