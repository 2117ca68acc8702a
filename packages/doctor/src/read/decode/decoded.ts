// A part of a file is decoded to a value. The file is all of its parts together.
import { indexLines } from '../yaml/place.ts'
import type { Skipped, SourceDocument, SourceFile, SourceObject } from './document.ts'

/** The number of documents of a file that are examined. Parts that are not examined count too. */
export const documentsMax = 5_000

/** A part that is not examined. `offset`: where it begins in the file; undefined: the whole file. */
type Stop = Pick<Skipped, 'reason' | 'intended'> & { readonly offset: number | undefined }

export type Decoded = {
  readonly documents: readonly SourceDocument[]
  readonly objects: readonly Omit<SourceObject, 'number'>[]
  readonly stops: readonly Stop[]
}

export function stop(offset: number | undefined, reason: string): Decoded {
  return { documents: [], objects: [], stops: [{ offset, reason }] }
}

/** Leaves a part out on purpose, because no rule would find anything there. */
export function leaveOut(offset: number | undefined, reason: string): Decoded {
  return { documents: [], objects: [], stops: [{ offset, reason, intended: true }] }
}

export function together(parts: readonly Decoded[]): Decoded {
  return {
    documents: parts.flatMap(({ documents }) => documents),
    objects: parts.flatMap(({ objects }) => objects),
    stops: parts.flatMap(({ stops }) => stops),
  }
}

/** Returns what counts against `documentsMax`. */
export function sizeOf({ documents, stops }: Decoded): number {
  return documents.length + stops.length
}

/**
 * Decodes the parts in their order. `before`: the size of what the file holds before them; each part learns its own.
 * `full`: what stands for the first part above the limit and for all behind it.
 */
export function decodeEach<Part>(
  parts: readonly Part[],
  before: number,
  decode: (part: Part, before: number) => Decoded,
  full?: (part: Part) => Decoded,
): Decoded {
  const decoded: Decoded[] = []
  let size = before
  for (const part of parts) {
    if (full && size >= documentsMax) return together([...decoded, full(part)])
    const next = decode(part, size)
    decoded.push(next)
    size += sizeOf(next)
  }
  return together(decoded)
}

/** Returns the parts that were not examined, with their lines. */
export function skippedIn({ path, text }: SourceFile, stops: readonly Stop[]): readonly Skipped[] {
  if (stops.length === 0) return []
  const lines = indexLines(text)
  return stops.map(({ offset, ...why }) => ({
    file: path,
    line: offset === undefined ? undefined : lines(offset).line,
    ...why,
  }))
}
