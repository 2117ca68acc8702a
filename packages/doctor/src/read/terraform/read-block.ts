// Reads a block of Terraform: its attributes and the blocks in it, with their places. It does not guess: any other text is malformed.
import type { Span } from '../yaml/span.ts'
import { type Budget, Malformed, type ReadValue, readValue } from './read-object.ts'
import { nameAt, skipBlank, skipPart } from './skip.ts'

export type Attribute = {
  readonly is: 'attribute'
  readonly name: string
  readonly at: Span
  readonly value: ReadValue
}
export type Block = Span & {
  readonly is: 'block'
  readonly name: string
  readonly at: Span
  /** The first word behind the name: the name of the blocks that a `dynamic` makes. */
  readonly label: string | undefined
  readonly items: readonly (Attribute | Block)[]
}

const depthMax = 40
/** Reading a name costs as much as passing this number of letters. */
const nameCost = 40

type Place = { readonly budget: Budget; readonly depth: number }

/** Reads the body of a block whose opening brace is at `at`. Throws Malformed. */
export function readBody(
  text: string,
  at: number,
  { budget, depth }: Place,
): { readonly items: readonly (Attribute | Block)[]; readonly end: number } {
  if (depth > depthMax) throw new Malformed(`nested deeper than ${depthMax} blocks`, at)
  const items: (Attribute | Block)[] = []
  for (let next = skipBlank(text, at + 1, true); ; next = skipBlank(text, next, true)) {
    if (text[next] === '}') return { items, end: next + 1 }
    const item = readItem(text, next, { budget, depth })
    items.push(item)
    next = item.is === 'block' ? item.end : item.value.end
  }
}

function readItem(text: string, start: number, { budget, depth }: Place): Attribute | Block {
  const name = nameAt(text, start)
  if (name === undefined) throw new Malformed('neither an attribute nor a block', start)
  budget.left -= nameCost
  if (budget.left < 0) throw new Malformed('more than is examined', start)
  const at = { start, end: start + name.length }
  let next = skipBlank(text, at.end, false)
  if (text[next] === '=') {
    const value = readValue(text, skipBlank(text, next + 1, false), budget)
    if (value instanceof Malformed) throw value
    return { is: 'attribute', name, at, value }
  }
  const label = text.slice(next, skipPart(text, next)).replaceAll('"', '')
  while (text[next] === '"' || nameAt(text, next) !== undefined) next = skipBlank(text, skipPart(text, next), false)
  if (text[next] !== '{') throw new Malformed('neither an attribute nor a block', start)
  const { items, end } = readBody(text, next, { budget, depth: depth + 1 })
  return { is: 'block', name, at, label: label === '{' ? undefined : label, items, start, end }
}
