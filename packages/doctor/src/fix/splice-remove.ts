// `remove`: deletes the whole lines of a key or an entry, or its part of a line in flow style.
import type { Path } from '@dayfly/kit/read-json'
import { isMap, isNode, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml'
import type { SourceDocument } from '../read/decode/document.ts'
import { findNode } from '../read/yaml/nodes.ts'
import type { Span } from '../read/yaml/span.ts'
import { refuse } from './refusal.ts'
import { refuseAnchors, refuseShared, refuseSharedPath } from './shared.ts'
import type { Splice } from './splice.ts'
import { refuseUnbalanced } from './statements.ts'
import { leading, lineEnd, lineStart, pairEnd, rangeOf } from './text.ts'
import { entryLines, removeLines } from './whole-lines.ts'

export function spliceRemove(document: SourceDocument, path: Path): Splice[] {
  const found = findNode(document.nodes(), path)
  const { node, key, parent, depth } = found
  refuseSharedPath(found)
  if (depth < path.length || !parent) return []
  refuseShared(parent)
  refuseAnchors(node)
  if (parent.items.length === 1) refuse('its mapping or list would become empty')
  if (parent.flow) return removeFromFlow(document, parent, path.at(-1))
  if (isMap(parent) && key) return [removeKey(document, parent, key)]
  return node ? [removeLines(document, entryLines(document, node))] : refuse('the value has no place in the text')
}

function removeKey(document: SourceDocument, map: YAMLMap, key: Node): Splice {
  const { text } = document.file
  const index = map.items.findIndex((pair) => pair.key === key)
  const pair = map.items[index] ?? refuse('the key has no place in the text')
  const start = document.toFile(rangeOf(key)[0])
  const end = lineEnd(text, document.toFile(pairEnd(document, pair)))
  if (!leading(document, key, /^ *(?:- +)*$/).includes('-')) {
    return removeLines(document, { start: lineStart(text, start), end })
  }
  // The key follows the dash of an entry, so the next key takes its place.
  const next = map.items[index + 1]?.key
  if (!isNode(next)) refuse('a key is not written out')
  const nextStart = document.toFile(rangeOf(next)[0])
  if (/\S/.test(text.slice(end, nextStart))) refuse('a comment is between it and the next key')
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

/** Returns the span of an item in the document's text. */
function flowSpan(item: unknown): Span {
  if (isNode(item)) {
    const [start, end] = rangeOf(item)
    return { start, end }
  }
  if (typeof item !== 'object' || item === null || !('key' in item) || !isNode(item.key))
    refuse('a key is not written out')
  const value = 'value' in item && isNode(item.value) ? rangeOf(item.value) : rangeOf(item.key)
  return { start: rangeOf(item.key)[0], end: Math.max(value[1], rangeOf(item.key)[1]) }
}
