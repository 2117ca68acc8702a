// Finds the mutants of a source file: each changes one condition.
import { lineAt, type Source } from '../tidy/source.ts'
import { conditionBefore, operandAfter, type Span, topLevel, within } from './spans.ts'

export type Mutant = {
  /** The path from the repository's root. */
  readonly path: string
  readonly line: number
  /** The line before and after the mutation. */
  readonly before: string
  readonly after: string
  /** The whole text of the mutated file. */
  readonly text: string
}

type Edit = Span & { readonly after: string }

/** An operator, and what each of its mutants has in its place. The formatter puts spaces around operators, but not around the brackets of types. */
const operators: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['>=', '<='],
  '<=': ['>', '<'],
  '>': ['<=', '>='],
  '>=': ['<', '>'],
  '&&': ['||'],
  '||': ['&&'],
  '||=': ['&&='],
  '&&=': ['||='],
}

/** Calls that decide as an operator does. */
const calls: readonly (readonly [string, string])[] = [
  ['Math.min(', 'Math.max('],
  ['Math.max(', 'Math.min('],
  ['.some(', '.every('],
  ['.every(', '.some('],
]

const comparison = /\s(?:===|!==|<=|>=|<|>)\s/g

/** Returns the mutants of a file, in the order of its lines. */
export function findMutants(source: Source): Mutant[] {
  const { path, text, code } = source
  const edits = [
    ...operatorEdits(source),
    ...callEdits(code),
    ...notEdits(code),
    ...ifEdits(source),
    ...ternaryEdits(source),
    ...defaultEdits(source),
    ...caseEdits(code),
  ].sort((left, right) => left.start - right.start)
  return edits.map(({ start, end, after }) => {
    const mutated = text.slice(0, start) + after + text.slice(end)
    return {
      path,
      line: lineAt(text, start),
      before: lineOf(text, start, end),
      after: lineOf(mutated, start, start + after.length),
      text: mutated,
    }
  })
}

function operatorEdits({ text, code }: Source): Edit[] {
  return [...code.matchAll(/(?<=\s)(?:[=!]==|[<>]=?|&&=?|\|\|=?)(?=\s)/g)].flatMap(({ index, 0: operator }) => {
    // An operator may end a line but never begins one: there, and next to a string, `>` closes the arguments of a type.
    if (!/\S[^\S\n]$/.test(text.slice(0, index))) return []
    return (operators[operator] ?? []).map((after) => ({ start: index, end: index + operator.length, after }))
  })
}

function callEdits(code: string): Edit[] {
  return calls.flatMap(([before, after]) =>
    indexesOf(code, before).map((start) => ({ start, end: start + before.length, after })),
  )
}

/** `!ready` becomes `ready`. */
function notEdits(code: string): Edit[] {
  return [...code.matchAll(/(?<![\w)\]])!(?!=)/g)].map(({ index }) => ({ start: index, end: index + 1, after: '' }))
}

/** `if (a && b)` becomes `if (!(a && b))`. */
function ifEdits({ text, code }: Source): Edit[] {
  return [...code.matchAll(/\bif \(/g)].flatMap(({ index, 0: { length } }) =>
    negate(text, code, within(code, index + length - 1)),
  )
}

function ternaryEdits({ text, code }: Source): Edit[] {
  return [...code.matchAll(/(?<=\s)\?(?=\s)/g)].flatMap(({ index }) =>
    negate(text, code, conditionBefore(text, code, index)),
  )
}

/** Negates a condition, unless its one operator is mutated to the same effect. */
function negate(text: string, code: string, span: Span): Edit[] {
  const top = ` ${topLevel(code, span)} `
  const logical = /\s(?:&&|\|\||\?\?|\?)\s/.test(top)
  const negated = !logical && ((top.match(comparison) ?? []).length === 1 || top.startsWith(' !'))
  if (negated || /\bextends\b/.test(top)) return []
  return [{ ...span, after: `!(${text.slice(span.start, span.end)})` }]
}

/** `a ?? b` becomes `a`. */
function defaultEdits({ text, code }: Source): Edit[] {
  return [...code.matchAll(/\s+\?\?(?=\s)/g)].map(({ index, 0: { length } }) => {
    const { end } = operandAfter(text, code, index + length)
    return { start: index, end, after: '' }
  })
}

/** A `case` that never matches. */
function caseEdits(code: string): Edit[] {
  return [...code.matchAll(/(?<=^\s*case )[^:]+(?=:)/gm)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
    after: 'null',
  }))
}

/** Returns the lines around a change, on one line. */
function lineOf(text: string, start: number, end: number): string {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const to = text.indexOf('\n', Math.max(start, end))
  return text
    .slice(from, to < 0 ? text.length : to)
    .replace(/\s+/g, ' ')
    .trim()
}

function indexesOf(code: string, word: string): number[] {
  const found: number[] = []
  for (let at = code.indexOf(word); at >= 0; at = code.indexOf(word, at + 1)) found.push(at)
  return found
}
