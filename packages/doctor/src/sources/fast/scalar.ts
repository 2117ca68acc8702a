// Reads keys and scalars on one line, for the fast reader.
import { integerOf } from '../parse-nodes.ts'
import { colon, dash, hash, newline, quote, skipSpaces, space } from './letters.ts'
import type { Maker } from './maker.ts'

/** The reader is not certain: the full parser decides. */
export const giveUp = Symbol('give up')

const integer = /^[-+]?[0-9]+$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/
/** Numbers in other forms, infinities, and texts that may be one. */
const doubtful = /^[-+]?(?:0[xob]|[.0-9]+[eE]|[0-9_]+$|\.(?:inf|nan)$)/i
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
])
/** Words that are booleans as values, but not as keys. */
const wordsOfValues: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...words,
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
])
const wordMax = 'false'.length
const proto = '__proto__'

/** Returns the offset of the colon behind a plain key of letters, digits and `_ . / -`; -1 if no such key begins here. */
export function keyEnd(text: string, start: number): number {
  if (!isLetter(text.charCodeAt(start))) return -1
  let at = start + 1
  for (let code = text.charCodeAt(at); isLetter(code) || isDigitOrMark(code); code = text.charCodeAt(at)) at++
  if (text.charCodeAt(at) !== colon) return -1
  const next = text.charCodeAt(at + 1)
  if (next !== space && next !== newline && at + 1 < text.length) return -1
  const length = at - start
  if (length <= wordMax && words.has(text.slice(start, at))) return -1
  return length === proto.length && text.startsWith(proto, start) ? -1 : at
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}

/** The codes of `- . /` and the digits are adjacent. */
function isDigitOrMark(code: number): boolean {
  return code >= dash && code <= 0x39
}

type Source = { readonly text: string; readonly maker: Maker }

/** Reads the scalar from `start` to the end of its line, which may hold a comment. */
export function fastScalar(source: Source, start: number, end: number): unknown {
  const { text, maker } = source
  const first = text.charCodeAt(start)
  if (first === quote.double || first === quote.single) return quoted(source, start, end)
  if (/[,\]}#&*!|>%@`]/.test(text.charAt(start))) return giveUp
  const next = text.charCodeAt(start + 1)
  if ((first === dash || first === 0x3f || first === colon) && (next === space || start + 1 === end)) return giveUp
  let stop = start
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === space) {
      if (text.charCodeAt(at + 1) === hash) break
      continue
    }
    if (code === colon && (at + 1 === end || text.charCodeAt(at + 1) === space)) return giveUp
    stop = at + 1
  }
  const value = resolvePlain(text.slice(start, stop))
  return value === giveUp ? giveUp : maker.scalar(value, text, start, stop)
}

/** Reads a quoted string without escapes: a quote inside it would need one. */
function quoted({ text, maker }: Source, start: number, end: number): unknown {
  const close = text.indexOf(text.charAt(start), start + 1)
  if (close < 0 || close >= end || !endsLine(text, close + 1, end)) return giveUp
  const value = text.slice(start + 1, close)
  const isEscaped = text.charCodeAt(start) === quote.double && value.includes('\\')
  return isEscaped ? giveUp : maker.scalar(value, text, start, close + 1)
}

/** Whether only spaces, or a comment behind them, follow. */
function endsLine(text: string, from: number, end: number): boolean {
  const at = skipSpaces(text, from)
  return at === end || (at > from && text.charCodeAt(at) === hash)
}

export function resolvePlain(plain: string): unknown {
  if (plain.length <= wordMax) {
    const word = wordsOfValues.get(plain)
    if (word !== undefined) return word
  }
  const first = plain.charCodeAt(0)
  if (!isDigitOrMark(first) && first !== 0x2b) return plain
  if (integer.test(plain)) return integerOf(plain)
  if (float.test(plain)) return Number.parseFloat(plain)
  return doubtful.test(plain) ? giveUp : plain
}
