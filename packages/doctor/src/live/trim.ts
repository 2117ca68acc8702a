// Trims the objects that were read: ten thousand pods must fit into memory, and the data of a Secret must not stay.
import { textAt, timeAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'

/** `metadata`: keeps the metadata only. */
export function trim(object: KubeObject, read: 'whole' | 'metadata'): KubeObject {
  const { apiVersion, kind } = object
  const { managedFields: _fields, ...metadata } = object.metadata as KubeObject['metadata'] & Record<string, unknown>
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...annotations } = metadata.annotations ?? {}
  const kept = { ...metadata, ...(metadata.annotations ? { annotations } : {}) }
  return read === 'whole' ? { ...object, metadata: kept } : { apiVersion, kind, metadata: kept }
}

/** The number of Events kept for one object. A stuck pod repeats few. */
const eventsMax = 20

/** Collects Events by the object that they are about, and keeps the newest of each. */
export function newestEvents() {
  const byObject = new Map<string, KubeObject[]>()
  return {
    /** Suits the `keep` option of a list. The list itself stays empty. */
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
  // A restarted list may contain duplicates.
  const once = new Map(events.map((event) => [event.metadata.uid ?? event.metadata.name, event]))
  return [...once.values()].sort((one, other) => timeOf(one) - timeOf(other)).slice(-eventsMax)
}

function timeOf(event: KubeObject): number {
  return timeAt(event, 'lastTimestamp') ?? timeAt(event, 'eventTime') ?? timeAt(event, 'firstTimestamp') ?? 0
}
