// Flow style on one line, for the fast reader: `[a, "b"]`, `{ a: b }`.
import { giveUp, keyEnd, resolvePlain } from './fast-scalar.ts'

type Reader = { readonly text: string; at: number }

const depthMax = 20

/** `text` begins with a bracket; behind its end only a comment may stand. */
export function fastFlow(text: string): unknown {
  const reader = { text, at: 0 }
  const value = flowValue(reader, 0)
  return value !== giveUp && /^ *(?: #.*)?$/.test(text.slice(reader.at)) ? value : giveUp
}

function flowValue(reader: Reader, depth: number): unknown {
  if (depth > depthMax) return giveUp
  const first = reader.text[reader.at]
  if (first === '[') return flowList(reader, depth)
  if (first === '{') return flowMapping(reader, depth)
  if (first === '"' || first === "'") {
    const quoted = take(reader, first === '"' ? /"([^"\\]*)"/y : /'([^']*)'/y)
    return quoted === undefined ? giveUp : quoted.slice(1, -1)
  }
  const plain = take(reader, /(?:[\w./$]|-(?=[\w./$-]))(?:[\w./$=+ -]|:(?=[\w./$-]))*/y)
  return plain === undefined ? giveUp : resolvePlain(plain.trimEnd())
}

function flowList(reader: Reader, depth: number): unknown {
  const result: unknown[] = []
  reader.at++
  spaces(reader)
  if (skip(reader, ']')) return result
  for (;;) {
    const value = flowValue(reader, depth + 1)
    if (value === giveUp) return giveUp
    result.push(value)
    spaces(reader)
    if (skip(reader, ']')) return result
    if (!skip(reader, ',')) return giveUp
    spaces(reader)
  }
}

function flowMapping(reader: Reader, depth: number): unknown {
  const result: Record<string, unknown> = {}
  reader.at++
  spaces(reader)
  if (skip(reader, '}')) return result
  for (;;) {
    const colon = keyEnd(reader.text, reader.at)
    if (colon < 0) return giveUp
    const key = reader.text.slice(reader.at, colon)
    reader.at = colon + 1
    spaces(reader)
    const value = flowValue(reader, depth + 1)
    if (value === giveUp) return giveUp
    result[key] = value
    spaces(reader)
    if (skip(reader, '}')) return result
    if (!skip(reader, ',')) return giveUp
    spaces(reader)
  }
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)?.[0]
  reader.at += found?.length ?? 0
  return found
}

function spaces(reader: Reader): void {
  while (reader.text[reader.at] === ' ') reader.at++
}

function skip(reader: Reader, char: string): boolean {
  if (reader.text[reader.at] !== char) return false
  reader.at++
  return true
}
