// Parses an expression of a tag. The order of the functions is that of the operators, from the weakest to the strongest.
import type { Token } from './lex.ts'
import { TemplateRefused } from './refused.ts'
import type { Arguments, Expression, Operator } from './tree.ts'

const depthMax = 60

/** The tokens of one tag, and how far they are read. */
export type Reader = { readonly tokens: readonly Token[]; at: number; depth: number }

export function next({ tokens, at }: Reader): Token {
  return tokens[at] ?? { is: 'end', text: '', line: tokens.at(-1)?.line ?? 1 }
}

export function take(reader: Reader): Token {
  const token = next(reader)
  reader.at += 1
  return token
}

/** Takes the next token if it is this word or operator. */
export function accept(reader: Reader, text: string): boolean {
  const token = next(reader)
  if ((token.is !== 'name' && token.is !== 'operator') || token.text !== text) return false
  reader.at += 1
  return true
}

export function expect(reader: Reader, text: string): void {
  if (!accept(reader, text)) throw unexpected(next(reader), text)
}

export function unexpected({ is, text, line }: Token, wanted: string): TemplateRefused {
  const found = is === 'end' ? 'the end of the tag' : `"${text.slice(0, 40)}"`
  return new TemplateRefused(`expected ${wanted}, found ${found}`, line)
}

export function parseExpression(reader: Reader): Expression {
  reader.depth += 1
  if (reader.depth > depthMax) {
    throw new TemplateRefused(`an expression has more than ${depthMax} levels`, next(reader).line)
  }
  const expression = parseConditional(reader)
  reader.depth -= 1
  return expression
}

/** Parses without a trailing `if`, which in a loop belongs to the loop. */
export function parseWithoutIf(reader: Reader): Expression {
  return parseOr(reader)
}

function parseConditional(reader: Reader): Expression {
  const then = parseOr(reader)
  const { line } = next(reader)
  if (!accept(reader, 'if')) return then
  const condition = parseOr(reader)
  const otherwise = accept(reader, 'else') ? parseExpression(reader) : undefined
  return { is: 'if', condition, then, otherwise, line }
}

type Level = (reader: Reader) => Expression

function parseOr(reader: Reader): Expression {
  return parseLeft(reader, ['or'], (inner) => parseLeft(inner, ['and'], parseNot))
}

function parseLeft(reader: Reader, operators: readonly Operator[], level: Level): Expression {
  let left = level(reader)
  for (;;) {
    const { line } = next(reader)
    const operator = operators.find((candidate) => accept(reader, candidate))
    if (operator === undefined) return left
    left = { is: 'binary', operator, left, right: level(reader), line }
  }
}

function parseNot(reader: Reader): Expression {
  const { line } = next(reader)
  if (!accept(reader, 'not')) return parseComparison(reader)
  reader.depth += 1
  if (reader.depth > depthMax) throw new TemplateRefused(`an expression has more than ${depthMax} levels`, line)
  const of = parseNot(reader)
  reader.depth -= 1
  return { is: 'not', of, line }
}

const comparisons: readonly Operator[] = ['==', '!=', '<=', '>=', '<', '>', 'in']

function parseComparison(reader: Reader): Expression {
  const left = parseSum(reader)
  const { line } = next(reader)
  const negated = next(reader).text === 'not' && reader.tokens[reader.at + 1]?.text === 'in' && accept(reader, 'not')
  const operator = comparisons.find((candidate) => accept(reader, candidate))
  if (operator === undefined) return left
  const compared: Expression = { is: 'binary', operator, left, right: parseSum(reader), line }
  if (comparisons.includes(next(reader).text as Operator) && next(reader).is !== 'end') {
    throw new TemplateRefused('a chain of comparisons is not supported', line)
  }
  return negated ? { is: 'not', of: compared, line } : compared
}

function parseSum(reader: Reader): Expression {
  return parseLeft(reader, ['+', '-'], (inner) =>
    parseLeft(inner, ['~'], (deeper) => parseLeft(deeper, ['*', '//', '/', '%'], parseUnary)),
  )
}

function parseUnary(reader: Reader): Expression {
  const { line } = next(reader)
  const negative = accept(reader, '-')
  const value = parsePrimary(reader)
  return parseFilters(reader, negative ? { is: 'minus', of: value, line } : value)
}

function parsePrimary(reader: Reader): Expression {
  return parsePostfix(reader, parseAtom(reader))
}

function parsePostfix(reader: Reader, atom: Expression): Expression {
  let of = atom
  for (;;) {
    const { line } = next(reader)
    if (accept(reader, '.')) of = { is: 'member', of, name: takeName(reader), line }
    else if (accept(reader, '[')) of = parseItem(reader, of, line)
    else if (accept(reader, '(')) of = { is: 'call', of, given: parseArguments(reader), line }
    else return of
  }
}

function parseFilters(reader: Reader, value: Expression): Expression {
  let of = value
  for (;;) {
    const { line } = next(reader)
    if (accept(reader, '|')) {
      const name = takeName(reader)
      const given = accept(reader, '(') ? parseArguments(reader) : noArguments
      of = { is: 'filter', of, name, given, line }
    } else if (accept(reader, 'is')) of = parseTest(reader, of, line)
    else return of
  }
}

const noArguments: Arguments = { positional: [], named: new Map() }

function parseTest(reader: Reader, of: Expression, line: number): Expression {
  const negated = accept(reader, 'not')
  const test: Expression = { is: 'test', of, name: takeName(reader), line }
  if (next(reader).text === '(') throw new TemplateRefused(`the test ${test.name} takes no argument here`, line)
  return negated ? { is: 'not', of: test, line } : test
}

function parseItem(reader: Reader, of: Expression, line: number): Expression {
  const from = next(reader).text === ':' ? undefined : parseExpression(reader)
  if (accept(reader, ':')) {
    const to = next(reader).text === ']' ? undefined : parseExpression(reader)
    expect(reader, ']')
    return { is: 'slice', of, from, to, line }
  }
  expect(reader, ']')
  if (!from) throw unexpected(next(reader), 'a key')
  return { is: 'item', of, key: from, line }
}

function parseArguments(reader: Reader): Arguments {
  const positional: Expression[] = []
  const named = new Map<string, Expression>()
  while (!accept(reader, ')')) {
    const token = next(reader)
    if (token.is === 'name' && reader.tokens[reader.at + 1]?.text === '=') {
      reader.at += 2
      named.set(token.text, parseExpression(reader))
    } else positional.push(parseExpression(reader))
    if (!accept(reader, ',') && next(reader).text !== ')') throw unexpected(next(reader), 'a comma or )')
  }
  return { positional, named }
}

function takeName(reader: Reader): string {
  const token = take(reader)
  if (token.is !== 'name') throw unexpected(token, 'a name')
  return token.text
}

const words: Readonly<Record<string, null | boolean>> = {
  none: null,
  None: null,
  true: true,
  True: true,
  false: false,
  False: false,
}

function parseAtom(reader: Reader): Expression {
  const token = take(reader)
  const { is, text, line } = token
  if (is === 'integer') return { is: 'constant', value: BigInt(text.replace(/_/g, '')), line }
  if (is === 'float') return { is: 'constant', value: Number(text.replace(/_/g, '')), line }
  if (is === 'string') return { is: 'constant', value: parseStrings(reader, text), line }
  if (is === 'name' && Object.hasOwn(words, text)) return { is: 'constant', value: words[text] ?? null, line }
  if (is === 'name') return { is: 'name', name: text, line }
  if (is === 'operator' && text === '(') return parseGroup(reader, line)
  if (is === 'operator' && text === '[') return { is: 'list', items: parseItems(reader, ']'), line }
  if (is === 'operator' && text === '{') return { is: 'map', entries: parseEntries(reader), line }
  throw unexpected(token, 'a value')
}

function parseGroup(reader: Reader, line: number): Expression {
  const inner = parseExpression(reader)
  if (accept(reader, ')')) return inner
  expect(reader, ',')
  return { is: 'list', items: [inner, ...parseItems(reader, ')')], line }
}

function parseItems(reader: Reader, end: string): readonly Expression[] {
  const items: Expression[] = []
  while (!accept(reader, end)) {
    items.push(parseExpression(reader))
    if (!accept(reader, ',') && next(reader).text !== end) throw unexpected(next(reader), `a comma or ${end}`)
  }
  return items
}

function parseEntries(reader: Reader): readonly (readonly [Expression, Expression])[] {
  const entries: (readonly [Expression, Expression])[] = []
  while (!accept(reader, '}')) {
    const key = parseExpression(reader)
    expect(reader, ':')
    entries.push([key, parseExpression(reader)])
    if (!accept(reader, ',') && next(reader).text !== '}') throw unexpected(next(reader), 'a comma or }')
  }
  return entries
}

/** Adjacent texts are one text. */
function parseStrings(reader: Reader, first: string): string {
  let text = textOfLiteral(first)
  while (next(reader).is === 'string') text += textOfLiteral(take(reader).text)
  return text
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' }

function textOfLiteral(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g, (_all, hex, unicode, letter: string) => {
      if (hex !== undefined || unicode !== undefined) return String.fromCharCode(Number.parseInt(hex ?? unicode, 16))
      return escapes[letter] ?? (/[\\'"]/.test(letter) ? letter : `\\${letter}`)
    })
}
