// Reads flow style on one line, for the fast reader: `[a, "b"]`, `{ a: b }`.
import type { Maker } from './maker.ts'
import { giveUp, keyEnd, resolvePlain } from './scalar.ts'

type Source = { readonly text: string; readonly maker: Maker }
type Reader = Source & { at: number }

const doubleQuoted = /"[^"\\\n]*"/y
const singleQuoted = /'[^'\n]*'/y
const plain = /(?:[\w./$]|-(?=[\w./$-]))(?:[\w./$=+ -]|:(?=[\w./$-]))*/y

const depthMax = 20

/** Reads from a bracket at `start` to the end of its line. Only a comment may follow the closing bracket. */
export function fastFlow({ text, maker }: Source, start: number, lineEnd: number): unknown {
  const reader = { text, maker, at: start }
  const value = flowValue(reader, 0)
  return value !== giveUp && /^ *(?: #.*)?$/.test(text.slice(reader.at, lineEnd)) ? value : giveUp
}

function flowValue(reader: Reader, depth: number): unknown {
  if (depth > depthMax) return giveUp
  const first = reader.text[reader.at]
  if (first === '[') return flowList(reader, depth)
  if (first === '{') return flowMapping(reader, depth)
  if (first === '"' || first === "'") {
    const start = reader.at
    const quoted = take(reader, first === '"' ? doubleQuoted : singleQuoted)
    return quoted === undefined ? giveUp : reader.maker.scalar(quoted.slice(1, -1), reader.text, start, reader.at)
  }
  return plainValue(reader)
}

function plainValue(reader: Reader): unknown {
  const start = reader.at
  const words = take(reader, plain)?.trimEnd()
  const value = words === undefined ? giveUp : resolvePlain(words)
  if (words === undefined || value === giveUp) return giveUp
  return reader.maker.scalar(value, reader.text, start, start + words.length)
}

function flowList(reader: Reader, depth: number): unknown {
  const { at: start } = reader
  const result = reader.maker.list()
  reader.at++
  spaces(reader)
  while (!skip(reader, ']')) {
    const value = flowValue(reader, depth + 1)
    if (value === giveUp) return giveUp
    result.add(value)
    if (!betweenItems(reader, ']')) return giveUp
  }
  return result.done(start, reader.at)
}

function flowMapping(reader: Reader, depth: number): unknown {
  const { text, at: start } = reader
  const result = reader.maker.mapping()
  reader.at++
  spaces(reader)
  while (!skip(reader, '}')) {
    const key = reader.at
    const colon = keyEnd(text, key)
    if (colon < 0) return giveUp
    reader.at = colon + 1
    spaces(reader)
    const value = flowValue(reader, depth + 1)
    if (value === giveUp) return giveUp
    result.put(text, key, colon, value)
    if (!betweenItems(reader, '}')) return giveUp
  }
  return result.done(start, reader.at)
}

/** Goes to the next item, or to the closing bracket. */
function betweenItems(reader: Reader, closing: string): boolean {
  spaces(reader)
  if (reader.text[reader.at] === closing) return true
  if (!skip(reader, ',')) return false
  spaces(reader)
  return true
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
