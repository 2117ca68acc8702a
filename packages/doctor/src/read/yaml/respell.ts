// Spells what kubectl's parser accepts in the way that a strict parser reads: lines of a string or of brackets at the left border,
// `*alias:` as a key, an escaped apostrophe, lone carriage returns. Offsets lead back to the original text.
import { lastAtMost } from './last-at-most.ts'
import type { Lines } from './strip-indentation.ts'

/** Replaces `drop` letters. */
type Change = { readonly at: number; readonly drop: number; readonly add: string }
/** `parent`: the column that the lines of a value must exceed. */
type Scan = { readonly text: string; readonly changes: Change[]; at: number; parent: number }

/** Returns undefined if there is nothing of this kind. It does not judge the rest of the text. */
export function respell(original: string): Lines | undefined {
  const text = original.replace(/\r(?!\n)/g, '\n')
  const scan: Scan = { text, changes: [], at: 0, parent: -1 }
  while (scan.at < text.length) readLine(scan)
  return scan.changes.length === 0 && text === original ? undefined : rewrite(text, scan.changes)
}

function rewrite(text: string, changes: readonly Change[]): Lines {
  const parts: string[] = []
  // Where each unchanged part begins in the result and in the original, and where it ends in the original.
  const inner: number[] = []
  const outer: number[] = []
  const ends: number[] = []
  let from = 0
  let length = 0
  for (const { at, drop, add } of [...changes, { at: text.length, drop: 0, add: '' }]) {
    inner.push(length)
    outer.push(from)
    ends.push(at)
    parts.push(text.slice(from, at), add)
    length += at - from + add.length
    from = at + drop
  }
  const toOuter = (offset: number) => {
    const part = lastAtMost(inner, offset)
    return Math.min((outer[part] ?? 0) + offset - (inner[part] ?? 0), ends[part] ?? text.length)
  }
  return { text: parts.join(''), toOuter }
}

/** Reads from the begin of a line to the begin of one behind it. */
function readLine(scan: Scan): void {
  const { text } = scan
  const start = scan.at
  scan.at = skip(text, start, / */y)
  scan.parent = scan.at - start - 1
  while (scan.at < text.length && text[scan.at] !== '\n') {
    scan.at = skip(text, scan.at, /[ \t\r]*/y)
    const from = scan.at
    const kind = tokenAt(scan, start)
    if (kind === 'key' || kind === 'dash') scan.parent = from - start
    else if (kind === 'end') scan.at = endOfLine(text, scan.at)
    if (kind === 'block') {
      skipBlock(scan)
      return
    }
  }
  scan.at++
}

/** Reads one token. `block`: the header of a block scalar; `end`: nothing of interest follows on the line. */
function tokenAt(scan: Scan, line: number): 'key' | 'dash' | 'property' | 'block' | 'end' {
  const { text, at } = scan
  const char = text[at] ?? ''
  if (/[-?]/.test(char) && /^[ \t\r\n]?$/.test(text[at + 1] ?? '')) {
    scan.at++
    return 'dash'
  }
  if (char === '&' || char === '!') {
    scan.at = skip(text, at, /[^ \t\r\n]+/y)
    return 'property'
  }
  if ((char === '|' || char === '>') && skip(text, at, /[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?(?=\n|$)/y) > at)
    return 'block'
  if (char === '*' && spaceAlias(scan)) return 'key'
  if (char === '"' || char === "'") readQuoted(scan)
  else if (char === '[' || char === '{') readFlow(scan)
  else if (char === '#' && (at === line || /[ \t]/.test(text[at - 1] ?? ''))) return 'end'
  else scan.at = skip(text, at, /(?:[^:#\n]|:(?![ \t\r\n]|$)|(?<![ \t])#)*/y)
  const colon = skip(text, scan.at, /[ \t]*:(?=[ \t\r\n]|$)/y)
  if (colon === scan.at) return 'end'
  scan.at = colon
  return 'key'
}

/** Separates an alias from the colon behind it, which is a part of its name otherwise. */
function spaceAlias(scan: Scan): boolean {
  const name = skip(scan.text, scan.at, /\*[\w-]+(?=:(?:[ \t\r\n]|$))/y)
  if (name === scan.at) return false
  scan.changes.push({ at: name, drop: 0, add: ' ' })
  scan.at = name + 1
  return true
}

function readQuoted(scan: Scan): void {
  const { text } = scan
  const quote = text[scan.at++]
  while (scan.at < text.length) {
    const char = text[scan.at++]
    if (char === '\n') indent(scan)
    else if (char === quote) {
      if (quote === '"' || text[scan.at] !== quote) return
      scan.at++
    } else if (char === '\\' && quote === '"') {
      if (text[scan.at] === "'") scan.changes.push({ at: scan.at, drop: 1, add: 'x27' })
      if (text[scan.at] !== '\n') scan.at++
    }
  }
}

function readFlow(scan: Scan): void {
  const { text } = scan
  let depth = 0
  while (scan.at < text.length) {
    const char = text[scan.at] ?? ''
    const begins = /[\s,[{:]/.test(text[scan.at - 1] ?? '')
    if ((char === '"' || char === "'") && begins) {
      readQuoted(scan)
      continue
    }
    if (char === '*' && begins && spaceAlias(scan)) continue
    scan.at = char === '#' && begins ? endOfLine(text, scan.at) : scan.at + 1
    if (char === '\n') indent(scan)
    else if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth <= 0) return
  }
}

/** Indents a line inside a value below its parent. Blank lines have a meaning in strings and stay. */
function indent({ text, changes, at, parent }: Scan): void {
  const end = skip(text, at, / */y)
  if ((end - at > parent && text[end] !== '\t') || /[\r\n]/.test(text[skip(text, end, /[ \t]*/y)] ?? '\n')) return
  changes.push({ at, drop: 0, add: ' '.repeat(parent + 1 || 1) })
}

function skipBlock(scan: Scan): void {
  const { text, parent } = scan
  for (scan.at = endOfLine(text, scan.at) + 1; scan.at < text.length; scan.at = endOfLine(text, scan.at) + 1) {
    const end = skip(text, scan.at, / */y)
    if (end - scan.at <= parent && !/[\r\n]/.test(text[end] ?? '\n')) return
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Returns the end of a sticky pattern's match. */
function skip(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}
