// Skips parts of Terraform's language (HCL): from the start of a part to the offset behind it.
// This separates code from strings, heredocs and comments. It never throws and never goes back.
import { heredocAt } from './heredoc.ts'

const depthMax = 50

/** Skips spaces and comments, and newlines where they have no meaning. */
export function skipBlank(text: string, from: number, newlines: boolean): number {
  let at = from
  for (;;) {
    const char = text[at]
    if (char === ' ' || char === '\t' || char === '\r' || (char === '\n' && newlines)) at++
    else if (char === '#' || text.startsWith('//', at)) at = orEnd(text, text.indexOf('\n', at))
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      at = end < 0 ? text.length : end + 2
    } else return at
  }
}

/** Skips a string. An unclosed string ends with its line. */
function skipQuoted(text: string, from: number, depth = 0): number {
  let at = from + 1
  while (at < text.length) {
    const char = text[at]
    if (char === '"') return at + 1
    if (char === '\n') return at
    if (char === '\\') at += 2
    else if (isTemplate(text, at)) at = skipTemplate(text, at, depth)
    else at += isEscapedTemplate(text, at) ? 3 : 1
  }
  return text.length
}

/** Whether `${` or `%{` is here. */
export function isTemplate(text: string, at: number): boolean {
  return text[at + 1] === '{' && (text[at] === '$' || text[at] === '%')
}

/** Whether `$${` or `%%{` is here, which stand for the shorter ones as text. */
export function isEscapedTemplate(text: string, at: number): boolean {
  return text[at] === text[at + 1] && isTemplate(text, at + 1)
}

/** Skips to the offset behind the brace that closes a `${` or `%{`. */
export function skipTemplate(text: string, from: number, depth = 0): number {
  let at = from + 2
  for (let open = 1; at < text.length; ) {
    const char = text[at]
    if (char === '"' && depth < depthMax) at = skipQuoted(text, at, depth + 1)
    else at++
    if (char === '{') open++
    else if (char === '}' && --open === 0) return at
  }
  return text.length
}

/** Skips one string, heredoc, comment or name; else one character. */
export function skipPart(text: string, at: number): number {
  const char = text[at]
  if (char === '"') return skipQuoted(text, at)
  if (char === '<') return heredocAt(text, at)?.end ?? at + 1
  if (char === '#' || char === '/') return Math.max(at + 1, skipBlank(text, at, false))
  return at + (nameAt(text, at)?.length ?? 1)
}

/** Skips an expression. It ends before a comma or a bracket that it did not open; in an object, also before the end of its line. */
export function skipExpression(text: string, from: number, within: 'object' | 'list'): number {
  let open = 0
  let at = from
  while (at < text.length) {
    const char = text[at] ?? ''
    if (open === 0 && (char === ',' || (char === '\n' && within === 'object'))) return at
    if ('([{'.includes(char)) open++
    else if (')]}'.includes(char) && --open < 0) return at
    at = skipPart(text, at)
  }
  return text.length
}

/** Skips to the offset behind the bracket that closes the first one. Other kinds of brackets do not count. */
export function skipPair(text: string, from: number, [opening, closing]: '()' | '{}'): number {
  let open = 0
  for (let at = from; at < text.length; at = skipPart(text, at)) {
    if (text[at] === opening) open++
    else if (text[at] === closing && --open === 0) return at + 1
  }
  return text.length
}

/** Returns the name that begins here. */
export function nameAt(text: string, at: number): string | undefined {
  const name = /[A-Za-z_][\w-]*/y
  name.lastIndex = at
  return name.exec(text)?.[0]
}

function orEnd(text: string, found: number): number {
  return found < 0 ? text.length : found
}
