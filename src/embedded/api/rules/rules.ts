// What a kind adds to the common rules. Every part is optional; a kind without rules is plain data.
import type { Api } from '../api.ts'
import type { Draft } from '../draft.ts'
import type { FieldError } from '../field-error.ts'
import type { StoredObject } from '../object.ts'

export type Rules = {
  /** Fills in what a client may leave out, before every write of the whole object. */
  readonly fill?: (draft: Draft, api: Api) => void
  /** At creation: what clients may not set is reset, what the server decides is set. */
  readonly prepare?: (draft: Draft, api: Api) => void
  /** On update: what this path may not change is taken from the current object. */
  readonly prepareUpdate?: (draft: Draft, current: StoredObject, api: Api) => void
  readonly prepareStatus?: (draft: Draft, current: StoredObject) => void
  readonly validate?: (draft: Draft, api: Api) => readonly FieldError[]
  readonly validateUpdate?: (draft: Draft, current: StoredObject, api: Api) => readonly FieldError[]
  readonly validateStatus?: (draft: Draft, current: StoredObject, api: Api) => readonly FieldError[]
  /** Why `metadata.name` is not valid for this kind; a DNS-1123 subdomain unless given. */
  readonly name?: (name: string) => readonly string[]
  /** Kinds with a generation: whether this change is one of the desired state. */
  readonly changesGeneration?: (draft: Draft, current: StoredObject) => boolean
  /** Kinds whose deletion is a process: the object as its first DELETE leaves it. `now` is its deletionTimestamp. */
  readonly terminate?: (object: StoredObject, now: string) => StoredObject
  /** Kinds that stop gracefully: how many seconds this deletion gives. */
  readonly grace?: (object: StoredObject, asked: number | undefined) => number
}
