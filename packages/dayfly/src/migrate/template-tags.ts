// Splits a template into the tokens of the Jinja library, with `<%` and `%>` around expressions. The library knows neither these
// delimiters nor the line of a tag, so each tag follows a comment token with its line.
import { type Token, tokenize } from '@huggingface/jinja'
import { lettersMax, TemplateRefused } from './template-bounds.ts'

export type PlacedToken = Token & { readonly line: number }

/** The function around each expression that a tag prints. No template can write this name. */
export const printName = '(print)'

/** Far above any tag that people write. The interpreter goes one level deeper for each word of a chain. */
const wordsMax = 500
const tagLettersMax = 4096
const openMax = 50

const opening = /\{#|\{%|<%/g
const inside = String.raw`(?<body>(?:'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[^'"])*?)`
const tags: Readonly<Record<string, RegExp>> = {
  '{#': /\{#(?<body>[\s\S]*?)(?<control>[-+]?)#\}/y,
  '{%': new RegExp(String.raw`\{%[-+]?${inside}(?<control>[-+]?)%\}`, 'y'),
  '<%': new RegExp(`<%[-+]?${inside}(?<control>-?)%>`, 'y'),
}
const raw = /\{%[-+]?\s*raw\s*(?<lead>-?)%\}(?<text>[\s\S]*?)\{%(?<strip>[-+]?)\s*endraw\s*(?<control>[-+]?)%\}/y

/** The words that may divide or end an open tag. */
const endings: Readonly<Record<string, readonly string[]>> = {
  if: ['elif', 'else', 'endif'],
  for: ['else', 'endfor'],
  set: ['endset'],
}

type Open = { readonly name: string; readonly line: number; hasElse: boolean }
type Reading = { readonly tokens: PlacedToken[]; readonly open: Open[]; at: number; line: number }

/** Throws `TemplateRefused`. As in Jinja2, one line break at the end of the template is dropped. */
export function readTags(template: string): readonly PlacedToken[] {
  const text = template.replace(/\r\n?/g, '\n').replace(/\n$/, '')
  if (text.length > lettersMax) throw new TemplateRefused(`it has more than ${lettersMax} characters`, 1)
  const reading: Reading = { tokens: [], open: [], at: 0, line: 1 }
  for (;;) {
    opening.lastIndex = reading.at
    const found = opening.exec(text)
    const before = text.slice(reading.at, found?.index)
    addText(reading, found && text.charAt(found.index + 2) === '-' ? before.trimEnd() : before)
    move(reading, before)
    if (!found) break
    readTag(reading, text, found[0])
  }
  const left = reading.open.at(-1)
  if (left) throw new TemplateRefused(`the tag ${left.name} has no end${left.name}`, left.line)
  return reading.tokens
}

function addText({ tokens, line }: Reading, value: string): void {
  if (value !== '') tokens.push({ type: 'Text', value, line })
}

function readTag(reading: Reading, text: string, opened: string): void {
  const found = match(raw, text, reading.at) ?? match(tags[opened], text, reading.at)
  if (!found?.groups)
    throw new TemplateRefused(`a tag has no end ${opened.charAt(1)}${opened === '<%' ? '>' : '}'}`, reading.line)
  const { body = '', lead, text: verbatim, strip, control } = found.groups
  if (verbatim !== undefined) {
    const led = lead === '-' ? verbatim.trimStart() : verbatim
    addText(reading, strip === '-' ? led.trimEnd() : led)
  } else if (opened !== '{#') addTag(reading, body, opened === '{%')
  move(reading, found[0])
  if (control === '-') move(reading, match(/\s*/y, text, reading.at)?.[0] ?? '')
}

function addTag({ tokens, open, line }: Reading, body: string, isBlock: boolean): void {
  const [first, ...rest] = tokensOf(body, isBlock, line)
  const last = rest.pop()
  if (isBlock) follow(open, rest, line)
  const parts = [...'(('].map((value) => ({ type: 'OpenParen', value }))
  const closed = [...'))'].map((value) => ({ type: 'CloseParen', value }))
  const words = isBlock ? rest : [{ type: 'Identifier', value: printName }, ...parts, ...rest, ...closed]
  for (const token of [{ type: 'Comment', value: String(line) }, first, ...words, last]) {
    if (token) tokens.push({ ...token, line })
  }
}

/** Returns the tokens of one tag, with those of its delimiters. */
function tokensOf(body: string, isBlock: boolean, line: number): readonly Token[] {
  if (body.length > tagLettersMax) throw new TemplateRefused(`a tag has more than ${tagLettersMax} characters`, line)
  const tokens = tokenized(isBlock ? `{% ${body} %}` : `{{ ${body} }}`, line)
  if (tokens.length > wordsMax) throw new TemplateRefused(`a tag has more than ${wordsMax} words`, line)
  const stranger = tokens
    .slice(1, -1)
    .find(({ type }) => /^(?:Text|Comment|(?:Open|Close)(?:Statement|Expression))$/.test(type))
  if (stranger) throw new TemplateRefused(`unexpected "${stranger.value.trim().slice(0, 40)}" in a tag`, line)
  return tokens
}

function tokenized(tag: string, line: number): readonly Token[] {
  try {
    return tokenize(tag)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new TemplateRefused(`a tag cannot be read: ${error.message}`, line)
  }
}

/** Follows which tags are open: the parser of the library names no line for a tag without its end. */
function follow(open: Open[], [first, ...rest]: readonly Token[], line: number): void {
  const name = first?.value ?? ''
  const last = open.at(-1)
  if (name === 'set' && rest.some(({ type }) => type === 'Equals')) return
  if (Object.hasOwn(endings, name)) {
    if (open.length >= openMax) throw new TemplateRefused(`more than ${openMax} tags are open`, line)
    open.push({ name, line, hasElse: false })
  } else if (!Object.values(endings).flat().includes(name)) {
    const why = name === 'raw' ? 'has no endraw' : 'is not supported, only if, for, set and raw'
    throw new TemplateRefused(`the tag ${name.slice(0, 40)} ${why}`, line)
  } else if (!last || !endings[last.name]?.includes(name) || (last.hasElse && !name.startsWith('end'))) {
    const why = last ? `the tag ${last.name} of line ${last.line} is open` : 'no tag is open'
    throw new TemplateRefused(`unexpected ${name}: ${why}`, line)
  } else if (name === 'else') last.hasElse = true
  else if (name !== 'elif') open.pop()
}

function match(pattern: RegExp | undefined, text: string, at: number): RegExpExecArray | undefined {
  if (pattern) pattern.lastIndex = at
  return pattern?.exec(text) ?? undefined
}

function move(reading: Reading, text: string): void {
  reading.at += text.length
  reading.line += text.split('\n').length - 1
}
