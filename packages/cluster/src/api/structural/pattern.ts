// Regular expressions as Go reads them. They match in linear time, so that no pattern makes a request take minutes.
// Source: https://github.com/google/re2/wiki/syntax
import { RE2JS, RE2JSException } from 're2js'

export type Pattern = {
  readonly source: string
  /** The most steps that a search takes for each character. */
  readonly size: number
  /** Returns whether any part of the text matches. */
  test(text: string): boolean
  /** Returns the parts of the text that match, from the left. */
  findAll(text: string, most: number): readonly string[]
}

/** A pattern that Go refuses, in Go's words, or one that is too large. */
export class PatternError extends Error {}

/** The most steps of the program that a pattern may become. A larger one takes long to compile. */
export const sizeMax = 10_000

/** Throws a PatternError for an invalid pattern, and for back references and lookaheads, which Go does not have. */
export function readPattern(source: string): Pattern {
  const size = sizeOf(source)
  if (size > sizeMax) throw new PatternError('the embedded cluster does not compile a pattern of this size')
  const compiled = compile(source)
  return {
    source,
    size,
    test: (text) => compiled.test(text),
    findAll: (text, most) => {
      const found: string[] = []
      const matcher = compiled.matcher(text)
      while (found.length < most && matcher.find()) found.push(matcher.group() ?? '')
      return found
    },
  }
}

/** Like `readPattern`, for a valid pattern. It is compiled when it is first used. */
export function knownPattern(source: string): Pattern {
  let read: Pattern | undefined
  const pattern = (): Pattern => {
    read ??= readPattern(source)
    return read
  }
  return {
    source,
    get size() {
      return pattern().size
    },
    test: (text) => pattern().test(text),
    findAll: (text, most) => pattern().findAll(text, most),
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(error.message)
    throw error
  }
}

/** Estimates the size of the program from above: a repetition copies what it repeats. */
export function sizeOf(source: string): number {
  const groups: number[] = [0]
  let atom = 0
  for (const [token, repetition] of source.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]])*\]|\{(\d+(?:,\d*)?)\}|[\s\S]/g)) {
    const top = groups.length - 1
    if (token === '(') groups.push(0)
    if (token === '(') continue
    if (repetition !== undefined) {
      const added = (atom + 1) * Math.max(1, ...repetition.split(',').map(Number))
      atom += added
      groups[top] = (groups[top] ?? 0) + added
      continue
    }
    atom = token === ')' && top > 0 ? (groups.pop() ?? 0) + 2 : 1
    const outer = groups.length - 1
    groups[outer] = (groups[outer] ?? 0) + atom
  }
  return groups.reduce((sum, size) => sum + size, 0)
}
