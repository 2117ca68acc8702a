// Finds where an expression begins and ends in formatted TypeScript whose comments and strings are blanked.

export type Span = { readonly start: number; readonly end: number }

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Returns the text between a bracket and its partner, without both. @param open the index of the opening bracket */
export function within(code: string, open: number): Span {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char in closing) depth++
    if (char in opening) depth--
    if (depth === 0) return { start: open + 1, end: at }
  }
  throw new Error(`the bracket at offset ${open} is never closed`)
}

/** Returns the condition of a ternary. @param mark the index of its question mark */
export function conditionBefore(text: string, code: string, mark: number): Span {
  let depth = 0
  let start = mark
  while (start > 0) {
    const char = code[start - 1] ?? ''
    if (char in opening) depth++
    if (char in closing) {
      if (depth === 0) break
      depth--
    }
    if (depth === 0 && opensExpression.test(code.slice(Math.max(0, start - 8), start + 1))) break
    start--
  }
  return trim(text, { start, end: mark })
}

/** Matches a token and the blank after it, where an expression begins. */
const opensExpression = /(?:[,;:?]|=>|\s=|\breturn|\bcase)\s$/

/** Returns the right operand of `??`. @param from the index after the operator */
export function operandAfter(text: string, code: string, from: number): Span {
  let depth = 0
  let end = from
  for (; end < code.length; end++) {
    const char = code[end] ?? ''
    if (char in opening && depth === 0) break
    if (char in closing) depth++
    if (char in opening) depth--
    if (depth === 0 && (/^(?:[,;]|\s(?:\?|:|\?\?|&&|\|\|)\s)/.test(code.slice(end, end + 4)) || endsLine())) break
  }
  return trim(text, { start: from, end })

  /** A line that begins with an operator or a member continues the one before. */
  function endsLine(): boolean {
    if (code[end] !== '\n' || text.slice(from, end).trim() === '') return false
    return !/^\s*[.?:&|+*/-]/.test(code.slice(end))
  }
}

/** Returns the operators at the top level of an expression, in order. */
export function topLevel(code: string, { start, end }: Span): string {
  let depth = 0
  let top = ''
  for (const char of code.slice(start, end)) {
    if (char in opening) depth--
    if (depth === 0) top += char
    if (char in closing) depth++
  }
  return top
}

function trim(text: string, { start, end }: Span): Span {
  const inner = text.slice(start, end)
  return { start: start + inner.length - inner.trimStart().length, end: end - inner.length + inner.trimEnd().length }
}
