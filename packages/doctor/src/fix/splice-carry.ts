// `carry`: moves the lines of a key, unchanged, behind the last key of another mapping.
import { isMap, type Node, type YAMLMap } from 'yaml'
import type { Edit } from '../finding.ts'
import type { SourceDocument } from '../read/decode/document.ts'
import { findNode } from '../read/yaml/nodes.ts'
import type { Span } from '../read/yaml/span.ts'
import { refuse } from './refusal.ts'
import type { Splice } from './splice.ts'
import { spliceRemove } from './splice-remove.ts'
import { spliceSet } from './splice-set.ts'
import { endOfLine, lineEnd, lineStart, pairEnd, rangeOf } from './text.ts'
import { removeLines, shift, withComments } from './whole-lines.ts'

export function spliceCarry(document: SourceDocument, { from, to }: Extract<Edit, { do: 'carry' }>): Splice[] {
  const { node, key, parent } = findNode(document.nodes(), from)
  const name = from.at(-1)
  const [removed] = spliceRemove(document, from)
  if (!removed || !node || !key || !isMap(parent) || name === undefined) refuse('the key to move does not exist')
  if (findNode(document.nodes(), to).depth < to.length) refuse('the target mapping does not exist')
  const [added] = spliceSet(document, { path: [...to, name], value: node.toJS(document.nodes()) })
  if (!added) refuse('the target already has it')
  const lines = linesOfKey(document, parent, key)
  const column = /^\r?\n( *)\S/.exec(added.text)?.[1]
  // In flow style, the key takes only a part of a line and has no comment beside it.
  if (!lines || column === undefined) return [added, removed]
  const { text } = document.file
  const moved = shift(text.slice(lines.start, lines.end), column.length - lines.column)
  return [{ ...added, text: endOfLine(text) + moved }, removeLines(document, lines)]
}

type Lines = Span & { readonly column: number }

/** Returns the lines of a key with the comments above it. Undefined if the lines hold other content. */
function linesOfKey(document: SourceDocument, map: YAMLMap, key: Node): Lines | undefined {
  const { text } = document.file
  const pair = map.items.find((item) => item.key === key)
  const at = document.toFile(rangeOf(key)[0])
  const column = at - lineStart(text, at)
  if (!pair || map.flow || text.slice(at - column, at).trim() !== '') return undefined
  return { start: withComments(text, at, column), end: lineEnd(text, document.toFile(pairEnd(document, pair))), column }
}
