// Reads a source file for the checks: its code without comments and strings, and its comments.
export type Source = {
  /** The path from the repository's root, with slashes. */
  readonly path: string
  readonly text: string
  /** The text with blanks for comments and the contents of strings. Positions and lines stay. */
  readonly code: string
  /** Line comments on neighbouring lines are one comment. */
  readonly comments: readonly Comment[]
}

export type Comment = {
  readonly line: number
  /** Without the comment marks; each line of the source is a line here. */
  readonly text: string
}

/** One broken rule at one place. */
export type Finding = {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

export function readSource(file: string, text: string): Source {
  const { code, comments } = blank(text)
  return { path: file, text, code, comments: joinComments(text, comments) }
}

export function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** Returns true for the sources of the packages, except tests and their support. */
export function isProduction(file: string): boolean {
  return /^packages\/[^/]+\/src\//.test(file) && !isTest(file) && !isTestSupport(file)
}

/** Fixtures, `testing` folders, and the contract that each forge runs. Production code does not import them. */
export function isTestSupport(file: string): boolean {
  return /\.fixture\.ts$|\/testing\//.test(file)
}

export function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++
  return line
}

type Range = { readonly start: number; readonly end: number }

/** Blanks comments, strings, regular expressions and the text of templates. The code within `${ }` stays. */
function blank(text: string): { readonly code: string; readonly comments: readonly Range[] } {
  const comments: Range[] = []
  let out = ''
  let at = 0
  const braces: number[] = []
  let depth = 0
  const copy = (length: number) => {
    out += text.slice(at, at + length)
    at += length
  }
  const hide = (end: number) => {
    out += text.slice(at, end).replace(/[^\n]/g, ' ')
    at = end
  }
  const hideComment = (end: number) => {
    comments.push({ start: at, end })
    hide(end)
  }
  const template = () => {
    const end = templatePart(text, at)
    const opens = text.slice(end - 2, end) === '${'
    hide(opens ? end - 2 : end - 1)
    copy(end - at)
    if (!opens) return
    braces.push(depth)
    depth++
  }
  while (at < text.length) {
    const next = text.slice(at, at + 2)
    const char = text[at] ?? ''
    if (next === '//' || (next === '#!' && at === 0)) hideComment(lineEnd(text, at))
    else if (next === '/*') hideComment(after(text, '*/', at + 2))
    else if (char === '"' || char === "'") hide(quoteEnd(text, at))
    else if (char === '/' && startsPattern(out)) hide(patternEnd(text, at))
    else if (char === '`') {
      copy(1)
      template()
    } else if (char === '}' && braces.at(-1) === depth - 1) {
      braces.pop()
      depth--
      copy(1)
      template()
    } else {
      if (char === '{') depth++
      if (char === '}') depth--
      copy(1)
      copy(usualLength(text, at))
    }
  }
  return { code: out, comments }
}

/** The characters up to the next one that may begin or end something. */
function usualLength(text: string, from: number): number {
  const special = /["'`/{}]/g
  special.lastIndex = from
  return (special.exec(text)?.index ?? text.length) - from
}

function joinComments(text: string, ranges: readonly Range[]): Comment[] {
  const joined: { start: number; end: number }[] = []
  for (const { start, end } of ranges) {
    const last = joined.at(-1)
    const follows = last && /^\n[ \t]*$/.test(text.slice(last.end, start)) && text.startsWith('//', start)
    if (follows) last.end = end
    else joined.push({ start, end })
  }
  return joined.map(({ start, end }) => ({
    line: lineAt(text, start),
    text: text.slice(start, end).replace(/^[ \t]*(?:\/\/|\/\*\*?|\*\/|\*(?!\/))[ \t]?|\*\/$/gm, ''),
  }))
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function after(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from)
  return end < 0 ? text.length : end + mark.length
}

function quoteEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== text[from] && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1
  return Math.min(at + 1, text.length)
}

/** Returns the end of a template's text: after the closing quote, or after the `${` that opens code. */
function templatePart(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    if (text[at] === '`') return at + 1
    if (text[at] === '$' && text[at + 1] === '{') return at + 2
    at += text[at] === '\\' ? 2 : 1
  }
  return text.length
}

/** Returns true where a value may begin: there a slash begins a regular expression. After a value it divides. */
function startsPattern(before: string): boolean {
  return /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in|yield|await))$/.test(before.slice(-40).trimEnd())
}

function patternEnd(text: string, from: number): number {
  let inClass = false
  let at = from + 1
  while (at < text.length && text[at] !== '\n') {
    if (text[at] === '/' && !inClass) return at + 1
    if (text[at] === '[') inClass = true
    if (text[at] === ']') inClass = false
    at += text[at] === '\\' ? 2 : 1
  }
  return from + 1
}
