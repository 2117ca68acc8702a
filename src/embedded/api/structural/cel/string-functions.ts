// The string and regular-expression functions of Kubernetes' rules.
import type { Environment } from '@marcbachmann/cel-js'
import { readPattern } from '../string-constraints.ts'

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
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern, -1),
    )
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, count: bigint) =>
      findAll(text, pattern, Number(count)),
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

/** @param count negative for all */
function findAll(text: string, pattern: string, count: number): readonly string[] {
  const found: string[] = []
  const { source, flags } = readPattern(pattern)
  for (const match of text.matchAll(new RegExp(source, `${flags}g`))) {
    if (count >= 0 && found.length >= count) break
    found.push(match[0])
  }
  return found
}
