// Restores the markers of an Argo CD ApplicationSet. They are ordinary values of it, not gaps of a template around it.
import type { Path } from '@dayfly/kit/read-json'
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import type { SourceDocument, SourceObject } from '../decode/document.ts'
import { findNode } from '../yaml/nodes.ts'
import { isUnknown } from './template-value.ts'

/** Returns the object with the markers of its short strings as written. Returns any other object unchanged. */
export function asWritten({ document, path, value }: SourceObject): JsonObject {
  if (value['kind'] !== 'ApplicationSet') return value
  const written = restored(document, path, value)
  return isJsonObject(written) ? written : value
}

function restored(document: SourceDocument, path: Path, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each, index) => restored(document, [...path, index], each))
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.keys(value).map((key) => [key, restored(document, [...path, key], value[key])]))
  }
  const [start, end] = (isUnknown(value) && findNode(document.nodes(), path).node?.range) || []
  if (start === undefined || end === undefined) return value
  const text = document.file.text.slice(document.toFile(start), document.toFile(end))
  return text.includes('\n') ? value : text.replace(/^(["'])(.*)\1$/, '$2')
}
