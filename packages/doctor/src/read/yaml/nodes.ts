// Finds the yaml node of a path.
import type { Path } from '@dayfly/kit/read-json'
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'

export type Found = {
  /** The node of the path, or of its longest part that exists. */
  readonly node: Node | undefined
  /** The key of the node, if its parent is a mapping. */
  readonly key: Node | undefined
  readonly parent: YAMLMap | YAMLSeq | undefined
  /** The number of steps of the path that exist. */
  readonly depth: number
  /** The path leads through an alias or a merge key, so the text may have a meaning in several places. */
  readonly shared: boolean
}

export function findNode(document: Document, path: Path): Found {
  let found: Found = {
    node: document.contents ?? undefined,
    key: undefined,
    parent: undefined,
    depth: 0,
    shared: false,
  }
  for (const step of path) {
    const here = resolve(document, found)
    const next = isMap(here.node) ? inMap(here.node, step) : isSeq(here.node) ? inSequence(here.node, step) : undefined
    if (!next) return { ...here, shared: here.shared || (isMap(here.node) && hasMerge(here.node)) }
    found = { ...next, depth: found.depth + 1, shared: here.shared || next.shared }
  }
  return found
}

/** Returns the entry of a key. If a key is repeated, the last counts. */
export function pairOf(map: YAMLMap, key: string | number): Pair | undefined {
  return map.items.findLast((pair) => keyText(pair.key) === String(key))
}

function keyText(key: unknown): string | undefined {
  return isScalar(key) ? String(key.value) : undefined
}

export function hasMerge(map: YAMLMap): boolean {
  return map.items.some(({ key }) => isScalar(key) && key.source === '<<')
}

function resolve(document: Document, found: Found): Found {
  if (!isAlias(found.node)) return found
  return { ...found, node: found.node.resolve(document), shared: true }
}

type Step = Omit<Found, 'depth'>

function inMap(map: YAMLMap, step: string | number): Step | undefined {
  const pair = pairOf(map, step)
  if (!pair) return undefined
  const twice = map.items.filter((other) => keyText(other.key) === String(step)).length > 1
  return { node: asNode(pair.value), key: asNode(pair.key), parent: map, shared: twice }
}

function inSequence(sequence: YAMLSeq, step: string | number): Step | undefined {
  const item = typeof step === 'number' ? sequence.items[step] : undefined
  return item === undefined ? undefined : { node: asNode(item), key: undefined, parent: sequence, shared: false }
}

function asNode(value: unknown): Node | undefined {
  return value !== null && typeof value === 'object' && 'range' in value ? (value as Node) : undefined
}
