// Reports whether only the status of an object has changed.
import { hashValue } from '@dayfly/kit/hash'
import { valueAt } from '@dayfly/kit/read-json'

/** The generation counts the changes of the spec. */
const fields = ['generation', 'labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp']

/**
 * Returns the hash of a Job without its status, and undefined for other kinds. The Job controller writes the status of a looping Job
 * every few seconds, so no plan would outlive one version. The status of other kinds decides whether a step is right.
 */
export function unmovedOf(kind: string, object: object): string | undefined {
  if (kind !== 'Job') return undefined
  const values = fields.map((field) => valueAt(object, 'metadata', field) ?? null)
  return hashValue(values, 16)
}
