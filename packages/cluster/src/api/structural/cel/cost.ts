// Bounds the work of one rule on one value. Kubernetes counts the cost while it evaluates; here it is estimated before, from above.
import { isObject } from '../../values/json.ts'

/** The work of an expression, apart from the sizes of the values that it reads. */
export type Work = {
  readonly nodes: number
  /** How deep its macros over lists and maps are nested. */
  readonly depth: number
  /** The length of the longest list that the expression itself contains or adds up. */
  readonly longest: number
  /** It makes lists of the parts of texts. */
  readonly splits: boolean
  /** The size of its largest regular expression. 0 if it has none. */
  readonly pattern: number
}

type Node = { readonly op: string; readonly args: unknown }

/** Number of evaluated nodes that take about a second. */
const budget = 5_000_000
/** Number of steps of a regular expression that take about a second. */
const patternBudget = 200_000_000
const macros = new Set<unknown>(['all', 'exists', 'exists_one', 'map', 'filter'])

export function workOf(ast: unknown): Omit<Work, 'pattern'> {
  let nodes = 0
  let sums = 1
  let longest = 1
  let splits = false
  const depthOf = (value: unknown): number => {
    if (Array.isArray(value)) return Math.max(0, ...value.map(depthOf))
    if (!isNode(value)) return 0
    const { op, args } = value
    nodes++
    if (op === '+') sums++
    if (op === 'list' && Array.isArray(args)) longest = Math.max(longest, args.length)
    const called = op === 'rcall' && Array.isArray(args) ? args[0] : undefined
    if (called === 'split' || called === 'findAll') splits = true
    return depthOf(args) + (macros.has(called) ? 1 : 0)
  }
  const depth = depthOf(ast)
  return { nodes, depth, longest: longest * sums, splits }
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value['op'] === 'string' && 'args' in value
}

/** Returns whether an expression may take longer on these values than the budget allows. */
export function exceedsBudget(work: Work, ...values: readonly unknown[]): boolean {
  const { nodes, depth, longest, splits, pattern } = work
  if (pattern > 0) {
    const text = Math.max(1, ...values.map((value) => largest(value, true)))
    const times = depth === 0 ? 1 : Math.max(longest, ...values.map((value) => largest(value, splits))) ** depth
    if (pattern * text * times > patternBudget) return true
  }
  if (depth === 0) return nodes > budget
  const size = Math.max(longest, ...values.map((value) => largest(value, splits)))
  return nodes * size ** depth > budget
}

/** Returns the number of entries of the largest list or map in a value. */
function largest(value: unknown, withTexts: boolean): number {
  if (typeof value === 'string') return withTexts ? value.length : 1
  if (typeof value !== 'object' || value === null) return 1
  const entries = Object.values(value)
  let size = entries.length
  for (const entry of entries) size = Math.max(size, largest(entry, withTexts))
  return size
}
