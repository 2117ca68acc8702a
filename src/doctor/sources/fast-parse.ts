// Reads the YAML that manifests are mostly made of, some ten times faster than a full parser, and nothing else: at the first oddity it gives up, and the full parser decides.
import { fastFlow } from './fast-flow.ts'
import { fastKey, fastScalar, giveUp } from './fast-scalar.ts'

type Reader = { readonly lines: string[]; at: number }

const depthMax = 60

/** The value, the very one the full parser would give; undefined: not certain. */
export function parseFast(text: string): { readonly value: unknown } | undefined {
  // Tabs, carriage returns, other controls, byte order marks, spaces that YAML takes for letters: rules of their own.
  if (/[^\S\n ]|[^\n\x20-\x7e\xa0-\uD7FF\uE000-\uFEFE\uFF00-\uFFEF]/.test(text) || !text.endsWith('\n'))
    return undefined
  const lines = text.split('\n')
  lines.pop()
  const reader: Reader = { lines, at: lines[0] === '---' ? 1 : 0 }
  const start = next(reader)
  if (start < 0) return undefined
  const value = block(reader, start, 0)
  return value === giveUp || next(reader) >= 0 ? undefined : { value }
}

/** Skips to the next line that says something; its indentation, or -1 at the end. */
function next(reader: Reader): number {
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? ''
    const indent = indentOf(line)
    if (indent < line.length && line[indent] !== '#') return indent
  }
  return -1
}

function indentOf(line: string): number {
  let at = 0
  while (line.charCodeAt(at) === 0x20) at++
  return at
}

function block(reader: Reader, indent: number, depth: number): unknown {
  if (depth > depthMax) return giveUp
  return isEntry(reader.lines[reader.at] ?? '', indent) ? list(reader, indent, depth) : mapping(reader, indent, depth)
}

function isEntry(line: string, indent: number): boolean {
  return line.startsWith('- ', indent) || (line.length === indent + 1 && line[indent] === '-')
}

function mapping(reader: Reader, indent: number, depth: number): unknown {
  const result: Record<string, unknown> = {}
  for (let here = indent; here === indent; here = next(reader)) {
    const line = reader.lines[reader.at] ?? ''
    const key = fastKey(line, indent)
    if (key === undefined) return giveUp
    reader.at++
    const value = valueBehind(reader, line.slice(indent + key.length + 1).trimStart(), {
      indent,
      depth,
      inMapping: true,
    })
    if (value === giveUp) return giveUp
    result[key] = value
  }
  return next(reader) > indent ? giveUp : result
}

function list(reader: Reader, indent: number, depth: number): unknown {
  const result: unknown[] = []
  for (let here = indent; here === indent; here = next(reader)) {
    const line = reader.lines[reader.at] ?? ''
    if (!isEntry(line, indent)) return result
    const rest = line.slice(indent + 1).trimStart()
    const column = line.length - rest.length
    let value: unknown
    if (rest !== '' && (isEntry(line, column) || fastKey(line, column) !== undefined)) {
      // The entry begins a block of its own on the line of its dash.
      reader.lines[reader.at] = ' '.repeat(column) + rest
      value = block(reader, column, depth + 1)
    } else {
      reader.at++
      value = valueBehind(reader, rest, { indent, depth, inMapping: false })
    }
    if (value === giveUp) return giveUp
    result.push(value)
  }
  return next(reader) > indent ? giveUp : result
}

type Where = { readonly indent: number; readonly depth: number; readonly inMapping: boolean }

/** What stands behind a key or a dash: `rest` of its line, or the block below. */
function valueBehind(reader: Reader, rest: string, { indent, depth, inMapping }: Where): unknown {
  const first = rest[0]
  if (first === undefined || first === '#') {
    const below = next(reader)
    if (below > indent) return block(reader, below, depth + 1)
    const dashed = inMapping && below === indent && isEntry(reader.lines[reader.at] ?? '', indent)
    return dashed ? list(reader, indent, depth + 1) : null
  }
  if (first === '|') return literal(reader, rest, indent)
  const value = first === '[' || first === '{' ? fastFlow(rest) : fastScalar(rest)
  // A deeper line would go on with the value.
  return value === giveUp || next(reader) > indent ? giveUp : value
}

function literal(reader: Reader, header: string, parent: number): unknown {
  if (header !== '|' && header !== '|-') return giveUp
  const lines: string[] = []
  let indent = -1
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at] ?? ''
    const own = indentOf(line)
    if (own === line.length) {
      if (indent < 0 ? own > 0 : own > indent) return giveUp
      lines.push('')
      continue
    }
    if (own <= parent) break
    if (indent < 0) indent = own
    if (own < indent) return giveUp
    lines.push(line.slice(indent))
  }
  if (indent < 0) return giveUp
  const text = lines.join('\n').replace(/\n+$/, '')
  return header === '|' ? `${text}\n` : text
}
