// What reading yields: files, the documents in them (also those inside strings of others), and the objects that stand in the documents.
import type { Document as YamlDocument } from 'yaml'
import type { Path } from '../../lib/read-json.ts'
import type { Marker } from './mask.ts'
import type { Spot } from './spot.ts'

/** `path`: as it is shown to people; `text`: the decoded bytes, nothing normalised. */
export type SourceFile = { readonly path: string; readonly text: string }

/** What was not examined, and why. */
export type Skipped = {
  /** A folder ends with a slash. */
  readonly file: string
  /** Undefined: the whole file. */
  readonly line: number | undefined
  readonly reason: string
  /** Left out on purpose: no rule would find anything there. */
  readonly intended?: true
}

/** One text that was parsed on its own: a YAML document of a file, or a manifest inside a string. Offsets of its nodes count in `text`. */
export type SourceDocument = {
  readonly file: SourceFile
  /** Masked: as long as the original, line by line. */
  readonly text: string
  /** The nodes, parsed when they are first asked for: most documents are clean and never need them. */
  readonly nodes: () => YamlDocument
  /** Where a path stands, or its longest part that exists; without nodes where it can. */
  readonly spot: (path: Path) => Spot
  /** The plain value; a masked marker is a run of `filler`. */
  readonly value: unknown
  /** From an offset of `text` to one of the file. */
  readonly toFile: (offset: number) => number
  /** Undefined: it can be edited in place. */
  readonly readonlyBecause: string | undefined
  /** The template markers of the whole file, found when they are first asked for. */
  readonly markers: () => readonly Marker[]
  /** The document around this one, and the string there that holds it. */
  readonly host: { readonly document: SourceDocument; readonly path: Path } | undefined
  /** A template adds keys here that are not known: what is absent may yet be there. */
  readonly open: boolean
}

/** A Kubernetes object wherever it stands, the values of a runner chart, or a file that installs charts. */
export type SourceObject = {
  /** Counts through all files of the input: what facts and findings call the document. */
  readonly number: number
  readonly document: SourceDocument
  /** Where it begins in its document: an item of a List, a key of values. */
  readonly path: Path
  readonly kind: 'object' | 'values' | 'charts'
  readonly value: Readonly<Record<string, unknown>>
}

export type DecodedFile = {
  readonly file: SourceFile
  readonly documents: readonly SourceDocument[]
  readonly objects: readonly SourceObject[]
  readonly skipped: readonly Skipped[]
}
