// Restores the values of a document as a person wrote them: template markers instead of their mask.
import { isJsonObject, type Path } from '@dayfly/kit/read-json'
import type { SourceDocument } from '../decode/document.ts'
import { findNode } from '../yaml/nodes.ts'
import { filler, isUnknown } from './template-value.ts'

/** The parts of a document that its values came from. */
type Masked = Pick<SourceDocument, 'text' | 'nodes' | 'toFile' | 'file'>

export type WrittenValue = {
  readonly value: unknown
  /** The paths of the values that a template computes, from the value. */
  readonly computed: readonly Path[]
}

const masked = new RegExp(`${filler}+`, 'g')

/** @param path the path of the value in its document */
export function writtenValue(document: Masked, path: Path, value: unknown): WrittenValue {
  const computed: Path[] = []
  const visit = (at: Path, inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map((entry, index) => visit([...at, index], entry))
    if (isJsonObject(inner)) {
      return Object.fromEntries(Object.keys(inner).map((key) => [key, visit([...at, key], inner[key])]))
    }
    if (inner === null && isBeforeMarker(document, [...path, ...at])) computed.push(at)
    if (typeof inner !== 'string' || !isUnknown(inner)) return inner
    computed.push(at)
    return restored(document, [...path, ...at], inner)
  }
  const written = visit([], value)
  return { value: written, computed }
}

/** A marker on its own line writes the fields below a key. Its mask is a comment, so the key seems to have no value. */
function isBeforeMarker(document: Masked, path: Path): boolean {
  const start = findNode(document.nodes(), path).node?.range?.[0]
  if (start === undefined) return false
  return valueMarker.test(document.file.text.slice(document.toFile(start), document.toFile(start) + lookAhead))
}

const valueMarker = /^\s*\{\{-?\s*(?!(?:end|else)\b|\/\*)/
const lookAhead = 200

/** The masks of a value follow each other as those of its text do. Keys keep their masks. */
function restored(document: Masked, path: Path, value: string): string {
  const [start, end] = findNode(document.nodes(), path).node?.range ?? []
  if (start === undefined || end === undefined) return value.replace(masked, '…')
  const [from, to] = [document.toFile(start), document.toFile(end)]
  const original = document.file.text.slice(from, to)
  const mask = document.text.slice(start, end)
  const parts = [...mask.matchAll(masked)].map(({ 0: part, index }) => original.slice(index, index + part.length))
  return value.replace(masked, () => parts.shift() ?? '…')
}
