// The original text around nodes: lines, columns, and where a node's content ends. All offsets here count in the file.
import { isAlias, isCollection, isMap, isNode, isPair, isScalar, type Node, type Pair } from 'yaml'
import type { SourceDocument } from '../sources/document.ts'
import { hasMerge } from '../sources/nodes.ts'
import { refuse } from './refusal.ts'

/** A change of the file's text: `text` in the place of what stands from `start` to `end`. */
export type Splice = { readonly start: number; readonly end: number; readonly text: string }

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Before the line's end marker. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  if (newline < 0) return text.length
  return newline > offset && text[newline - 1] === '\r' ? newline - 1 : newline
}

/** The file's own end of line; a file that mixes them is refused. */
export function endOfLine(text: string): string {
  const windows = text.split('\r\n').length - 1
  if (windows === 0) return '\n'
  if (windows !== text.split('\n').length - 1) refuse('the file mixes CRLF and LF line ends')
  return '\r\n'
}

export function rangeOf(node: Node | undefined): readonly [number, number] {
  const range = node?.range
  if (!range) refuse('the value has no place in the text')
  return [range[0], range[1]]
}

/** Where the last word of a node ends, in the document's text; comments behind it and blank lines do not count. */
export function contentEnd(document: SourceDocument, node: Node): number {
  const [start, end] = rangeOf(node)
  if (isCollection(node) && !node.flow) {
    const last: unknown = node.items.at(-1)
    if (isPair(last)) return pairEnd(document, last)
    return isNode(last) ? contentEnd(document, last) : end
  }
  if (!isScalar(node) || !node.type?.startsWith('BLOCK')) return end
  const body = document.text.slice(start, end)
  if (/^[|>][-0-9]*\+/.test(body)) return end - (/\r?\n$/.exec(body)?.[0].length ?? 0)
  return start + body.trimEnd().length
}

export function pairEnd(document: SourceDocument, pair: Pair): number {
  if (!isNode(pair.key)) refuse('a key is not written out')
  const key = rangeOf(pair.key)[1]
  if (!isNode(pair.value)) return key + 1
  const value = rangeOf(pair.value)
  return value[0] === value[1] ? document.text.indexOf(':', key) + 1 : contentEnd(document, pair.value)
}

/** What stands before a node on its line, as spaces; only indentation and the dashes of lists may. */
export function columnBefore(document: SourceDocument, node: Node): string {
  const { text } = document.file
  const at = document.toFile(rangeOf(node)[0])
  const before = text.slice(lineStart(text, at), at)
  if (!/^\uFEFF? *(?:- +)*$/.test(before)) refuse('its line is not plain block style, indented with spaces')
  return ' '.repeat(before.length)
}

/** Refuses to cut what template statements open or close: half of a condition would stay. */
export function refuseUnbalanced(document: SourceDocument, start: number, end: number): void {
  const reason = whyUnbalanced(document, start, end)
  if (reason !== undefined) refuse(reason)
}

/** Why nothing can be put at `end` into what begins at `start`; undefined: no template statement is in the way. */
function whyUnbalanced(document: SourceDocument, start: number, end: number): string | undefined {
  const { depth, leaves } = statementsIn(document, start, end)
  if (leaves || depth !== 0) return 'a template statement begins or ends in between'
  const following = nextContent(document.file.text, end)
  const prints = document.markers().some(({ alone, role, start }) => alone && role === 'value' && start === following)
  return prints ? 'a template prints more lines right behind it' : undefined
}

/** Whether what is put there stands under every condition of what begins at `start` and ends at `end`, and under no other. */
export function isOpenTo(document: SourceDocument, at: number, { start, end }: Pick<Splice, 'start' | 'end'>): boolean {
  return whyUnbalanced(document, start, at) === undefined && !statementsIn(document, at, end).leaves
}

/** `leaves`: it ends a statement, or goes to another branch of one, that began before. */
function statementsIn(document: SourceDocument, start: number, end: number) {
  let depth = 0
  for (const marker of document.markers()) {
    if (marker.start < start || marker.start >= end) continue
    if (marker.role === 'open') depth++
    else if (marker.role === 'close') depth--
    if (depth < 0 || (depth === 0 && marker.role === 'middle')) return { depth, leaves: true }
  }
  return { depth, leaves: false }
}

/** The first word on the lines below. */
function nextContent(text: string, offset: number): number {
  let at = lineEnd(text, offset)
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}

/** Refuses nodes whose text means more than itself. */
export function refuseShared(node: Node | undefined): void {
  if (isAlias(node)) refuse('it is an alias of another place')
  if (node && 'anchor' in node && node.anchor) refuse('it has an anchor that other places may use')
  if (node?.tag) refuse('it has an explicit tag')
  if (isMap(node) && hasMerge(node)) {
    refuse('a merge key adds to its mapping')
  }
}
