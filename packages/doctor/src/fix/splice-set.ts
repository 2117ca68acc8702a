// `set`: replaces a scalar, or adds a key or an entry at its usual place.
import type { Path } from '@dayfly/kit/read-json'
import { isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'
import type { SourceDocument } from '../read/decode/document.ts'
import { hasDefault } from '../read/template/substitutions.ts'
import { isUnknown } from '../read/template/template-value.ts'
import { findNode, pairOf } from '../read/yaml/nodes.ts'
import { refuse } from './refusal.ts'
import { refuseShared, refuseSharedPath } from './shared.ts'
import type { Splice } from './splice.ts'
import { isOpenTo, refuseUnbalanced } from './statements.ts'
import { columnBefore, contentEnd, endOfLine, lineEnd, pairEnd, rangeOf } from './text.ts'
import { blockLines, flowText, scalarText } from './write-value.ts'

type Setting = { readonly path: Path; readonly value: unknown; readonly after?: string | undefined }

export function spliceSet(document: SourceDocument, { path, value, after }: Setting): Splice[] {
  const found = findNode(document.nodes(), path)
  const { node, depth } = found
  refuseSharedPath(found)
  if (depth === path.length && node) return replaceScalar(document, node, value)
  if (!node) refuse('there is nothing to add it to')
  const step = path[depth] ?? refuse('there is nothing to add')
  const wrapped = path.slice(depth + 1).reduceRight<unknown>(wrap, value)
  refuseShared(node)
  if (isMap(node) && typeof step === 'string') return addKey(document, node, { key: step, value: wrapped, after })
  if (isSeq(node) && step === node.items.length) return addEntry(document, node, wrapped)
  if (isScalar(node) && node.value === null) refuse('its mapping is empty')
  return refuse('the path leads through a value of another kind')
}

function wrap(inner: unknown, step: string | number): unknown {
  if (typeof step === 'string') return { [step]: inner }
  return step === 0 ? [inner] : refuse('the entry is not the next of its list')
}

function replaceScalar(document: SourceDocument, node: Node, value: unknown): Splice[] {
  if (JSON.stringify(node.toJS(document.nodes())) === JSON.stringify(value)) return []
  refuseShared(node)
  if (!isScalar(node)) refuse('it would replace a list or a mapping')
  if (isUnknown(node.value)) refuse('a template computes the value')
  if (typeof node.value === 'string' && hasDefault(node.value)) refuse('a substitution writes the value')
  const [start, end] = rangeOf(node)
  const before = document.text.slice(start, end)
  if (before === '') refuse('the value is empty')
  if (before.includes('\n')) refuse('the value has several lines')
  return [{ start: document.toFile(start), end: document.toFile(end), text: scalarText(value, before) }]
}

type Addition = { readonly key: string; readonly value: unknown; readonly after?: string | undefined }

function addKey(document: SourceDocument, map: YAMLMap, addition: Addition): Splice[] {
  if (map.flow) return addToFlow(document, map, flowText({ [addition.key]: addition.value }).slice(1, -1))
  const lines = blockLines(document, { [addition.key]: addition.value })
  return [insertBehind(document, map, { after: addition.after, lines })]
}

/** The number of places in a mapping that are tried. It bounds the work for a long mapping. */
const triesMax = 20

/** Inserts lines at the column of the mapping's keys, below the key `after`, or below the last key outside template statements. */
function insertBehind(
  document: SourceDocument,
  map: YAMLMap,
  { after, lines }: { readonly after: string | undefined; readonly lines: readonly string[] },
): Splice {
  const first = map.items[0]
  const chosen: Pair | undefined = (after === undefined ? undefined : pairOf(map, after)) ?? map.items.at(-1)
  if (!chosen || !isNode(first?.key)) refuse('its mapping is empty')
  const [from] = rangeOf(first.key)
  const { text } = document.file
  const lineEndOf = (pair: Pair) => lineEnd(text, document.toFile(pairEnd(document, pair)))
  const whole = { start: document.toFile(from), end: lineEndOf(map.items.at(-1) ?? chosen) }
  const places = [chosen, ...map.items.slice(-triesMax).reverse()]
  const behind = places.find((pair) => isOpenTo(document, lineEndOf(pair), whole))
  const column = columnBefore(document, first.key)
  if (!behind) {
    refuseUnbalanced(document, whole.start, lineEndOf(chosen))
    refuse('a template writes only a part of its mapping there')
  }
  return insertLines(document, { from, behind: pairEnd(document, behind), column, lines })
}

function addEntry(document: SourceDocument, list: YAMLSeq, value: unknown): Splice[] {
  if (list.flow) return addToFlow(document, list, flowText(value))
  const last = list.items.at(-1)
  if (!isNode(last)) refuse('its list is empty')
  const column = columnBefore(document, last).replace(/ {2}$/, '')
  const behind = contentEnd(document, last)
  return [insertLines(document, { from: rangeOf(last)[0], behind, column, lines: blockLines(document, [value]) })]
}

type Insertion = {
  /** The span of the mapping or list that the lines belong to, in the document. */
  readonly from: number
  readonly behind: number
  readonly column: string
  readonly lines: readonly string[]
}

function insertLines(document: SourceDocument, { from, behind, column, lines }: Insertion): Splice {
  const { text } = document.file
  const at = lineEnd(text, document.toFile(behind))
  refuseUnbalanced(document, document.toFile(from), at)
  const end = endOfLine(text)
  return { start: at, end: at, text: lines.map((line) => `${end}${column}${line}`).join('') }
}

function addToFlow(document: SourceDocument, node: YAMLMap | YAMLSeq, addition: string): Splice[] {
  const [start, end] = rangeOf(node)
  const written = document.text.slice(start, end)
  if (written.includes('\n')) refuse('its flow style spans several lines')
  if (written.includes('#')) refuse('its flow style holds a comment')
  const body = written.slice(1, -1)
  const closing = end - 1 - (/\s*$/.exec(body)?.[0].length ?? 0)
  const separator = body.trim() === '' ? '' : /,\s*$/.test(body) ? ' ' : ', '
  const at = document.toFile(closing)
  return [{ start: at, end: at, text: separator + addition }]
}
