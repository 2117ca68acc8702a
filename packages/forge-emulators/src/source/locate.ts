// Finds the place of a value in its file, for the problems of a file that is valid YAML.
import { isAlias, isMap, isNode, isSeq, type Node } from 'yaml'
import { SourceError, type SourceProblem } from './problem.ts'
import type { Source } from './source.ts'

/** A path into the file's plain value. */
export type Path = readonly (string | number)[]

/** A problem of the value at a path. */
export type Found = { readonly path: Path; readonly sentence: string; readonly next: string }

export function problemAt(
  source: Source,
  code: 'invalid' | 'unsupported',
  { path, sentence, next }: Found,
): SourceProblem {
  return { code: `${source.kind.code}-${code}`, file: source.file, ...positionOf(source, path), sentence, next }
}

/** Throws the first ten problems in the order of the file, if there are any. */
export function refuseProblems(problems: readonly SourceProblem[]): void {
  const sorted = [...problems].sort((one, other) => one.line - other.line || one.column - other.column)
  const [first, ...rest] = sorted.slice(0, 10)
  if (first) throw new SourceError([first, ...rest])
}

/** Returns line and column of the key at the end of the path. A path through an alias has the position of the alias. */
export function positionOf(source: Source, path: Path): ReturnType<Source['position']> {
  return source.position(offsetOf(source, path))
}

function offsetOf(source: Source, path: Path): number {
  let node: unknown = source.document.contents
  let offset = 0
  for (const step of path) {
    if (isAlias(node)) return offset
    if (isSeq(node)) {
      node = node.items[Number(step)]
      if (isNode(node)) offset = startOf(node, offset)
    } else if (isMap(node)) {
      const pair = node.items.find((item) => String(isNode(item.key) ? item.key.toJSON() : item.key) === String(step))
      if (!pair) return offset
      if (isNode(pair.key)) offset = startOf(pair.key, offset)
      node = pair.value
    }
  }
  return offset
}

function startOf(node: Node, otherwise: number): number {
  return node.range?.[0] ?? otherwise
}
