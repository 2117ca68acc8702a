// Finds the Events about an object.
import type { Instant } from '@dayfly/kit/clock'
import { fieldsAt, type JsonObject, textAt, timeAt } from '@dayfly/kit/read-json'
import type { Facts, ObjectFact } from '../../facts.ts'
import { objectsOf } from './by-kind.ts'
import { uidOf } from './metadata.ts'

type EventView = {
  readonly reason: string
  readonly message: string
  /** The part of the object, for example `spec.containers{runner}`. */
  readonly field: string | undefined
  readonly last: Instant
}

/** Indexes all Events once. The returned function gives the Events about an object, the newest first. */
export function eventIndex(facts: Facts): (about: Pick<ObjectFact, 'object' | 'raw'>) => readonly EventView[] {
  const byObject = new Map<string, EventView[]>()
  for (const { raw } of objectsOf(facts, 'Event')) {
    const about = fieldsAt(raw, 'involvedObject') ?? {}
    const key =
      textAt(about, 'uid') ?? nameKey(textAt(about, 'kind'), textAt(about, 'namespace'), textAt(about, 'name'))
    const events = byObject.get(key) ?? []
    events.push(viewEvent(raw))
    byObject.set(key, events)
  }
  return ({ object, raw }) => {
    const events = byObject.get(uidOf(raw) ?? '') ?? byObject.get(nameKey(object.kind, object.namespace, object.name))
    return [...(events ?? [])].sort((a, b) => b.last - a.last)
  }
}

/** Returns how many pods had this name since then: each pod has its own uid in the Events about it. */
export function podsNamed(
  facts: Facts,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
  since: Instant,
): number {
  const uids = objectsOf(facts, 'Event').flatMap(({ raw }) => {
    const about = fieldsAt(raw, 'involvedObject') ?? {}
    const isAbout =
      textAt(about, 'kind') === 'Pod' && textAt(about, 'namespace') === namespace && textAt(about, 'name') === name
    return isAbout && viewEvent(raw).last >= since ? (textAt(about, 'uid') ?? []) : []
  })
  return new Set(uids).size
}

function nameKey(kind: string | undefined, namespace: string | undefined, name: string | undefined): string {
  return `${kind}/${namespace}/${name}`
}

function viewEvent(raw: JsonObject): EventView {
  return {
    reason: textAt(raw, 'reason') ?? '',
    message: textAt(raw, 'message') ?? '',
    field: textAt(raw, 'involvedObject', 'fieldPath'),
    last: timeAt(raw, 'lastTimestamp') ?? timeAt(raw, 'eventTime') ?? timeAt(raw, 'metadata', 'creationTimestamp') ?? 0,
  }
}
