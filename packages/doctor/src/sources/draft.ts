// The state of a file while it is decoded.
import type { Skipped, SourceDocument, SourceFile, SourceObject } from './document.ts'
import type { Marker } from './mask.ts'
import type { LineIndex } from './place.ts'

/** The number of documents of a file that are examined. */
export const documentsMax = 5_000

export type Draft = {
  readonly file: SourceFile
  readonly documents: SourceDocument[]
  readonly objects: SourceObject[]
  readonly skipped: Skipped[]
  /** The number of the first object. */
  readonly first: number
  readonly lines: () => LineIndex
  readonly markers: () => readonly Marker[]
}

/** Records a part that is left out on purpose, because no rule would find anything there. */
export function leaveOut(draft: Draft, offset: number | undefined, reason: string): void {
  skip(draft, offset, reason, { intended: true })
}

/** `offset`: where the part begins in the file; undefined: the whole file. */
export function skip(
  draft: Draft,
  offset: number | undefined,
  reason: string,
  more: Pick<Skipped, 'intended'> = {},
): void {
  draft.skipped.push({
    file: draft.file.path,
    line: offset === undefined ? undefined : draft.lines()(offset).line,
    reason,
    ...more,
  })
}
