// An object on its way into the store. Only one writer holds it, so it may be changed in place.
import type { ObjectMeta } from '../../store/object.ts'

export type DraftMeta = { -readonly [Field in keyof ObjectMeta]?: ObjectMeta[Field] | undefined }

export type Draft = {
  apiVersion: string
  kind: string
  metadata: DraftMeta
  [field: string]: unknown
}
