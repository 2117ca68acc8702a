// Parses the YAML that most manifests consist of. At the first other construct it gives up, and the full parser decides.
import { fastFlow } from './flow.ts'
import { hash, isEntry, newline, quote, skipSpaces } from './letters.ts'
import { type Maker, values } from './maker.ts'
import { fastScalar, giveUp, keyEnd } from './scalar.ts'

/** `at`: the next letter to read, never a space or a comment; `column`: its column, -1 at the end of the text. */
type Reader = { readonly text: string; readonly maker: Maker; at: number; column: number }

const depthMax = 60

/** Returns the result of `maker`; by default the plain value, equal to that of the full parser. Undefined: the reader gave up. */
export function parseFast(text: string, maker: Maker = values): { readonly value: unknown } | undefined {
  // Tabs, carriage returns, other controls, byte order marks and unusual spaces follow rules of their own.
  if (/[^\S\n ]|[^\n\x20-\x7e\xa0-\uD7FF\uE000-\uFEFE\uFF00-\uFFEF]/.test(text) || !text.endsWith('\n'))
    return undefined
  const reader: Reader = { text, maker, at: 0, column: 0 }
  nextLine(reader, text.startsWith('---\n') ? 4 : 0)
  if (reader.column < 0) return undefined
  const value = block(reader, 0)
  return value === giveUp || reader.column >= 0 ? undefined : { value }
}

/** Goes to the next line with content. `from`: the begin of a line. */
function nextLine(reader: Reader, from: number): void {
  const { text } = reader
  for (let line = from; line < text.length; ) {
    const at = skipSpaces(text, line)
    const code = text.charCodeAt(at)
    if (code !== newline && code !== hash) {
      reader.at = at
      reader.column = at - line
      return
    }
    line = text.indexOf('\n', at) + 1
  }
  reader.column = -1
}

function block(reader: Reader, depth: number): unknown {
  if (depth > depthMax) return giveUp
  return isEntry(reader.text, reader.at) ? list(reader, depth) : mapping(reader, depth)
}

function mapping(reader: Reader, depth: number): unknown {
  const { text, maker, column, at: start } = reader
  const result = maker.mapping()
  while (reader.column === column) {
    const key = reader.at
    const colon = keyEnd(text, key)
    if (colon < 0) return giveUp
    const value = valueBehind(reader, skipSpaces(text, colon + 1), { column, depth, inMapping: true })
    if (value === giveUp) return giveUp
    result.put(text, key, colon, value)
  }
  return reader.column > column ? giveUp : result.done(start)
}

function list(reader: Reader, depth: number): unknown {
  const { text, maker, column, at: first } = reader
  const result = maker.list()
  while (reader.column === column && isEntry(text, reader.at)) {
    const start = skipSpaces(text, reader.at + 1)
    let value: unknown
    if (isEntry(text, start) || keyEnd(text, start) >= 0) {
      // The entry begins a block on the line of its dash.
      reader.column = column + start - reader.at
      reader.at = start
      value = block(reader, depth + 1)
    } else value = valueBehind(reader, start, { column, depth, inMapping: false })
    if (value === giveUp) return giveUp
    result.add(value)
  }
  return reader.column > column ? giveUp : result.done(first)
}

type Where = { readonly column: number; readonly depth: number; readonly inMapping: boolean }

/** Reads the value behind a key or a dash: to the end of the line, or the block below. */
function valueBehind(reader: Reader, start: number, { column, depth, inMapping }: Where): unknown {
  const { text, maker } = reader
  const first = text.charCodeAt(start)
  const end = text.indexOf('\n', start)
  if (first === newline || first === hash) {
    nextLine(reader, end + 1)
    if (reader.column > column) return block(reader, depth + 1)
    const dashed = inMapping && reader.column === column && isEntry(text, reader.at)
    return dashed ? list(reader, depth + 1) : maker.scalar(null, text, start, start)
  }
  if (first === quote.literal) return literal(reader, { start, end, parent: column })
  const isFlow = first === quote.list || first === quote.mapping
  const value = isFlow ? fastFlow(reader, start, end) : fastScalar(reader, start, end)
  nextLine(reader, end + 1)
  // A deeper line would continue the value.
  return reader.column > column ? giveUp : value
}

/** The header of a block scalar, and the column of the line above it. */
type Header = { readonly start: number; readonly end: number; readonly parent: number }

function literal(reader: Reader, { start, end: headerEnd, parent }: Header): unknown {
  const { text, maker } = reader
  const header = text.slice(start, headerEnd)
  if (header !== '|' && header !== '|-') return giveUp
  const lines: string[] = []
  let indent = -1
  let line = headerEnd + 1
  let stop = line
  while (line < text.length) {
    const at = skipSpaces(text, line)
    const own = at - line
    const end = text.indexOf('\n', at)
    if (at === end) {
      if (indent < 0 ? own > 0 : own > indent) return giveUp
      lines.push('')
    } else {
      if (own <= parent) break
      if (indent < 0) indent = own
      if (own < indent) return giveUp
      lines.push(text.slice(line + indent, end))
      stop = end + 1
    }
    line = end + 1
  }
  if (indent < 0) return giveUp
  nextLine(reader, line)
  while (lines.at(-1) === '') lines.pop()
  const value = lines.join('\n')
  return maker.scalar(header === '|' ? `${value}\n` : value, text, start, stop)
}
