// The string and regular-expression functions of Kubernetes' rules.
import type { Environment } from '@marcbachmann/cel-js'
import { type Pattern, PatternError, readPattern } from '../pattern.ts'

/** The name under which rules call `matches`: the function of that name in the library does not match in linear time. */
export const linearMatches = 'linearMatches'

export function addStringFunctions(environment: Environment): void {
  environment
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, count: bigint) => replaceSome(text, from, to, count),
    )
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => charAt(text, Number(index)))
    .registerFunction(`string.${linearMatches}(string): bool`, (text: string, pattern: string) =>
      patternOf(pattern, '').test(text),
    )
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern, Number.POSITIVE_INFINITY),
    )
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, count: bigint) =>
      findAll(text, pattern, count < 0n ? Number.POSITIVE_INFINITY : Number(count)),
    )
}

function replaceSome(text: string, from: string, to: string, count: bigint): string {
  let left = count
  return text.replaceAll(from, (found) => (left-- > 0n || count < 0n ? to : found))
}

function charAt(text: string, index: number): string {
  const points = [...text]
  if (index < 0 || index > points.length) throw new Error(`index out of range: ${index}`)
  return points[index] ?? ''
}

function findAll(text: string, pattern: string, most: number): readonly string[] {
  return patternOf(pattern, 'Illegal regex: ').findAll(text, most)
}

/** @param prefix what Kubernetes says before Go's own message */
function patternOf(source: string, prefix: string): Pattern {
  try {
    return readPattern(source)
  } catch (error) {
    throw error instanceof PatternError ? new Error(`${prefix}${error.message}`) : error
  }
}
