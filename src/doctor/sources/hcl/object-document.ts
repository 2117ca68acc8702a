// An object of HCL as a document: its nodes lead to lines and columns as those of YAML do; what it does not say is masked.
import { Document } from 'yaml'
import { filler } from '../../template-value.ts'
import type { SourceDocument } from '../document.ts'
import { findSpot } from '../spot.ts'
import type { ReadObject } from './read-object.ts'

type Read = Pick<SourceDocument, 'text' | 'toFile' | 'readonlyBecause' | 'nodes' | 'spot' | 'value'>

/** `text`: of the file, masked. */
export function documentOf({ node }: ReadObject, text: string): Read {
  const nodes = new Document<typeof node>(null)
  nodes.contents = node
  return {
    text,
    toFile: (offset) => offset,
    readonlyBecause: "it is written in Terraform's own language",
    nodes: () => nodes,
    spot: (path) => findSpot(nodes, text, path),
    value: nodes.toJS(),
  }
}

/** The text with all that objects do not say as filler; its length and its lines stay. */
export function maskUnknown(text: string, objects: readonly ReadObject[]): string {
  const spans = objects.flatMap(({ unknown }) => unknown).sort((left, right) => left.start - right.start)
  const parts: string[] = []
  let at = 0
  for (const { start, end } of spans) {
    if (start < at) continue
    parts.push(text.slice(at, start), text.slice(start, end).replace(/[^\r\n]/g, filler))
    at = end
  }
  return parts.join('') + text.slice(at)
}
