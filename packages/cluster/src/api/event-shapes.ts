// Events have two shapes: that of core/v1, which is stored, and that of events.k8s.io/v1 with other names for the same fields.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/events/v1/conversion.go
import type { StoredObject } from '../store/object.ts'
import type { Projection } from '../store/projection.ts'

/** The names of a field in core/v1 and in events.k8s.io/v1. Other fields have the same name in both. */
const names: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
]

const toNew = new Map(names)
const toOld = new Map(names.map(([old, young]) => [young, old]))

/** The fields that core/v1 always writes, and events.k8s.io/v1 only with a value. */
const always = { reportingComponent: '', reportingInstance: '' }

/** Shows the stored Events as those of events.k8s.io/v1. */
export const eventProjection: Projection = {
  resource: 'events.events.k8s.io',
  of: 'events',
  show: (event) => {
    const shown = renamed(event, toNew)
    return { ...shown, apiVersion: 'events.k8s.io/v1' }
  },
  hide: (event) => ({ ...always, ...renamed(event, toOld), apiVersion: 'v1' }),
}

function renamed(event: StoredObject, to: ReadonlyMap<string, string>): StoredObject {
  const entries = Object.entries(event).filter(([name, value]) => !(Object.hasOwn(always, name) && value === ''))
  return Object.fromEntries(entries.map(([name, value]) => [to.get(name) ?? name, value])) as StoredObject
}
