// The part of JSONPath that printer columns use: dotted fields, quoted fields, [n], [*] and filters like
// [?(@.type=="Ready")].
import { isObject } from '../../api/values/json.ts'

/** Returns the values at a path in a document, in order. Empty if any part of the path is missing. */
type JsonPath = (document: unknown) => readonly unknown[]

type Step = (values: readonly unknown[]) => readonly unknown[]
type Parsed = { readonly step: Step; readonly length: number }

const fieldPattern = /^\.((?:[^.[\\]|\\.)+)/
const quotedPattern = /^\[(?:'([^']*)'|"([^"]*)")\]/
const indexPattern = /^\[(-?\d+|\*)\]/
const filterPattern = /^\[\?\(\s*@((?:\.[^\s=!<>)]+)+)\s*(?:(==|!=)\s*("[^"]*"|'[^']*'|[^\s)]+)\s*)?\)\]/

/** Returns undefined if the path is invalid or uses an unsupported feature. */
export function parseJsonPath(path: string): JsonPath | undefined {
  const steps: Step[] = []
  let rest = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`
  while (rest !== '' && rest !== '.') {
    const parsed = parseField(rest) ?? parseIndex(rest) ?? parseFilter(rest)
    if (!parsed) return undefined
    steps.push(parsed.step)
    rest = rest.slice(parsed.length)
  }
  return (document) => steps.reduce<readonly unknown[]>((values, step) => step(values), [document])
}

function parseField(path: string): Parsed | undefined {
  const match = fieldPattern.exec(path) ?? quotedPattern.exec(path)
  if (!match) return undefined
  const name = (match[1] ?? match[2] ?? '').replace(/\\(.)/g, '$1')
  return { step: each((value) => (isObject(value) && name in value ? [value[name]] : [])), length: match[0].length }
}

function parseIndex(path: string): Parsed | undefined {
  const match = indexPattern.exec(path)
  if (!match) return undefined
  const all = match[1] === '*'
  const at = Number(match[1])
  const pick = (items: readonly unknown[]) => (all ? items : items.slice(at, at === -1 ? undefined : at + 1))
  return { step: each((value) => (Array.isArray(value) ? pick(value) : [])), length: match[0].length }
}

function parseFilter(path: string): Parsed | undefined {
  const match = filterPattern.exec(path)
  const inner = match && parseJsonPath(match[1] ?? '')
  if (!match || !inner) return undefined
  const [, , operator, literal = ''] = match
  const wanted = literal.replace(/^(["'])(.*)\1$/, '$2')
  const passes = (item: unknown): boolean => {
    const found = inner(item)
    if (operator === undefined) return found.length > 0
    return found.some((value) => typeof value !== 'object' && String(value) === wanted) === (operator === '==')
  }
  return { step: each((value) => (Array.isArray(value) ? value.filter(passes) : [])), length: match[0].length }
}

function each(step: (value: unknown) => readonly unknown[]): Step {
  return (values) => (values.length === 1 ? step(values[0]) : values.flatMap((value) => step(value)))
}
