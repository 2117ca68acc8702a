// Reads the original text around nodes: lines, columns, and the end of a node's content.
// Offsets of lines count in the file, offsets of nodes in the document's text.
import { isCollection, isNode, isPair, isScalar, type Node, type Pair } from 'yaml'
import type { SourceDocument } from '../read/decode/document.ts'
import { refuse } from './refusal.ts'

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Returns the offset before the line end. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset)
  if (newline < 0) return text.length
  return newline > offset && text[newline - 1] === '\r' ? newline - 1 : newline
}

/** Returns the line end of the file. Refuses a file that mixes two. */
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

/** Returns where the last word of a node ends, in the document's text. Later comments and blank lines do not count. */
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

/** Returns the text before a node on its line. Refuses it unless it has the given form of plain block style. */
export function leading(document: SourceDocument, node: Node, form: RegExp): string {
  const { text } = document.file
  const at = document.toFile(rangeOf(node)[0])
  const before = text.slice(lineStart(text, at), at)
  return form.test(before) ? before : refuse('its line is not plain block style, indented with spaces')
}

/** Returns that text as spaces. Only indentation and list dashes may precede the node. */
export function columnBefore(document: SourceDocument, node: Node): string {
  return ' '.repeat(leading(document, node, /^\uFEFF? *(?:- +)*$/).length)
}
