// The operators on numbers and texts, as Python has them.
import type { Bounds } from './bounds.ts'
import { TemplateRefused } from './refused.ts'
import { isNumber, type Result, textOf } from './result.ts'
import type { Operator } from './tree.ts'

type Place = { readonly line: number; readonly bounds: Bounds }
type Binary = Exclude<Operator, 'or' | 'and' | 'in' | '==' | '!='>

export function arithmetic(operator: Binary, left: Result, right: Result, { line, bounds }: Place): Result {
  if (operator === '~') return bounds.text(textOf(left) + textOf(right), line)
  if (typeof left === 'string' && typeof right === 'string') {
    if (operator === '+') return bounds.text(left + right, line)
    const compared = compare(operator, left < right ? -1 : left > right ? 1 : 0)
    if (compared !== undefined) return compared
  }
  if (!isNumber(left) || !isNumber(right)) {
    throw new TemplateRefused(`the operator ${operator} does not fit these values`, line)
  }
  const compared = compare(operator, Number(left) - Number(right))
  if (compared !== undefined) return compared
  const whole = typeof left !== 'number' && typeof right !== 'number'
  const result =
    whole && operator !== '/'
      ? integers(operator, BigInt(left), BigInt(right))
      : floats(operator, Number(left), Number(right))
  if (result === undefined || (typeof result === 'bigint' && result.toString(16).length > 400)) {
    throw new TemplateRefused(`the operator ${operator} has no result for these numbers`, line)
  }
  return result
}

function compare(operator: Binary, order: number): boolean | undefined {
  if (operator === '<') return order < 0
  if (operator === '>') return order > 0
  if (operator === '<=') return order <= 0
  return operator === '>=' ? order >= 0 : undefined
}

/** Division rounds down, so that the remainder has the sign of the divisor. */
function integers(operator: Binary, one: bigint, other: bigint): bigint | undefined {
  if (operator === '+') return one + other
  if (operator === '-') return one - other
  if (operator === '*') return one * other
  if (other === 0n) return undefined
  const rest = ((one % other) + other) % other
  return operator === '%' ? rest : (one - rest) / other
}

function floats(operator: Binary, one: number, other: number): number | undefined {
  if (operator === '+') return one + other
  if (operator === '-') return one - other
  if (operator === '*') return one * other
  if (other === 0) return undefined
  if (operator === '/') return one / other
  const quotient = Math.floor(one / other)
  return operator === '//' ? quotient : one - quotient * other
}
