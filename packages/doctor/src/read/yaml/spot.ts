// Finds the span of a path in a document's text.
import type { Path } from '@dayfly/kit/read-json'
import { type Document, isScalar } from 'yaml'
import { findNode } from './nodes.ts'
import type { Span } from './span.ts'

/** Offsets count in the document's text. */
export type Spot = {
  /** The span of the key, if the parent is a mapping. */
  readonly key: Span | undefined
  /** The offset at which the value begins. */
  readonly start: number
  /** The end of a scalar on one line; undefined for any other value. */
  readonly end: number | undefined
}

/** Returns the spot of the path, or of its longest part that exists. */
export function findSpot(document: Document, text: string, path: Path): Spot {
  const { node, key } = findNode(document, path)
  const value = node?.range
  const short = value && isScalar(node) && !text.slice(value[0], value[1]).includes('\n')
  return {
    key: key?.range ? { start: key.range[0], end: key.range[1] } : undefined,
    start: value?.[0] ?? 0,
    end: short ? value[1] : undefined,
  }
}
