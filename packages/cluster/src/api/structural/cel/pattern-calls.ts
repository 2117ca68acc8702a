// The calls of a rule that take a regular expression.
import { isObject } from '../../values/json.ts'
import { PatternError, readPattern, sizeMax } from '../pattern.ts'
import { type Problem, problemAt } from './problem.ts'
import { linearMatches } from './string-functions.ts'

export type PatternCall = {
  readonly name: string
  /** Where the receiver ends and where the argument begins in the text of the rule. */
  readonly from: number
  readonly to: number
  /** The pattern, if it is a constant. */
  readonly pattern: string | undefined
}

const functions = new Set<unknown>(['matches', 'find', 'findAll'])

export function patternCalls(node: unknown): readonly PatternCall[] {
  if (Array.isArray(node)) return node.flatMap(patternCalls)
  if (!isObject(node) || typeof node['op'] !== 'string') return []
  const { op, args } = node
  const inner = patternCalls(args)
  if (op !== 'rcall' || !Array.isArray(args) || !functions.has(args[0])) return inner
  const [name, receiver, given] = args
  const argument: unknown = Array.isArray(given) ? given[0] : undefined
  if (!isObject(receiver) || !isObject(argument)) return inner
  const pattern = argument['op'] === 'value' && typeof argument['args'] === 'string' ? argument['args'] : undefined
  return [...inner, { name: String(name), from: Number(receiver['end']), to: Number(argument['start']), pattern }]
}

/** Returns the problem of a constant pattern, in the words of kube-apiserver 1.36. */
export function badPattern(text: string, { name, pattern, to }: PatternCall): Problem | undefined {
  try {
    if (pattern !== undefined) readPattern(pattern)
    return undefined
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return name === 'matches' ? problemAt(text, to, 'invalid matches argument') : { is: 'pattern', why: error.message }
  }
}

/** Returns the size of the largest pattern of these calls, of which all are valid. One that a value holds may have any. */
export function largestPattern(calls: readonly PatternCall[]): number {
  return Math.max(0, ...calls.map(({ pattern }) => (pattern === undefined ? sizeMax : readPattern(pattern).size)))
}

/** Returns the rule with the name of the linear function in each call of `matches`. */
export function withLinearMatches(text: string, calls: readonly PatternCall[]): string {
  let changed = text
  for (const { name, from, to } of [...calls].sort((one, other) => other.from - one.from)) {
    if (name !== 'matches') continue
    const at = changed.lastIndexOf('matches', to - 1)
    if (at >= from) changed = changed.slice(0, at) + linearMatches + changed.slice(at + name.length)
  }
  return changed
}
