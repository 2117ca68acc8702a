// What the doctor reports, and how it would mend it.
import type { Path } from '../lib/read-json.ts'

export type Severity = 'error' | 'warning' | 'info'
export type Confidence = 'high' | 'medium' | 'low'

/** A position in the original text of a file; lines and columns count from 1, offsets from 0. */
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
  /** Live objects only. */
  readonly uid?: string | undefined
}

/** One change of a document, by structure; fixes.ts turns it into a splice of the original text that leaves every other byte alone. */
export type Edit =
  /** Sets a scalar, or adds the key with this value (a plain JSON value) at the end of its mapping, or after `after`. */
  | { readonly do: 'set'; readonly path: Path; readonly value: unknown; readonly after?: string }
  | { readonly do: 'remove'; readonly path: Path }
  /** Moves a key, as it is written, to the end of the mapping `to` of the same document. */
  | { readonly do: 'carry'; readonly from: Path; readonly to: Path }
  /** Moves a list entry to the end of another list of the same document, which is created after `after` when it is missing; with further fields for the entry. */
  | {
      readonly do: 'move'
      readonly from: Path
      readonly to: Path
      readonly after: string
      readonly set: Readonly<Record<string, unknown>>
    }

export type Fix = {
  /** `safe`: on the declared version no workload that works stops working, and nothing that another document of the input reads disappears. */
  readonly safety: 'safe' | 'unsafe'
  /** An imperative sentence. */
  readonly title: string
  readonly edits: readonly Edit[]
}

/** What a rule says of one place: the engine adds rule, file and line. */
export type Hit = {
  readonly object: ObjectRef
  /** The document in which it stands, by its number in the facts; undefined for live objects. */
  readonly document: number | undefined
  /** The offending key, or the nearest one that exists. */
  readonly path: Path
  readonly message: string
  readonly container?: string | undefined
  readonly severity?: Severity
  readonly confidence?: Confidence
  readonly fix?: Fix | undefined
  /** What must not be there for it to hold: where a template may write one of these, nothing is said. */
  readonly absent?: readonly Path[]
  /** Further places that explain it, in the same document. */
  readonly related?: readonly { readonly path: Path; readonly message: string }[]
}

export type Finding = {
  /** The rule's slug. */
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
  /** Number of the document, for fixes. */
  readonly document: number | undefined
  readonly related: readonly { readonly place: Place; readonly message: string }[]
}
