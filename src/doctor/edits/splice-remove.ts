// `remove`: the whole lines of a key or an entry, or its part of a line in flow style.
import { isMap, isNode, isSeq, type Node, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Path } from '../finding.ts'
import type { SourceDocument } from '../sources/document.ts'
import { findNode } from '../sources/nodes.ts'
import { refuse } from './refusal.ts'
import {
  contentEnd,
  lineEnd,
  lineStart,
  pairEnd,
  rangeOf,
  refuseShared,
  refuseUnbalanced,
  type Splice,
} from './text.ts'

export function spliceRemove(document: SourceDocument, path: Path): Splice[] {
  const { node, key, parent, depth, shared } = findNode(document.nodes(), path)
  if (shared) refuse('it is shared with other places by an alias, a merge key or a repeated key')
  if (depth < path.length || !parent) return []
  refuseShared(parent)
  refuseAnchors(node)
  if (parent.items.length === 1) refuse('nothing would be left beside it')
  if (parent.flow) return removeFromFlow(document, parent, path.at(-1))
  if (isMap(parent) && key) return [removeKey(document, parent, key)]
  return node ? [removeLines(document, entryLines(document, node))] : refuse('the value has no place in the text')
}

/** From the begin of an entry's first line, its own comments above it included, to the end of its last; in the file. */
export function entryLines(document: SourceDocument, entry: Node): { readonly start: number; readonly end: number } {
  const { text } = document.file
  const at = document.toFile(rangeOf(entry)[0])
  const before = text.slice(lineStart(text, at), at)
  if (!/^ *- +$/.test(before)) refuse('its line is not plain block style, indented with spaces')
  const start = withComments(text, at, before.indexOf('-'))
  return { start, end: lineEnd(text, document.toFile(contentEnd(document, entry))) }
}

/** The begin of a line, or of the comments right above it that begin at the same column. */
export function withComments(text: string, at: number, column: number): number {
  let start = lineStart(text, at)
  const comment = `${' '.repeat(column)}#`
  while (start > 0 && text.startsWith(comment, lineStart(text, start - 1))) start = lineStart(text, start - 1)
  return start
}

/** Whole lines, and the line end before them, so that none stays empty. */
export function removeLines(
  document: SourceDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Splice {
  const { text } = document.file
  refuseUnbalanced(document, start, end)
  if (start === 0)
    return { start, end: Math.min(text.length, text.startsWith('\r\n', end) ? end + 2 : end + 1), text: '' }
  return { start: text[start - 2] === '\r' ? start - 2 : start - 1, end, text: '' }
}

function removeKey(document: SourceDocument, map: YAMLMap, key: Node): Splice {
  const { text } = document.file
  const index = map.items.findIndex((pair) => pair.key === key)
  const pair = map.items[index] ?? refuse('the key has no place in the text')
  const start = document.toFile(rangeOf(key)[0])
  const before = text.slice(lineStart(text, start), start)
  const end = lineEnd(text, document.toFile(pairEnd(document, pair)))
  if (/^ *$/.test(before)) return removeLines(document, { start: lineStart(text, start), end })
  const next = map.items[index + 1]?.key
  if (!/^ *(?:- +)+$/.test(before) || !isNode(next)) refuse('its line is not plain block style, indented with spaces')
  const nextStart = document.toFile(rangeOf(next)[0])
  if (/\S/.test(text.slice(end, nextStart))) refuse('a comment stands between it and the next key')
  refuseUnbalanced(document, start, nextStart)
  return { start, end: nextStart, text: '' }
}

function removeFromFlow(
  document: SourceDocument,
  parent: YAMLMap | YAMLSeq,
  step: string | number | undefined,
): Splice[] {
  const [from, to] = rangeOf(parent)
  if (document.text.slice(from, to).includes('\n')) refuse('its flow style spans several lines')
  const spans = parent.items.map((item) => flowSpan(item))
  const index = isSeq(parent)
    ? Number(step)
    : parent.items.findIndex((item) => 'key' in item && isNode(item.key) && String(item.key) === String(step))
  const span = spans[index] ?? refuse('the key has no place in the text')
  const next = spans[index + 1]
  const previous = spans[index - 1]
  const start = next ? span.start : (previous?.end ?? span.start)
  return [{ start: document.toFile(start), end: document.toFile(next ? next.start : span.end), text: '' }]
}

function flowSpan(item: unknown): { readonly start: number; readonly end: number } {
  if (isNode(item)) {
    const [start, end] = rangeOf(item)
    return { start, end }
  }
  if (typeof item !== 'object' || item === null || !('key' in item) || !isNode(item.key))
    refuse('a key is not written out')
  const value = 'value' in item && isNode(item.value) ? rangeOf(item.value) : rangeOf(item.key)
  return { start: rangeOf(item.key)[0], end: Math.max(value[1], rangeOf(item.key)[1]) }
}

function refuseAnchors(node: Node | undefined): void {
  if (!node) return
  visit(node, {
    Node: (_, inner) =>
      'anchor' in inner && inner.anchor ? refuse('it has an anchor that other places may use') : undefined,
  })
}
