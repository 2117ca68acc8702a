// Parses a template into statements. A tag that is not known is refused by its name.
import { type Piece, splitTemplate } from './lex.ts'
import {
  accept,
  expect,
  next,
  parseExpression,
  parseWithoutIf,
  type Reader,
  take,
  unexpected,
} from './parse-expression.ts'
import { TemplateRefused } from './refused.ts'
import type { Statement } from './tree.ts'

const depthMax = 50
const supported = 'if, for, set and raw'

type Pieces = { readonly list: readonly Piece[]; at: number; depth: number }
type Block = { readonly name: string; readonly reader: Reader; readonly line: number }

/** Throws `TemplateRefused`. */
export function parseTemplate(text: string): readonly Statement[] {
  const pieces: Pieces = { list: splitTemplate(text), at: 0, depth: 0 }
  const { body, end } = parseBody(pieces, [])
  if (end) throw new TemplateRefused(`the tag ${end.name} closes nothing`, end.line)
  return body
}

/** Reads statements up to a block with one of these names. */
function parseBody(pieces: Pieces, ends: readonly string[]): { body: readonly Statement[]; end: Block | undefined } {
  const body: Statement[] = []
  while (pieces.at < pieces.list.length) {
    const piece = pieces.list[pieces.at]
    pieces.at += 1
    if (!piece) break
    if (piece.is === 'text') body.push({ is: 'text', text: piece.text })
    else if (piece.is === 'output') body.push(parseOutput(readerOf(piece.tokens)))
    else {
      const block = blockOf(piece.tokens, piece.line)
      if (ends.includes(block.name) || /^(?:end|el)/.test(block.name)) return { body, end: block }
      body.push(parseBlock(pieces, block))
    }
  }
  return { body, end: undefined }
}

function readerOf(tokens: Reader['tokens']): Reader {
  return { tokens, at: 0, depth: 0 }
}

function parseOutput(reader: Reader): Statement {
  const value = parseExpression(reader)
  finish(reader)
  return { is: 'output', value }
}

function finish(reader: Reader): void {
  if (next(reader).is !== 'end') throw unexpected(next(reader), 'the end of the tag')
}

function blockOf(tokens: Reader['tokens'], line: number): Block {
  const reader = readerOf(tokens)
  const token = take(reader)
  if (token.is !== 'name') throw unexpected(token, 'the name of a tag')
  return { name: token.text, reader, line }
}

function parseBlock(pieces: Pieces, block: Block): Statement {
  pieces.depth += 1
  if (pieces.depth > depthMax) throw new TemplateRefused(`more than ${depthMax} tags are open`, block.line)
  const statement = parseNamed(pieces, block)
  pieces.depth -= 1
  return statement
}

function parseNamed(pieces: Pieces, block: Block): Statement {
  if (block.name === 'if') return parseIf(pieces, block)
  if (block.name === 'for') return parseFor(pieces, block)
  if (block.name === 'set') return parseSet(block)
  throw new TemplateRefused(`the tag ${block.name} is not supported, only ${supported}`, block.line)
}

function parseSet({ reader }: Block): Statement {
  const name = take(reader)
  if (name.is !== 'name') throw unexpected(name, 'a name')
  expect(reader, '=')
  const value = parseExpression(reader)
  finish(reader)
  return { is: 'set', name: name.text, value }
}

function parseIf(pieces: Pieces, first: Block): Statement {
  const branches: { condition: ReturnType<typeof parseExpression>; body: readonly Statement[] }[] = []
  let block = first
  for (;;) {
    const condition = parseExpression(block.reader)
    finish(block.reader)
    const { body, end } = parseBody(pieces, ['elif', 'else', 'endif'])
    branches.push({ condition, body })
    if (end?.name === 'endif') return { is: 'if', branches, otherwise: [] }
    if (end?.name === 'else') return { is: 'if', branches, otherwise: parseRest(pieces, first, 'endif') }
    if (end?.name !== 'elif') throw unclosed(first, 'endif', end)
    block = end
  }
}

function parseRest(pieces: Pieces, opened: Block, closing: string): readonly Statement[] {
  const { body, end } = parseBody(pieces, [closing])
  if (end?.name !== closing) throw unclosed(opened, closing, end)
  return body
}

function parseFor(pieces: Pieces, block: Block): Statement {
  const { reader, line } = block
  const names: string[] = []
  do {
    const token = take(reader)
    if (token.is !== 'name') throw unexpected(token, 'the name of a variable')
    names.push(token.text)
  } while (accept(reader, ','))
  expect(reader, 'in')
  const over = parseWithoutIf(reader)
  const condition = accept(reader, 'if') ? parseExpression(reader) : undefined
  if (accept(reader, 'recursive')) throw new TemplateRefused('a recursive loop is not supported', line)
  finish(reader)
  const { body, end } = parseBody(pieces, ['else', 'endfor'])
  if (end?.name !== 'else' && end?.name !== 'endfor') throw unclosed(block, 'endfor', end)
  const otherwise = end.name === 'else' ? parseRest(pieces, block, 'endfor') : []
  return { is: 'for', names, over, condition, body, otherwise, line }
}

function unclosed({ name, line }: Block, closing: string, found: Block | undefined): TemplateRefused {
  const end = found ? `; ${found.name} in line ${found.line} comes first` : ''
  return new TemplateRefused(`the tag ${name} has no ${closing}${end}`, line)
}
