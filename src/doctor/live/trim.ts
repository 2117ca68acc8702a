// What is kept of an object that was read: ten thousand pods must fit, and a Secret's data must not stay.
import type { KubeObject } from '../../kubernetes/types.ts'
import { textAt, timeAt } from '../../lib/read-json.ts'

/** `metadata`: nothing but its metadata. */
export function trim(object: KubeObject, read: 'whole' | 'metadata'): KubeObject {
  const { apiVersion, kind } = object
  const { managedFields: _fields, ...metadata } = object.metadata as KubeObject['metadata'] & Record<string, unknown>
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...annotations } = metadata.annotations ?? {}
  const kept = { ...metadata, ...(metadata.annotations ? { annotations } : {}) }
  return read === 'whole' ? { ...object, metadata: kept } : { apiVersion, kind, metadata: kept }
}

/** Events of one object that are kept; a stuck pod repeats few. */
const eventsMax = 20

/** Collects the events of a list by the object they speak of, and keeps of each the newest. */
export function newestEvents() {
  const byObject = new Map<string, KubeObject[]>()
  return {
    /** For a list's `keep`: the list itself stays empty. */
    keep: (event: KubeObject): undefined => {
      const about = textAt(event, 'involvedObject', 'uid') ?? textAt(event, 'involvedObject', 'name') ?? ''
      const newest = byObject.get(about) ?? []
      byObject.set(about, newest)
      newest.push(trim(event, 'whole'))
      if (newest.length > 2 * eventsMax) newest.splice(0, newest.length, ...newestOf(newest))
    },
    all: (): readonly KubeObject[] => [...byObject.values()].flatMap(newestOf),
  }
}

function newestOf(events: readonly KubeObject[]): readonly KubeObject[] {
  // A list that began anew told of some twice.
  const once = new Map(events.map((event) => [event.metadata.uid ?? event.metadata.name, event]))
  return [...once.values()].sort((one, other) => timeOf(one) - timeOf(other)).slice(-eventsMax)
}

function timeOf(event: KubeObject): number {
  return timeAt(event, 'lastTimestamp') ?? timeAt(event, 'eventTime') ?? timeAt(event, 'firstTimestamp') ?? 0
}
