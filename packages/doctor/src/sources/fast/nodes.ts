// Makes the nodes of a text that the fast reader can read. The full parser takes about five times as long.
import { Document, isNode, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { quote } from './letters.ts'
import type { ListUnderWay, Maker, MappingUnderWay } from './maker.ts'
import { parseFast } from './parse.ts'

/**
 * Makes the same nodes as the full parser, in the parts that splices and places use: keys, values, styles, begins, and most ends.
 * Block collections have no exact end. Undefined: the fast reader gave up.
 */
export function parseNodesFast(text: string): Document | undefined {
  const contents = parseFast(text, nodes)?.value
  if (!isNode(contents)) return undefined
  const document: Document = new Document()
  document.contents = contents
  return document
}

const nodes: Maker = {
  scalar: scalarNode,
  mapping: () => new NodeMapping(),
  list: () => new NodeList(),
}

class NodeMapping implements MappingUnderWay {
  readonly #node = new YAMLMap()

  put(text: string, keyStart: number, keyEnd: number, value: unknown): void {
    this.#node.items.push(new Pair(scalarNode(text.slice(keyStart, keyEnd), text, keyStart, keyEnd), value))
  }

  done(start: number, end?: number): unknown {
    return placed(this.#node, { start, end, last: this.#node.items.at(-1)?.value })
  }
}

class NodeList implements ListUnderWay {
  readonly #node = new YAMLSeq()

  add(value: unknown): void {
    this.#node.items.push(value)
  }

  done(start: number, end?: number): unknown {
    return placed(this.#node, { start, end, last: this.#node.items.at(-1) })
  }
}

function scalarNode(value: unknown, text: string, start: number, end: number): Scalar {
  const node = new Scalar(value)
  node.range = [start, end, end]
  node.type = typeOf(text.charCodeAt(start))
  return node
}

function typeOf(first: number): Scalar.Type {
  if (first === quote.double) return 'QUOTE_DOUBLE'
  if (first === quote.single) return 'QUOTE_SINGLE'
  return first === quote.literal ? 'BLOCK_LITERAL' : 'PLAIN'
}

type Extent = { readonly start: number; readonly end: number | undefined; readonly last: unknown }

/** A block has no end of its own: it ends with its last value. */
function placed(node: YAMLMap | YAMLSeq, { start, end, last }: Extent): YAMLMap | YAMLSeq {
  if (end !== undefined) node.flow = true
  const stop = end ?? (isNode(last) ? last.range?.[1] : undefined) ?? start
  node.range = [start, stop, stop]
  return node
}
