// Reads the literal parts of an HCL object into nodes like those of YAML, whose ranges count in the text.
// References, calls and operators become unknown values.
import { Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { filler } from '../template/template-value.ts'
import type { Span } from '../yaml/span.ts'
import { mayHoldManifest } from '../yaml/split.ts'
import { heredocAt, readHeredoc } from './heredoc.ts'
import { readString } from './read-string.ts'
import { nameAt, skipBlank, skipExpression } from './skip.ts'

export type ReadObject = {
  readonly node: YAMLMap
  readonly end: number
  /** Expressions that were not read. They may contain objects. */
  readonly unread: readonly Span[]
  /** Every unknown part of the value: the unread expressions and the interpolations. */
  readonly unknown: readonly Span[]
}

/** The remaining number of letters and values that may be read for one file. It bounds the work for any text. */
export type Budget = { left: number }

/** The text is no object, or is larger than the limit. */
export class Malformed extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** A value of an attribute, read as far as it is literal. */
export type ReadValue = Omit<ReadObject, 'node'> & { readonly node: Node }

type Reader = {
  readonly text: string
  readonly budget: Budget
  readonly unread: Span[]
  readonly unknown: Span[]
  at: number
}
export type Node = Scalar | YAMLMap | YAMLSeq

const depthMax = 60
/** Reading a value costs as much as passing this number of letters. */
const valueCost = 10

/** Reads the object at this brace. Undefined: a `for` computes it. */
export function readObject(text: string, at: number, budget: Budget): ReadObject | Malformed | undefined {
  return isComprehension(text, at) ? undefined : read(text, { at, budget }, (reader) => object(reader, 0))
}

/** Reads the value behind `=` in a block. */
export function readValue(text: string, at: number, budget: Budget): ReadValue | Malformed {
  return read(text, { at, budget }, (reader) => expression(reader, 'object', 0))
}

function read<Read extends Node>(
  text: string,
  from: Pick<Reader, 'at' | 'budget'>,
  run: (reader: Reader) => Read,
): (Omit<ReadObject, 'node'> & { readonly node: Read }) | Malformed {
  const reader: Reader = { ...from, text, unread: [], unknown: [] }
  try {
    const node = run(reader)
    return { node, end: reader.at, unread: reader.unread, unknown: reader.unknown }
  } catch (error) {
    if (error instanceof Malformed) return error
    throw error
  }
}

function object(reader: Reader, depth: number): YAMLMap {
  const start = reader.at++
  const map = new YAMLMap()
  for (;;) {
    reader.at = skipSeparators(reader.text, reader.at)
    if (reader.text[reader.at] === '}') break
    const key = readKey(reader)
    reader.at = skipBlank(reader.text, reader.at, false)
    if (!/[=:]/.test(reader.text[reader.at] ?? '')) throw new Malformed('a key without a value', reader.at)
    reader.at = skipBlank(reader.text, reader.at + 1, false)
    map.items.push(new Pair(key, expression(reader, 'object', depth)))
  }
  reader.at++
  return placed(reader, map, start)
}

function list(reader: Reader, depth: number): YAMLSeq {
  const start = reader.at++
  const sequence = new YAMLSeq()
  for (;;) {
    reader.at = skipSeparators(reader.text, reader.at)
    if (reader.text[reader.at] === ']') break
    sequence.items.push(expression(reader, 'list', depth))
  }
  reader.at++
  return placed(reader, sequence, start)
}

function skipSeparators(text: string, from: number): number {
  let at = skipBlank(text, from, true)
  while (text[at] === ',') at = skipBlank(text, at + 1, true)
  return at
}

function readKey(reader: Reader): Scalar {
  const { text, at } = reader
  if (text[at] === '"') return quoted(reader) ?? fail(reader, 'a key that is not a string')
  if (text[at] === '(') {
    reader.at = skipExpression(text, at + 1, 'list') + 1
    reader.unknown.push({ start: at, end: reader.at })
    return placed(reader, new Scalar(filler), at)
  }
  const name = nameAt(text, at) ?? /^\d+/.exec(text.slice(at, at + 20))?.[0] ?? fail(reader, 'not an object')
  reader.at += name.length
  return placed(reader, new Scalar(name), at)
}

/** Reads a value. It is unknown unless it is a literal from its start to its end. */
function expression(reader: Reader, within: 'object' | 'list', depth: number): Node {
  if (depth > depthMax) fail(reader, `nested deeper than ${depthMax} levels`)
  spend(reader, valueCost)
  const { text, at: start } = reader
  const before = { unread: reader.unread.length, unknown: reader.unknown.length }
  const node = literal(reader, depth)
  if (node && endsHere(text, reader.at, within)) return node
  reader.unread.length = before.unread
  reader.unknown.length = before.unknown
  reader.at = skipExpression(text, start, within)
  if (reader.at === start) fail(reader, 'a value is missing')
  spend(reader, reader.at - start)
  reader.unread.push({ start, end: reader.at })
  reader.unknown.push({ start, end: reader.at })
  return placed(reader, new Scalar(filler), start)
}

function endsHere(text: string, at: number, within: 'object' | 'list'): boolean {
  const char = text[skipBlank(text, at, within === 'list')]
  return char === undefined || (within === 'object' ? ',}\n' : ',]').includes(char)
}

function literal(reader: Reader, depth: number): Node | undefined {
  const { text, at } = reader
  const char = text[at]
  if (char === '{') return isComprehension(text, at) ? undefined : object(reader, depth + 1)
  if (char === '[') return isComprehension(text, at) ? undefined : list(reader, depth + 1)
  if (char === '"') return quoted(reader)
  if (char === '<') return heredoc(reader)
  const word = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?![\w-])/y
  word.lastIndex = at
  const found = word.exec(text)?.[0]
  if (found === undefined) return undefined
  reader.at += found.length
  return placed(reader, new Scalar(JSON.parse(found.replace(/^(-?)0+(?=\d)/, '$1'))), at)
}

/** Whether it is `{ for … }` or `[for …]`. */
function isComprehension(text: string, at: number): boolean {
  const start = skipBlank(text, at + 1, true)
  if (nameAt(text, start) !== 'for') return false
  return !/[=:]/.test(text[skipBlank(text, start + 3, false)] ?? '')
}

function quoted(reader: Reader): Scalar | undefined {
  const start = reader.at
  const read = readString(reader.text, start)
  if (!read) return undefined
  reader.at = read.end
  reader.unknown.push(...read.unknown)
  return placed(reader, new Scalar(read.value), start)
}

/** Reads a heredoc. One with a manifest in it is a document of its own. */
function heredoc(reader: Reader): Scalar | undefined {
  const { text, at: start } = reader
  const span = heredocAt(text, start)
  if (!span) return undefined
  reader.at = span.end
  const body = readHeredoc(text, span)?.text
  const known = body !== undefined && !mayHoldManifest(body) && !/[$%]\{/.test(body)
  if (!known) {
    reader.unread.push({ start, end: reader.at })
    reader.unknown.push({ start, end: reader.at })
  }
  return placed(reader, new Scalar(known ? body : filler), start)
}

function placed<Placed extends Node>(reader: Reader, node: Placed, start: number): Placed {
  node.range = [start, reader.at, reader.at]
  return node
}

function spend({ budget, at }: Reader, letters: number): void {
  budget.left -= letters
  if (budget.left < 0) throw new Malformed('more than is examined', at)
}

function fail(reader: Reader, message: string): never {
  throw new Malformed(message, reader.at)
}
