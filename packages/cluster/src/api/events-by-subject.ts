// Finds the Events about one object. Clients ask for them by its UID or name, and a namespace may have thousands of others.
import type { ListRange } from '../store/collection.ts'
import type { ResourceKey, StoredObject } from '../store/object.ts'
import type { Store } from '../store/store.ts'
import { text } from './values/json.ts'
import { requiredFields } from './verbs/selectors.ts'

/**
 * Returns the Events among which a list with this field selector finds its own, in order. Returns undefined if the list
 * needs other objects too.
 */
export type EventsBySubject = (
  resource: ResourceKey,
  fieldSelector: string | undefined,
  range: ListRange,
) => readonly StoredObject[] | undefined

/** The fields that identify a subject, the best one first. */
const fields = ['uid', 'name'] as const

export function indexEvents(store: Store): EventsBySubject {
  const withValue = store.indexBy('events', (event) =>
    fields.map((field) => `${field}=${text(event, 'involvedObject', field)}`),
  )
  return (resource, fieldSelector = '', range) => {
    if (resource !== 'events' || fieldSelector === '') return undefined
    const required = requiredFields(fieldSelector)
    const field = fields.find((one) => required.has(`involvedObject.${one}`))
    return field === undefined ? undefined : withValue(`${field}=${required.get(`involvedObject.${field}`)}`, range)
  }
}
