// Reads a quoted HCL string. An interpolation becomes filler.
import { filler } from '../template/template-value.ts'
import type { Span } from '../yaml/span.ts'
import { isEscapedTemplate, isTemplate, skipTemplate } from './skip.ts'

export type ReadString = {
  readonly value: string
  readonly end: number
  /** The spans of the interpolations. */
  readonly unknown: readonly Span[]
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

/** Returns undefined if the string does not end, or has an invalid escape. */
export function readString(text: string, from: number): ReadString | undefined {
  const parts: string[] = []
  const unknown: Span[] = []
  let at = from + 1
  for (;;) {
    const char = text[at]
    if (char === undefined || char === '\n') return undefined
    if (char === '"') return { value: parts.join(''), end: at + 1, unknown }
    if (char === '\\') {
      const escaped = readEscape(text, at)
      if (!escaped) return undefined
      parts.push(escaped.char)
      at = escaped.end
    } else if (isEscapedTemplate(text, at)) {
      parts.push(text.slice(at + 1, at + 3))
      at += 3
    } else if (isTemplate(text, at)) {
      const end = skipTemplate(text, at)
      unknown.push({ start: at, end })
      parts.push(filler)
      at = end
    } else {
      const end = endOfPlain(text, at)
      parts.push(text.slice(at, end))
      at = end
    }
  }
}

function endOfPlain(text: string, from: number): number {
  const plain = /[^"\\\n$%]+/y
  plain.lastIndex = from
  return plain.test(text) ? plain.lastIndex : from + 1
}

function readEscape(text: string, at: number): { readonly char: string; readonly end: number } | undefined {
  const simple = escapes[text[at + 1] ?? '']
  if (simple !== undefined) return { char: simple, end: at + 2 }
  const code = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y
  code.lastIndex = at
  const match = code.exec(text)
  const point = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16)
  return point <= 0x10ffff ? { char: String.fromCodePoint(point), end: code.lastIndex } : undefined
}
