// Evaluates an expression. Values are texts, numbers, lists and maps of this program alone, so no expression reaches JavaScript's objects.
import { isMapping, type Value } from '../yaml/value.ts'
import { arithmetic } from './arithmetic.ts'
import type { Bounds } from './bounds.ts'
import { applyFilter } from './filters.ts'
import { callMethod, isMethod, listOf } from './members.ts'
import { TemplateRefused } from './refused.ts'
import { areEqual, found, isNumber, isTrue, isUndefined, type Result, textOf } from './result.ts'
import type { Arguments, Expression } from './tree.ts'

/** The variables at one place of the template. */
export type Scope = { readonly get: (name: string) => Result | undefined; readonly bounds: Bounds }

type Of<Kind extends Expression['is']> = Extract<Expression, { readonly is: Kind }>

export function evaluate(expression: Expression, scope: Scope): Result {
  scope.bounds.step(expression.line)
  const inner = (one: Expression) => evaluate(one, scope)
  switch (expression.is) {
    case 'constant':
      return expression.value
    case 'name':
      return found(scope.get(expression.name), expression.name)
    case 'list':
      return expression.items.map((item) => definedValue(inner(item), item.line))
    case 'map':
      return new Map(
        expression.entries.map(([key, value]) => [textOf(inner(key)), definedValue(inner(value), value.line)]),
      )
    case 'member':
      return member(inner(expression.of), expression.name, expression.line)
    case 'item':
      return item(inner(expression.of), inner(expression.key), expression.line)
    case 'slice':
      return slice(expression, scope)
    case 'call':
      return call(expression, scope)
    case 'filter': {
      const { name, line, given } = expression
      const value = inner(expression.of)
      return applyFilter(name, { value, line, bounds: scope.bounds, given: argumentsOf(given, scope) })
    }
    case 'test':
      return test(inner(expression.of), expression.name, expression.line)
    case 'not':
      return !isTrue(inner(expression.of))
    case 'minus':
      return arithmetic('-', 0n, inner(expression.of), { line: expression.line, bounds: scope.bounds })
    case 'binary':
      return binary(expression, scope)
    case 'if': {
      if (isTrue(inner(expression.condition))) return inner(expression.then)
      return expression.otherwise ? inner(expression.otherwise) : { undefined: 'the value of an if without else' }
    }
  }
}

/** A list or map cannot hold an undefined value here, though it can in Python. */
export function definedValue(result: Result, line: number): Value {
  if (isUndefined(result)) throw new TemplateRefused(`${result.undefined} is undefined`, line)
  return result
}

function member(of: Result, name: string, line: number): Result {
  if (isUndefined(of)) throw new TemplateRefused(`${of.undefined} is undefined, so it has no ${name}`, line)
  if (name.startsWith('_')) throw new TemplateRefused(`the member ${name} is not supported`, line)
  if (isMethod(of, name)) throw new TemplateRefused(`the method ${name} is not called: write ${name}()`, line)
  return found(isMapping(of) ? of.get(name) : undefined, name)
}

function item(of: Result, key: Result, line: number): Result {
  if (isUndefined(of)) throw new TemplateRefused(`${of.undefined} is undefined, so it has no items`, line)
  if (isMapping(of)) return found(of.get(textOf(key)), textOf(key))
  const list = typeof of === 'string' ? [...of] : of
  if (Array.isArray(list) && typeof key === 'bigint') {
    return found(list.at(Number(key)), `the item ${key}`)
  }
  return { undefined: textOf(key) }
}

function slice({ of, from, to, line }: Of<'slice'>, scope: Scope): Result {
  const value = evaluate(of, scope)
  const bound = (one: Expression | undefined) => {
    const result = one && evaluate(one, scope)
    if (result === undefined || result === null) return undefined
    if (typeof result === 'bigint') return Number(result)
    throw new TemplateRefused('the bound of a slice is not a number', line)
  }
  if (typeof value === 'string') return [...value].slice(bound(from), bound(to)).join('')
  if (Array.isArray(value)) return value.slice(bound(from), bound(to))
  throw new TemplateRefused('only a text or a list has slices', line)
}

function call({ of, given, line }: Of<'call'>, scope: Scope): Result {
  if (given.named.size > 0) throw new TemplateRefused('a call with named arguments is not supported', line)
  const positional = given.positional.map((one) => evaluate(one, scope))
  if (of.is === 'member') {
    return callMethod(evaluate(of.of, scope), of.name, { positional, line, bounds: scope.bounds })
  }
  if (of.is === 'name' && of.name === 'range') return range(positional, line, scope.bounds)
  const name = of.is === 'name' ? of.name : 'this value'
  throw new TemplateRefused(`${name} cannot be called`, line)
}

function range(bounds: readonly Result[], line: number, limits: Bounds): Result {
  const numbers = bounds.map((bound) => (typeof bound === 'bigint' ? Number(bound) : Number.NaN))
  const [from = 0, to = 0, step = 1] = numbers.length === 1 ? [0, ...numbers] : numbers
  const size = Math.max(0, Math.ceil((to - from) / step))
  if (!Number.isFinite(size)) throw new TemplateRefused('range needs whole numbers', line)
  limits.size(size, line)
  return Array.from({ length: size }, (_, index) => BigInt(from + index * step))
}

function argumentsOf({ positional, named }: Arguments, scope: Scope) {
  return (index: number, name: string): Result | undefined => {
    const one = positional[index] ?? named.get(name)
    return one && evaluate(one, scope)
  }
}

const tests: Readonly<Record<string, (value: Result) => boolean>> = {
  defined: (value) => !isUndefined(value),
  undefined: isUndefined,
  none: (value) => value === null,
  string: (value) => typeof value === 'string',
  number: isNumber,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  mapping: isMapping,
  sequence: (value) => typeof value === 'string' || Array.isArray(value) || isMapping(value),
  iterable: (value) => typeof value === 'string' || Array.isArray(value) || isMapping(value) || isUndefined(value),
}

function test(value: Result, name: string, line: number): boolean {
  const known = Object.hasOwn(tests, name) ? tests[name] : undefined
  if (!known)
    throw new TemplateRefused(`the test ${name} is not supported, only ${Object.keys(tests).join(', ')}`, line)
  return known(value)
}

function binary({ operator, left, right, line }: Of<'binary'>, scope: Scope): Result {
  const one = evaluate(left, scope)
  if (operator === 'or') return isTrue(one) ? one : evaluate(right, scope)
  if (operator === 'and') return isTrue(one) ? evaluate(right, scope) : one
  const other = evaluate(right, scope)
  if (operator === '==') return areEqual(one, other)
  if (operator === '!=') return !areEqual(one, other)
  if (operator === 'in') return isIn(one, other, line)
  return arithmetic(operator, one, other, { line, bounds: scope.bounds })
}

function isIn(value: Result, container: Result, line: number): boolean {
  if (typeof container === 'string') return container.includes(textOf(value))
  if (isMapping(container)) return container.has(textOf(value))
  return listOf(container, line).some((one) => areEqual(one, value))
}
