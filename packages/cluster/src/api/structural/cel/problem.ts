// Why an expression does not compile, in the words of Kubernetes as far as they are known.
import type { EvaluationError, ParseError, TypeError as TypeProblem } from '@marcbachmann/cel-js'

export type Problem =
  | { readonly is: 'compilation'; readonly why: string }
  /** A constant pattern that Go refuses. */
  | { readonly is: 'pattern'; readonly why: string }
  /** The expression has another type than it must have. */
  | { readonly is: 'type'; readonly wanted: 'bool' | 'string' }
  /** Kubernetes has this function, and the embedded cluster does not. */
  | { readonly is: 'unsupported'; readonly name: string }

/** Functions and libraries of Kubernetes that the embedded cluster cannot evaluate. */
const unsupported = new Set([
  ...['format', 'quote', 'reverse', 'existsOne', 'transformList', 'transformMap', 'transformMapEntry'],
  ...['authorizer', 'math', 'strings', 'lists', 'base64', 'semver', 'isSemver', 'jsonpatch', 'flatten', 'distinct'],
  ...['sort', 'sortBy', 'slice', 'first', 'last', 'range', 'optMap', 'optFlatMap', 'unwrap', 'unwrapOpt'],
])

type CelError = ParseError | EvaluationError | TypeProblem

/** @param known the names of all functions */
export function explain(expression: string, error: CelError | undefined, known: ReadonlySet<string>): Problem {
  if (error === undefined) return { is: 'compilation', why: 'ERROR: the expression is not valid' }
  const name = unknownName(error, known)
  if (name !== undefined && unsupported.has(name)) return { is: 'unsupported', name }
  const { at, sentence } = placed(expression, error, name)
  return problemAt(expression, at, sentence)
}

/** Returns the problem with the place in the expression, as Kubernetes shows it. */
export function problemAt(expression: string, at: number, sentence: string): Problem {
  const before = expression.slice(0, at).split('\n')
  const line = before.length
  const column = before.at(-1)?.length ?? 0
  const shown = expression.split('\n')[line - 1] ?? ''
  const why = `ERROR: <input>:${line}:${column + 1}: ${sentence}\n | ${shown}\n | ${'.'.repeat(column)}^`
  return { is: 'compilation', why }
}

/** Returns the function or variable that does not exist. */
function unknownName({ summary }: CelError, known: ReadonlySet<string>): string | undefined {
  const [, called, variable] =
    /^(?:found no matching overload for '(?:.*\.)?(\w+)\(|Unknown variable: (\w+))/.exec(summary) ?? []
  return variable ?? (called !== undefined && !known.has(called) ? called : undefined)
}

type Placed = { readonly at: number; readonly sentence: string }

/** Kubernetes places an error at the dot of a selection, at the sign of an operator, and at the parenthesis of a call. */
function placed(expression: string, error: CelError, unknown: string | undefined): Placed {
  const { summary, range } = error
  const start = range?.start ?? 0
  const field = /^No such key: (.*)$/.exec(summary)?.[1]
  if (field !== undefined) {
    const inHas = expression.search(new RegExp(`\\bhas\\([^()]*\\.${field.replace(/\W/g, '\\$&')}\\b`))
    const at = inHas >= 0 ? inHas + 'has'.length : expression.lastIndexOf('.', start)
    return { at, sentence: `undefined field '${field}'` }
  }
  const [, left, sign = '', right] = /^no such overload: (.*) (\S+) (\S+)$/.exec(summary) ?? []
  if (left !== undefined) {
    const sentence = `found no matching overload for '_${sign}_' applied to '(${left}, ${right})'`
    return { at: Math.max(expression.indexOf(sign, start), start), sentence }
  }
  if (unknown !== undefined) {
    const call = expression.indexOf(`${unknown}(`, start)
    const at = call >= 0 ? call + unknown.length : start
    return { at, sentence: `undeclared reference to '${unknown}' (in container '')` }
  }
  return { at: start, sentence: error.code === 'unexpected_token' ? `Syntax error: ${summary}` : summary }
}
