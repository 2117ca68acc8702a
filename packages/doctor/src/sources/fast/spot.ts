// Finds a path by indentation alone, in a text that the fast reader has read. It needs no nodes.
import type { Path } from '@dayfly/kit/read-json'
import type { Spot } from '../spot.ts'
import { isEntry, skipSpaces } from './letters.ts'
import { keyEnd } from './scalar.ts'

/** `column`: of the keys or dashes; `at`: the offset of the first one, which may follow other dashes. */
type Block = { readonly at: number; readonly column: number }
type Step = { readonly spot: Spot; readonly inside: Block | 'flow' | undefined }

/** Gives the same result as `findSpot` with the full parser's nodes; undefined: not certain. `text` must be one that `parseFast` can read. */
export function findSpotFast(text: string, path: Path): Spot | undefined {
  const root = below(text, text.startsWith('---\n') ? 4 : 0)
  if (!root) return undefined
  let here: Step = { spot: { key: undefined, start: root.at, end: undefined }, inside: root }
  for (const step of path) {
    if (here.inside === 'flow') return undefined
    const at = here.inside && findEntry(text, here.inside, step)
    if (!here.inside || at === undefined) return here.spot
    const next = isEntry(text, at) ? inList(text, at, here.inside.column) : inMapping(text, at, here.inside.column)
    if (!next) return undefined
    here = next
  }
  return here.spot
}

/** Returns the offset of the entry's dash or key. If a key is repeated, the last counts. */
function findEntry(text: string, block: Block, step: string | number): number | undefined {
  const isList = isEntry(text, block.at)
  let index = 0
  let found: number | undefined
  for (
    let next: Block | undefined = block;
    next && next.column >= block.column;
    next = below(text, endOfLine(text, next.at) + 1)
  ) {
    if (next.column > block.column) continue
    const { at } = next
    if (isEntry(text, at) !== isList) {
      if (isList) return undefined
    } else if (isList) {
      if (index++ === step) return at
    } else if (text.slice(at, text.indexOf(':', at)) === String(step)) found = at
  }
  return found
}

function inMapping(text: string, at: number, column: number): Step | undefined {
  const colon = text.indexOf(':', at)
  const key = { start: at, end: colon }
  const start = skipSpaces(text, colon + 1)
  if (text[start] !== '\n' && text[start] !== '#') return onLine(text, start, key)
  const inside = below(text, endOfLine(text, start) + 1)
  const deeper = inside && (inside.column > column || (inside.column === column && isEntry(text, inside.at)))
  return deeper ? { spot: { key, start: inside.at, end: undefined }, inside } : undefined
}

function inList(text: string, dash: number, column: number): Step | undefined {
  const start = skipSpaces(text, dash + 1)
  if (text[start] === '\n' || text[start] === '#') {
    const inside = below(text, endOfLine(text, start) + 1)
    return inside && inside.column > column ? opened(inside) : undefined
  }
  const beginsBlock = isEntry(text, start) || keyEnd(text, start) >= 0
  return beginsBlock ? opened({ at: start, column: column + start - dash }) : onLine(text, start, undefined)
}

function opened(inside: Block): Step {
  return { spot: { key: undefined, start: inside.at, end: undefined }, inside }
}

function onLine(text: string, start: number, key: Spot['key']): Step {
  const first = text[start]
  if (first === '[' || first === '{') return { spot: { key, start, end: undefined }, inside: 'flow' }
  if (first === '|') return { spot: { key, start, end: undefined }, inside: undefined }
  if (first === '"' || first === "'") {
    return { spot: { key, start, end: text.indexOf(first, start + 1) + 1 }, inside: undefined }
  }
  const line = text.slice(start, endOfLine(text, start))
  const comment = line.indexOf(' #')
  const plain = (comment < 0 ? line : line.slice(0, comment)).trimEnd()
  return { spot: { key, start, end: start + plain.length }, inside: undefined }
}

/** Returns the next line with content. */
function below(text: string, lineStart: number): Block | undefined {
  for (let from = lineStart; from < text.length; from = endOfLine(text, from) + 1) {
    const at = skipSpaces(text, from)
    if (text[at] !== '\n' && text[at] !== '#') return { at, column: at - from }
  }
  return undefined
}

function endOfLine(text: string, from: number): number {
  return text.indexOf('\n', from)
}
