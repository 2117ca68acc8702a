// Makes a document of an HCL object. Its nodes lead to lines and columns as those of YAML do; unknown values are masked.
import { Document } from 'yaml'
import type { SourceDocument } from '../decode/document.ts'
import { filler } from '../template/template-value.ts'
import type { ReadObject } from './read-object.ts'

type Read = Pick<SourceDocument, 'text' | 'toFile' | 'readonlyBecause' | 'nodes' | 'value'>

const readonlyBecause = "it is written in Terraform's own language"

/** Whether the document is a resource of Terraform. A manifest in a string of the resource is another document. */
export function isResource(document: Pick<SourceDocument, 'host' | 'readonlyBecause'>): boolean {
  return document.host === undefined && document.readonlyBecause === readonlyBecause
}

/** `text`: the masked text of the file. */
export function documentOf({ node }: ReadObject, text: string): Read {
  const nodes = new Document<typeof node>(null)
  nodes.contents = node
  return {
    text,
    toFile: (offset) => offset,
    readonlyBecause,
    nodes: () => nodes,
    value: nodes.toJS(),
  }
}

/** Returns the text with every unknown part replaced by filler. Its length and its lines stay. */
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
