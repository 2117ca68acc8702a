// `move`: moves the lines of an entry, unchanged, behind the last entry of another list. Adds further fields to the entry.
import { isMap, isNode, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Edit } from '../finding.ts'
import type { SourceDocument } from '../read/decode/document.ts'
import { findNode, pairOf } from '../read/yaml/nodes.ts'
import { refuse } from './refusal.ts'
import { refuseShared, refuseSharedPath } from './shared.ts'
import { applySplices, type Splice } from './splice.ts'
import { spliceSet } from './splice-set.ts'
import { refuseUnbalanced } from './statements.ts'
import { columnBefore, contentEnd, endOfLine, lineEnd, pairEnd, rangeOf } from './text.ts'
import { dashColumn, entryLines, removeLines, shift } from './whole-lines.ts'

export function spliceMove(document: SourceDocument, edit: Extract<Edit, { do: 'move' }>): Splice[] {
  const source = findNode(document.nodes(), edit.from)
  const { node: entry, parent: list } = source
  refuseSharedPath(source)
  refuseShared(list)
  refuseShared(entry)
  if (source.depth < edit.from.length || !isMap(entry) || !isSeq(list)) refuse('the entry to move does not exist')
  if (list.flow || entry.flow) refuse('it is written in flow style')
  if (list.items.length === 1) refuse('its list would become empty')
  const lines = entryLines(document, entry)
  const added = Object.entries(edit.set).flatMap(([key, value]) => {
    return spliceSet(document, { path: [...edit.from, key], value, after: pairOf(entry, 'image') ? 'image' : 'name' })
  })
  const moved = applySplices(document.file.text, added, lines)
  const column = dashColumn(document, entry)
  return [removeLines(document, lines), insert(document, edit, { text: moved, column })]
}

type Moved = { readonly text: string; readonly column: number }

function insert(document: SourceDocument, edit: Extract<Edit, { do: 'move' }>, moved: Moved): Splice {
  const target = findNode(document.nodes(), edit.to)
  refuseSharedPath(target, 'the list')
  refuseShared(target.node)
  if (target.depth === edit.to.length) return append(document, target.node, moved)
  const key = edit.to.at(-1)
  if (target.depth < edit.to.length - 1 || !isMap(target.node) || typeof key !== 'string')
    refuse('the target list cannot be created')
  return createList(document, target.node, { key, after: edit.after, moved })
}

function append(document: SourceDocument, list: Node | undefined, moved: Moved): Splice {
  const last: unknown = isSeq(list) && !list.flow ? list.items.at(-1) : undefined
  const first: unknown = isSeq(list) ? list.items[0] : undefined
  if (!isSeq(list) || !isNode(last) || !isNode(first)) refuse('the list to move to is empty or in flow style')
  const at = lineEnd(document.file.text, document.toFile(contentEnd(document, last)))
  refuseUnbalanced(document, document.toFile(rangeOf(first)[0]), at)
  const text = shift(moved.text, dashColumn(document, last) - moved.column)
  return { start: at, end: at, text: endOfLine(document.file.text) + text }
}

type Creation = { readonly key: string; readonly after: string; readonly moved: Moved }

function createList(document: SourceDocument, map: YAMLMap, { key, after, moved }: Creation): Splice {
  if (map.flow) refuse('its mapping is in flow style')
  const first = map.items[0]?.key
  const behind = pairOf(map, after) ?? map.items.at(-1)
  if (!behind || !isNode(first)) refuse('its mapping is empty')
  const column = columnBefore(document, first)
  const { text } = document.file
  const at = lineEnd(text, document.toFile(pairEnd(document, behind)))
  refuseUnbalanced(document, document.toFile(rangeOf(first)[0]), at)
  const end = endOfLine(text)
  const offset = isSeq(behind.value) && !behind.value.flow ? listOffset(document, behind.value, column.length) : 2
  const entry = shift(moved.text, column.length + offset - moved.column)
  return { start: at, end: at, text: `${end}${column}${key}:${end}${entry}` }
}

/** Returns how far a neighbouring list is indented below its key. */
function listOffset(document: SourceDocument, list: YAMLSeq, column: number): number {
  const first = list.items[0]
  return isNode(first) ? Math.max(0, dashColumn(document, first) - column) : 2
}
