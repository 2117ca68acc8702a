// The rules that a kind adds to the common ones. All are optional. A kind without rules is plain data.
import type { StoredObject } from '../../store/object.ts'
import type { Api } from '../api.ts'
import type { FieldError } from '../values/field-error.ts'
import type { Draft } from '../verbs/draft.ts'

export type Rules = {
  /** Sets defaults before every write of the whole object. */
  readonly fill?: (draft: Draft, api: Api) => void
  /** At creation: resets the fields that clients may not set, and sets those that the server decides. */
  readonly prepare?: (draft: Draft, api: Api) => void
  /** On update: restores the fields that this write may not change from the current object. */
  readonly prepareUpdate?: (draft: Draft, current: StoredObject, api: Api) => void
  readonly prepareStatus?: (draft: Draft, current: StoredObject) => void
  readonly validate?: (draft: Draft, api: Api) => readonly FieldError[]
  readonly validateUpdate?: (draft: Draft, current: StoredObject, api: Api) => readonly FieldError[]
  readonly validateStatus?: (draft: Draft, current: StoredObject, api: Api) => readonly FieldError[]
  /** Throws the 403 of an admission plugin for a valid object. `current` is the object that it replaces. */
  readonly admit?: (draft: Draft, api: Api, current?: StoredObject) => void
  /** Returns why `metadata.name` is invalid. Without it, the name must be a DNS-1123 subdomain. */
  readonly name?: (name: string) => readonly string[]
  /** Kinds with a generation: returns whether the change affects the desired state. */
  readonly changesGeneration?: (draft: Draft, current: StoredObject) => boolean
  /**
   * Kinds whose controller completes their deletion: returns the object as the first DELETE leaves it. `now` is its
   * deletionTimestamp.
   */
  readonly terminate?: (object: StoredObject, now: string) => StoredObject
  /** Kinds that stop gracefully: returns the grace period of this deletion in seconds. */
  readonly grace?: (object: StoredObject, asked: number | undefined) => number
}
