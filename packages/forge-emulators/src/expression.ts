// Evaluates expressions in texts (`${{ … }}`) and conditions with GitHub's own evaluator.
// The workflow reader uses it to queue jobs, the runner to run steps.
import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import { equals } from '@actions/expressions/result'
import { boundedFunctions, textMax } from './expression-bounds.ts'
import type { Template } from './job.ts'

/** The contexts and functions of an expression. Contexts are JSON values. Only `env` is case-sensitive, as on Linux. */
export type Scope = {
  readonly contexts: Readonly<Record<string, unknown>>
  readonly functions?: readonly FunctionDefinition[]
}

/** An expression that cannot be parsed or evaluated; the message names it. */
export class ExpressionFailure extends Error {
  constructor(expression: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`The expression \${{ ${expression.trim().slice(0, 200)} }} cannot be evaluated: ${why}`, { cause })
    this.name = 'ExpressionFailure'
  }
}

/** All contexts. As on GitHub, a context that the scope does not have reads as null. */
const contextNames = [
  'github',
  'env',
  'needs',
  'matrix',
  'strategy',
  'steps',
  'job',
  'runner',
  'vars',
  'secrets',
  'inputs',
]

/** Evaluates a text. If one expression is the whole text, its value keeps its type; otherwise the result is a string. Throws an `ExpressionFailure`. */
export function evaluateTemplate(template: Template, scope: Scope): unknown {
  const parts = splitTemplate(template)
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'expression') return toPlain(evaluate(only.text, scope))
  return joinParts(parts, scope)
}

/** Evaluates a text to a string. As on GitHub, null becomes empty, and a collection becomes `Object` or `Array`. */
export function evaluateText(template: Template, scope: Scope): string {
  return joinParts(splitTemplate(template), scope)
}

/** Evaluates an expression without `${{ }}` as a condition. As on GitHub, every value except false, 0, '' and null is true. */
export function evaluateCondition(expression: string, scope: Scope): boolean {
  const value = toPlain(evaluate(expression, scope))
  return Boolean(value)
}

/** Evaluates every text in a JSON value, except keys. */
export function evaluateValue(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return evaluateTemplate(value, scope)
  if (Array.isArray(value)) return value.map((item) => evaluateValue(item, scope))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, evaluateValue(item, scope)]))
}

/** GitHub's `==` on JSON values: it ignores the case of texts, `'1'` equals 1, and a collection equals no other value. */
export function equalValues(one: unknown, other: unknown): boolean {
  return equals(toData(one), toData(other))
}

/** Whether any text in a JSON value contains an expression. */
export function hasExpression(value: unknown): boolean {
  if (typeof value === 'string') return splitTemplate(value).some((part) => part.kind === 'expression')
  return typeof value === 'object' && value !== null && Object.values(value).some(hasExpression)
}

export type TemplatePart = { readonly kind: 'text' | 'expression'; readonly text: string }

/** Splits a text into plain parts and expressions. `}}` inside quotes does not end an expression. An unclosed expression is text. */
export function splitTemplate(template: Template): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let start = 0
  for (let open = template.indexOf('${{'); open >= 0; open = template.indexOf('${{', start)) {
    const close = closingOf(template, open + 3)
    if (close < 0) break
    if (open > start) parts.push({ kind: 'text', text: template.slice(start, open) })
    parts.push({ kind: 'expression', text: template.slice(open + 3, close) })
    start = close + 2
  }
  if (start < template.length || parts.length === 0) parts.push({ kind: 'text', text: template.slice(start) })
  return parts
}

/** Defines a function for expressions. Its arguments are strings, its result is a JSON value. */
export function defineFunction(
  name: string,
  arity: readonly [least: number, most: number],
  call: (...args: string[]) => unknown,
): FunctionDefinition {
  const [minArgs, maxArgs] = arity
  return { name, minArgs, maxArgs, call: (...args) => toData(call(...args.map((arg) => arg.coerceString()))) }
}

function joinParts(parts: readonly TemplatePart[], scope: Scope): string {
  let text = ''
  for (const part of parts) {
    text += part.kind === 'text' ? part.text : evaluate(part.text, scope).coerceString()
    if (text.length > textMax)
      throw new ExpressionFailure(part.text, new Error(`the text is larger than ${textMax} characters`))
  }
  return text
}

function closingOf(text: string, from: number): number {
  let quoted = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'") quoted = !quoted
    else if (!quoted && text[at] === '}' && text[at + 1] === '}') return at
  }
  return -1
}

function evaluate(expression: string, scope: Scope): data.ExpressionData {
  try {
    const functions = [...boundedFunctions, ...(scope.functions ?? [])]
    const tree = new Parser(new Lexer(expression).lex().tokens, contextNames, functions).parse()
    const byName = new Map(functions.map((definition) => [definition.name.toLowerCase(), definition]))
    return new Evaluator(tree, contextData(scope.contexts), byName).evaluate()
  } catch (error) {
    throw new ExpressionFailure(expression, error)
  }
}

function contextData(contexts: Readonly<Record<string, unknown>>): data.Dictionary {
  const root = new data.Dictionary()
  for (const name of contextNames) {
    const value = contexts[name]
    root.add(name, name === 'env' ? new CaseSensitiveDictionary(value) : toData(value))
  }
  return root
}

/** A case-sensitive dictionary for `env`. On Linux, `Path` and `PATH` are two variables. */
class CaseSensitiveDictionary extends data.Dictionary {
  private readonly entries: ReadonlyMap<string, data.ExpressionData>

  constructor(value: unknown) {
    super()
    this.entries = new Map(Object.entries(value ?? {}).map(([key, item]) => [key, toData(item)]))
  }

  override get(key: string): data.ExpressionData | undefined {
    return this.entries.get(key)
  }

  override values(): data.ExpressionData[] {
    return [...this.entries.values()]
  }

  override pairs(): { key: string; value: data.ExpressionData }[] {
    return [...this.entries].map(([key, value]) => ({ key, value }))
  }
}

function toData(value: unknown): data.ExpressionData {
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (Array.isArray(value)) {
    const array = new data.Array()
    for (const item of value) array.add(toData(item))
    return array
  }
  if (typeof value !== 'object' || value === null) return new data.Null()
  const dictionary = new data.Dictionary()
  for (const [key, item] of Object.entries(value)) dictionary.add(key, toData(item))
  return dictionary
}

function toPlain(value: data.ExpressionData): unknown {
  if (value instanceof data.Array) return value.values().map(toPlain)
  if (value instanceof data.Dictionary) {
    return Object.fromEntries(value.pairs().map((pair) => [pair.key, toPlain(pair.value)]))
  }
  if (value instanceof data.Null) return null
  return value.value
}
