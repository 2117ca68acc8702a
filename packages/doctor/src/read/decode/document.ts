// The result of reading: files, their documents (also those inside strings), and the objects in the documents.
import type { Path } from '@dayfly/kit/read-json'
import type { Document as YamlDocument } from 'yaml'
import type { Marker } from '../template/mask.ts'

/** `path`: as shown to people; `text`: the decoded bytes, not normalised. */
export type SourceFile = { readonly path: string; readonly text: string }

/** A part that was not examined, and the reason. */
export type Skipped = {
  /** The name of a folder ends with a slash. */
  readonly file: string
  /** Undefined: the whole file. */
  readonly line: number | undefined
  readonly reason: string
  /** Left out on purpose, because no rule would find anything there. */
  readonly intended?: true
}

/** One text that was parsed alone: a YAML document of a file, or a manifest inside a string. Offsets of its nodes count in `text`. */
export type SourceDocument = {
  readonly file: SourceFile
  /** The masked text, as long as the original, line by line. */
  readonly text: string
  /** The nodes, parsed at the first request: most documents have no findings and never need them. */
  readonly nodes: () => YamlDocument
  /** The plain value. A masked marker is a run of `filler`, and a substitution with a default is its default. */
  readonly value: unknown
  /** Turns an offset of `text` into one of the file. */
  readonly toFile: (offset: number) => number
  /** Why the text cannot be edited in place; undefined: it can. */
  readonly readonlyBecause: string | undefined
  /** The template markers of the whole file, found at the first request. */
  readonly markers: () => readonly Marker[]
  /** The document that holds this one in a string, and the path of that string. */
  readonly host: { readonly document: SourceDocument; readonly path: Path } | undefined
  /** Whether a template adds unknown keys: a missing key may still be there. */
  readonly open: boolean
}

/** A Kubernetes object at any depth, the values of a runner chart, a file that installs charts, a bare pod spec in a string, or the configuration of GARM's provider for Kubernetes. */
export type SourceObject = {
  /** Counts through all files of the input. Facts and findings use it as the number of the document. */
  readonly number: number
  readonly document: SourceDocument
  /** The path of the object in its document: an item of a List, a key of values. */
  readonly path: Path
  readonly kind: 'object' | 'values' | 'charts' | 'podSpec' | 'garm'
  readonly value: Readonly<Record<string, unknown>>
}

export type DecodedFile = {
  readonly file: SourceFile
  readonly documents: readonly SourceDocument[]
  readonly objects: readonly SourceObject[]
  readonly skipped: readonly Skipped[]
}
