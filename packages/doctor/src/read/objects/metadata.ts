// Reads the metadata of live objects: age, deletion, finalizers, owner.
import type { Instant } from '@dayfly/kit/clock'
import { type JsonObject, listAt, textAt, textsAt, timeAt, valueAt } from '@dayfly/kit/read-json'

/** Milliseconds after the deletion deadline. A sidecar may take 2 s more than the grace period; the rest is slack. */
const deletionSlack = 32_000

/**
 * Returns for how long an object has been overdue for deletion, in milliseconds.
 * Undefined: it is not being deleted, or its deadline has not passed. `deletionTimestamp` is that deadline, not the time of the request.
 */
export function overdueBy(object: JsonObject, at: Instant): number | undefined {
  const deadline = timeAt(object, 'metadata', 'deletionTimestamp')
  return deadline !== undefined && at > deadline + deletionSlack ? at - deadline : undefined
}

export function ageOf(object: JsonObject, at: Instant): number | undefined {
  const created = timeAt(object, 'metadata', 'creationTimestamp')
  return created === undefined ? undefined : at - created
}

export function finalizersOf(object: JsonObject): readonly string[] {
  return textsAt(object, 'metadata', 'finalizers')
}

/** Returns the owner of this kind; the controller has precedence. The API group counts, because other systems have Jobs too (Volcano). */
export function ownerOf(object: JsonObject, kind: string): { readonly name: string; readonly uid: string } | undefined {
  const group = kind === 'Job' ? 'batch' : 'actions.github.com'
  const references = listAt(object, 'metadata', 'ownerReferences').filter(
    (each) => textAt(each, 'kind') === kind && (textAt(each, 'apiVersion') ?? group).split('/')[0] === group,
  )
  const owner = references.find((each) => valueAt(each, 'controller') === true) ?? references[0]
  const uid = textAt(owner, 'uid')
  return uid === undefined ? undefined : { uid, name: textAt(owner, 'name') ?? '' }
}

export function uidOf(object: JsonObject): string | undefined {
  return textAt(object, 'metadata', 'uid')
}
