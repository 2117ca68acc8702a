// Splits a job template into text and tags, as Jinja2 does with the variable delimiters `<%` and `%>`.
import { TemplateRefused } from './refused.ts'

export type Token = {
  readonly is: 'name' | 'string' | 'integer' | 'float' | 'operator' | 'end'
  readonly text: string
  readonly line: number
}

export type Piece =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'output' | 'block'; readonly tokens: readonly Token[]; readonly line: number }

const opening = /\{#|\{%|<%/g
const raw = /^\{%[-+]?\s*raw\s*(-?)%\}/
const endRaw = /\{%([-+]?)\s*endraw\s*(-?)%\}/

type Cursor = { readonly text: string; at: number; line: number; readonly pieces: Piece[] }

/** Throws `TemplateRefused`. As in Jinja2, one line break at the end of the template is dropped. */
export function splitTemplate(template: string): readonly Piece[] {
  const text = template.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  const cursor: Cursor = { text, at: 0, line: 1, pieces: [] }
  while (cursor.at < text.length) {
    opening.lastIndex = cursor.at
    const found = opening.exec(text)
    const end = found?.index ?? text.length
    const control = text.charAt(end + 2)
    addText(cursor, end, found !== null && control === '-')
    if (found) readTag(cursor, found[0])
  }
  return cursor.pieces
}

/** @param strip whether the next tag removes the white space before it */
function addText(cursor: Cursor, end: number, strip: boolean): void {
  const text = cursor.text.slice(cursor.at, end)
  const shown = strip ? text.trimEnd() : text
  if (shown !== '') cursor.pieces.push({ is: 'text', text: shown })
  move(cursor, end)
}

function readTag(cursor: Cursor, opened: string): void {
  const block = opened === '{%'
  if (opened === '{#') skipComment(cursor)
  else if (block && raw.test(cursor.text.slice(cursor.at, cursor.at + 64))) readRaw(cursor)
  else readPiece(cursor, block)
}

function readPiece(cursor: Cursor, block: boolean): void {
  const { line } = cursor
  move(cursor, cursor.at + 2)
  if (/[-+]/.test(cursor.text.charAt(cursor.at))) move(cursor, cursor.at + 1)
  const tokens = readTokens(cursor, block ? '%}' : '%>')
  cursor.pieces.push({ is: block ? 'block' : 'output', tokens, line })
}

function skipComment(cursor: Cursor): void {
  const end = cursor.text.indexOf('#}', cursor.at + 2)
  if (end < 0) throw new TemplateRefused('a comment {# has no end #}', cursor.line)
  const strip = cursor.text.charAt(end - 1) === '-'
  move(cursor, end + 2)
  if (strip) skipSpace(cursor)
}

function readRaw(cursor: Cursor): void {
  const { line } = cursor
  const begin = raw.exec(cursor.text.slice(cursor.at, cursor.at + 64))
  move(cursor, cursor.at + (begin?.[0].length ?? 0))
  if (begin?.[1] === '-') skipSpace(cursor)
  const end = endRaw.exec(cursor.text.slice(cursor.at))
  if (!end) throw new TemplateRefused('the tag raw has no endraw', line)
  addText(cursor, cursor.at + end.index, end[1] === '-')
  move(cursor, cursor.at + end[0].length)
  if (end[2] === '-') skipSpace(cursor)
}

const skipped = /\s+/y
const words: readonly (readonly [Token['is'], RegExp])[] = [
  ['float', /\d+(?:_\d+)*(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)/y],
  ['integer', /0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+(?:_\d+)*/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['string', /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y],
  ['operator', /\/\/|\*\*|==|!=|>=|<=|[-+*/%~()[\]{}.:|,;<>=]/y],
]

/** Evaluation goes one level deeper for each word of a long chain. */
const wordsMax = 1000

/** Inside brackets, the end of a tag does not count. */
function readTokens(cursor: Cursor, end: '%}' | '%>'): readonly Token[] {
  const { line: begin } = cursor
  const tokens: Token[] = []
  let open = 0
  while (cursor.at < cursor.text.length) {
    const space = match(skipped, cursor)
    if (space) move(cursor, cursor.at + space.length)
    if (open === 0 && takeEnd(cursor, end)) return [...tokens, { is: 'end', text: end, line: cursor.line }]
    const token = readToken(cursor)
    if (token.is === 'operator') open += /[([{]/.test(token.text) ? 1 : /[)\]}]/.test(token.text) ? -1 : 0
    if (open < 0) throw new TemplateRefused(`unexpected "${token.text}"`, token.line)
    tokens.push(token)
    if (tokens.length > wordsMax) throw new TemplateRefused(`a tag has more than ${wordsMax} words`, begin)
  }
  throw new TemplateRefused(`a tag has no end ${end}`, begin)
}

function takeEnd(cursor: Cursor, end: string): boolean {
  const { text, at } = cursor
  if (text.startsWith(end, at)) {
    move(cursor, at + 2)
    return true
  }
  const control = text.charAt(at)
  const mayControl = control === '-' || (control === '+' && end === '%}')
  if (!mayControl || !text.startsWith(end, at + 1)) return false
  move(cursor, at + 3)
  if (control === '-') skipSpace(cursor)
  return true
}

function readToken(cursor: Cursor): Token {
  for (const [is, pattern] of words) {
    const text = match(pattern, cursor)
    if (text === undefined) continue
    const token = { is, text, line: cursor.line }
    move(cursor, cursor.at + text.length)
    return token
  }
  const letter = String.fromCodePoint(cursor.text.codePointAt(cursor.at) ?? 0)
  throw new TemplateRefused(`unexpected character "${letter}" in a tag`, cursor.line)
}

function match(pattern: RegExp, { text, at }: Cursor): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function skipSpace(cursor: Cursor): void {
  const space = match(skipped, cursor)
  if (space) move(cursor, cursor.at + space.length)
}

function move(cursor: Cursor, to: number): void {
  for (let at = cursor.at; at < to; at += 1) if (cursor.text.charCodeAt(at) === 10) cursor.line += 1
  cursor.at = to
}
