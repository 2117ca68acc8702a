// The findings that the doctor reports, and the fixes that it offers.
import type { Path } from '@dayfly/kit/read-json'

/** The most severe first. */
export const severities = ['error', 'warning', 'info'] as const
export type Severity = (typeof severities)[number]
export type Confidence = 'high' | 'medium' | 'low'

/** A position in the original text of a file. Lines and columns count from 1, offsets from 0. */
export type Place = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  readonly start: number
  readonly end: number
}

export type ObjectRef = {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
  /** Set for live objects only. */
  readonly uid?: string | undefined
}

/** A structural change of a document. `fixes/fixes.ts` turns it into a splice of the original text, which leaves all other bytes unchanged. */
export type Edit =
  /** Sets a scalar, or adds the key with this value (plain JSON) to its mapping: after the key `after`, or at the end. */
  | { readonly do: 'set'; readonly path: Path; readonly value: unknown; readonly after?: string }
  | { readonly do: 'remove'; readonly path: Path }
  /** Moves a key, as written, to the end of the mapping `to` in the same document. */
  | { readonly do: 'carry'; readonly from: Path; readonly to: Path }
  /**
   * Moves a list entry to the end of another list of the same document, and sets further fields of it.
   * A missing list is created after the key `after`.
   */
  | {
      readonly do: 'move'
      readonly from: Path
      readonly to: Path
      readonly after: string
      readonly set: Readonly<Record<string, unknown>>
    }

export type Fix = {
  /** `safe`: on the declared version, no working workload stops working, and nothing disappears that another document of the input reads. */
  readonly safety: 'safe' | 'unsafe'
  /** The minor version from which the fix is safe, if it is unsafe only because no version is declared. */
  readonly safeFrom?: number | undefined
  /** An imperative sentence. */
  readonly title: string
  readonly edits: readonly Edit[]
}

/** The result of a rule for one place. The engine adds the rule, the file and the line. */
export type Hit = {
  readonly object: ObjectRef
  /** The number of the document with the object; undefined for live objects. */
  readonly document: number | undefined
  /** The offending key, or the nearest key that exists. */
  readonly path: Path
  readonly message: string
  readonly container?: string | undefined
  readonly severity?: Severity
  readonly confidence?: Confidence
  readonly fix?: Fix | undefined
  /** Paths that must be absent for the hit to be valid. If a template may write one of them, the hit is dropped. */
  readonly absent?: readonly Path[]
  /** Further places in the same document that explain the hit. */
  readonly related?: readonly { readonly path: Path; readonly message: string }[]
}

export type Finding = {
  /** The slug of the rule. */
  readonly rule: string
  readonly code: string
  readonly severity: Severity
  readonly confidence: Confidence
  readonly object: ObjectRef
  readonly container: string | undefined
  readonly message: string
  /** Undefined for live objects. */
  readonly place: Place | undefined
  readonly fix: Fix | undefined
  /** The number of the document, for fixes. */
  readonly document: number | undefined
  readonly related: readonly { readonly place: Place; readonly message: string }[]
}
